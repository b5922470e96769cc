// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 encrypts with ChaCha20 and authenticates with Poly1305 as
// defined by RFC 8439, section 2.8. Kernels process the text in one pass. Without a
// kernel, the package calls packages chacha20 and poly1305, one after the other.
//
// # Code paths
//
// The exported functions call two functions for whole messages, which each architecture
// defines:
//
//	seal(tag, dst, src, ad, key, nonce)
//	open(tag, dst, src, ad, key, nonce)
//
// On amd64, seal and open choose a code path by the thresholds in thresholds_amd64.go
// and call one function per path. A path makes one or several kernel calls, which share
// a [message]. The name of a kernel ends with the level of package cpu that the kernel
// needs, as in cryptAVX512IFMA, cryptAVX2 and sealNEON.
//
// Processors with AVX-512 and IFMA (Intel since Ice Lake, AMD since Zen 4) use
// onePassAVX512 for short messages and kernels for IFMA for long ones. Processors with
// AVX-512 alone (Intel's Skylake, Cascade Lake and Cooper Lake) use onePassAVX512,
// others onePassAVX2 or onePassSSE41.
//
// The callers of seal and open guarantee that:
//
//   - dst has the length of src, which is at most MaxLength. Slices of length 0 may be
//     nil, and no byte may be read or written through them.
//   - dst and src are the same memory or do not overlap. dst does not overlap ad, tag
//     or key. dst and tag may overlap nonce, so seal and open copy nonce before they
//     write.
//   - key and ad do not change.
//
// In return, seal and open guarantee that:
//
//   - seal sets dst to the ciphertext of src, open sets dst to the plaintext of src,
//     and both set tag to the tag of the ciphertext. [Open] compares the tag with the
//     message's and wipes dst if they differ.
//   - They read and write nothing outside of the slices.
//   - A kernel call processes at most dispatch.MaxCall bytes, additional data included.
//   - The time depends on lengths alone, and kernels clear secrets that they spill to
//     the stack: the key, r, s and keystream.
//   - They do not allocate.
//
// Package internal/asm/chacha20poly1305 generates the kernels. Tests run with every
// kernel. Tests of a single kernel are in files named for its architecture.
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

	// MaxLength is the maximum text length in bytes. The block counter has 32 bits, and
	// block 0 contains the Poly1305 key.
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

// derive sets derived to the XChaCha20 subkey for nonce and returns the ChaCha20 nonce
// to use with it.
func derive(derived, key *[KeySize]byte, nonce *[NonceSizeX]byte) (short [NonceSize]byte) {
	chacha20.HChaCha20(derived, key, (*[16]byte)(nonce[:16]))
	copy(short[4:], nonce[16:])
	return short
}
