// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package chacha20poly1305

// Available reports whether there is a kernel that is on.
func Available() bool { return false }

func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	panic("chacha20poly1305: no kernel")
}

func open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	panic("chacha20poly1305: no kernel")
}
