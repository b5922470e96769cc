// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 encrypts with ChaCha20 and authenticates with Poly1305, as RFC
// 8439, section 2.8, defines their combination. Where there is a kernel, it takes one pass over
// the text; otherwise it takes two, with what packages chacha20 and poly1305 have. Callers need
// not know.
//
// # For those who write a kernel
//
// The files of an architecture have the two functions that this one
// calls. They see a whole message, so that the file is free to choose what suits its
// processors: one call of assembly for a short message, a [message] and several calls for a
// long one.
//
//	seal(tag, dst, src, ad, key, nonce)
//	open(tag, dst, src, ad, key, nonce)
//
// Where no kernel is on, they call sealTwoPasses and openTwoPasses. The levels of kernels are registered by dispatch.Register,
// and each of seal and open has one switch on the level. A name of assembly ends with that of its
// level: cryptAVX512IFMA, cryptAVX2, sealNEON.
//
// What seal and open may rely on:
//
//   - dst has the length of src, which may be 0 and is at most MaxLength; slices of length 0
//     may be nil, and no byte may be read or written through them;
//   - dst and src are the same memory or apart; dst is apart from ad, tag and key, but may overlap nonce,
//     as tag may: they copy nonce before they write;
//   - key and ad do not change.
//
// What they owe:
//
//   - seal sets dst to the ciphertext of src, open sets dst to its plaintext; both set tag to
//     the tag of the ciphertext, which is dst for seal and src for open. Open does not know
//     the tag that came with the message: [Open] compares, and wipes dst;
//   - they read and write nothing outside of the slices, not even to ignore it;
//   - assembly is called for at most dispatch.MaxCall bytes at a time, ad included;
//   - the time depends on lengths alone; what is secret (key, r, s, key stream) is not left
//     on the stack by assembly: it clears what it spilled;
//   - they allocate nothing.
//
// The generators are internal/asm/chacha20poly1305: one file or more for each family.
// The tests in this package run for every kernel that is registered; what is special to one
// is tested in files named for a processor.
package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/constanttime"
)

//go:generate go -C ../asm run . internal/chacha20poly1305

const (
	KeySize    = 32
	NonceSize  = 12
	NonceSizeX = 24
	TagSize    = 16

	// MaxLength is the largest length of a text in bytes: the block counter has 32
	// bits, and block 0 contains Poly1305's key.
	MaxLength = 1<<38 - 64
)

// Seal sets dst to the ciphertext of src, and tag to the tag of the ciphertext and ad.
// dst must have the length of src, and must be the same memory or not overlap it. dst
// and tag may overlap nonce.
func Seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	seal(tag, dst, src, ad, key, nonce)
}

// Open sets dst to the plaintext of src and reports whether tag is the tag of src and
// ad. If it is not, Open fills dst with zeros. dst may overlap nonce.
func Open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) bool {
	var want [TagSize]byte
	open(&want, dst, src, ad, key, nonce)
	ok := constanttime.Equal(&want, tag) == 1
	if !ok {
		clear(dst)
		clear(want[:]) // the tag of a forged message
	}
	return ok
}

// SealX is Seal with XChaCha20.
func SealX(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSizeX]byte) {
	var derived [KeySize]byte
	short := derive(&derived, key, nonce)
	seal(tag, dst, src, ad, &derived, &short)
	clear(derived[:])
}

// OpenX is Open with XChaCha20.
func OpenX(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSizeX]byte) bool {
	var derived [KeySize]byte
	short := derive(&derived, key, nonce)
	ok := Open(tag, dst, src, ad, &derived, &short)
	clear(derived[:])
	return ok
}

// derive sets derived to XChaCha20's subkey for nonce and returns the ChaCha20 nonce to
// use with it.
func derive(derived, key *[KeySize]byte, nonce *[NonceSizeX]byte) (short [NonceSize]byte) {
	chacha20.HChaCha20(derived, key, (*[16]byte)(nonce[:16]))
	copy(short[4:], nonce[16:])
	return short
}
