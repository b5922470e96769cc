// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 encrypts with ChaCha20 and authenticates with Poly1305 as
// defined by RFC 8439, section 2.8. Kernels do both in a single pass over the text.
// Without a kernel, packages chacha20 and poly1305 process the text in two passes.
//
// # Code paths
//
// Each architecture defines a function for whole messages:
//
//	crypt(tag, dst, src, ad, key, nonce, open)
//
// crypt sets dst to the ciphertext of src, or to the plaintext of src if open is true.
// It sets tag to the tag of the ciphertext and ad. [Open] compares this tag with the
// tag that it received. On amd64, thresholds_amd64.go determines which kernels crypt
// uses. If several kernel calls process a text, they share a [message].
//
// dst must be as long as src, which is at most MaxLength bytes long. dst and src must
// overlap entirely or not at all. dst must not overlap ad, tag or key. ad and key must
// not change during the call. dst and tag may overlap nonce, so crypt copies nonce
// before it writes. Slices of length 0 may be nil.
//
// crypt does not allocate, and reads and writes nothing outside of the slices. A kernel
// call processes at most dispatch.MaxCall bytes, including additional data. The running
// time depends only on the lengths. Kernels clear secrets that they spill to the stack:
// the key, r, s and keystream.
package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/constanttime"
)

//go:generate go -C ../layout run . internal/chacha20poly1305
//go:generate go -C ../asm run . internal/chacha20poly1305

// Seal encrypts src into dst and stores the tag of the ciphertext and ad in tag. dst
// and src must have the same length. They must overlap entirely or not at all. dst and
// tag may overlap nonce.
func Seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	crypt(tag, dst, src, ad, key, nonce, false)
}

// Open decrypts src into dst and reports whether tag is valid for src and ad. If it is
// not, Open fills dst with zeros. dst may overlap nonce.
func Open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) bool {
	var want [TagSize]byte
	crypt(&want, dst, src, ad, key, nonce, true)
	ok := constanttime.Equal(&want, tag) == 1
	if !ok {
		clear(dst)
		clear(want[:]) // the tag of a forged message
	}
	return ok
}

// SealX is like Seal but uses XChaCha20.
func SealX(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSizeX]byte) {
	var derived [KeySize]byte
	short := derive(&derived, key, nonce)
	crypt(tag, dst, src, ad, &derived, &short, false)
	clear(derived[:])
}

// OpenX is like Open but uses XChaCha20.
func OpenX(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSizeX]byte) bool {
	var derived [KeySize]byte
	short := derive(&derived, key, nonce)
	ok := Open(tag, dst, src, ad, &derived, &short)
	clear(derived[:])
	return ok
}

// derive sets derived to the XChaCha20 subkey for nonce and returns the ChaCha20 nonce
// to use with it.
func derive(derived, key *[KeySize]byte, nonce *[NonceSizeX]byte) (short [NonceSize]byte) {
	chacha20.HChaCha20(derived, key, (*[16]byte)(nonce[:16]))
	copy(short[4:], nonce[16:])
	return short
}
