// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package chacha20poly1305

func crypt(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte, open bool) {
	cryptTwoPasses(tag, dst, src, ad, key, nonce, open)
}

func openSIV(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	openSIVTwoPasses(hash, dst, src, ad, polyKey, key, nonce)
}
