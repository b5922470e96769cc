// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package salsa20

func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	xorGeneric(dst, src, key, nonce, counter)
}

// Worthwhile returns for how many bytes XORKeyStream takes less time than x/crypto's.
func Worthwhile(int) int { return 0 }
