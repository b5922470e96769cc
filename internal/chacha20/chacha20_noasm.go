// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !amd64

package chacha20

func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	xorPortable(dst, src, key, nonce, counter)
}

func hChaCha20(out, key *[KeySize]byte, nonce *[16]byte) {
	hChaCha20Generic(out, key, nonce)
}
