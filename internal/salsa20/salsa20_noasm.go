// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package salsa20

func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	xorGeneric(dst, src, key, nonce, counter)
}

// Worthwhile returns 0. Without a kernel, XORKeyStream is not faster than x/crypto.
func Worthwhile(int) int { return 0 }
