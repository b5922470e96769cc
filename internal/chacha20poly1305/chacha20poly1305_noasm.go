// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package chacha20poly1305

func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	sealTwoPasses(tag, dst, src, ad, key, nonce)
}

func open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	openTwoPasses(tag, dst, src, ad, key, nonce)
}

func openSIV(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	openSIVTwoPasses(hash, dst, src, ad, polyKey, key, nonce)
}

// xorSIV encrypts src, starting with block 0.
func xorSIV(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	xorGeneric(dst, src, key, nonce, 0)
}
