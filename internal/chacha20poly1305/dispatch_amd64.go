// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var (
	choice dispatch.Choice

	sealPath, sealDataPath, openPath, openDataPath, sealSIVPath, openSIVPath dispatch.Operation[path]
)

func init() {
	dispatch.Register("chacha20poly1305", &choice, cpu.SSE41, cpu.AVX2, cpu.AVX512, cpu.AVX512IFMA)
	dispatch.RegisterPaths("chacha20poly1305", paths[:])
	dispatch.Bind("chacha20poly1305", &sealPath, sealPaths)
	dispatch.Bind("chacha20poly1305", &sealDataPath, sealDataPaths)
	dispatch.Bind("chacha20poly1305", &openPath, openPaths)
	dispatch.Bind("chacha20poly1305", &openDataPath, openDataPaths)
	dispatch.Bind("chacha20poly1305", &sealSIVPath, sealSIVPaths)
	dispatch.Bind("chacha20poly1305", &openSIVPath, openSIVPaths)
}

type path uint8

const (
	twoPasses     path = iota // packages chacha20 and poly1305, one after the other
	onePassSSE41              // cryptSSE41
	onePassAVX2               // cryptAVX2
	onePassAVX512             // cryptAVX512
	steps                     // cryptAVX512IFMA, with other kernels before and after it
	halvedSteps               // the same with cryptHalvedAVX512IFMA
	short                     // shortAVX512IFMA, for 1 to 64 bytes
)

var paths = [...]dispatch.Path{
	twoPasses:     {Name: "twoPasses"},
	onePassSSE41:  {Name: "onePassSSE41", Level: cpu.SSE41},
	onePassAVX2:   {Name: "onePassAVX2", Level: cpu.AVX2},
	onePassAVX512: {Name: "onePassAVX512", Level: cpu.AVX512},
	steps:         {Name: "steps", Level: cpu.AVX512IFMA},
	halvedSteps:   {Name: "halvedSteps", Level: cpu.AVX512IFMA},
	short:         {Name: "short", Level: cpu.AVX512IFMA, Min: 1, Max: 64},
}

// length returns the length that determines the code path. It ignores an incomplete
// block of additional data.
func length(src, ad []byte) int { return len(src) + len(ad)&^15 }

// seal runs the code path for a message. All paths copy nonce, which dst may overlap.
func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	path := &sealPath
	if len(ad) >= 16 {
		path = &sealDataPath
	}
	switch p := path.Choose(length(src, ad)); p {
	case twoPasses:
		sealTwoPasses(tag, dst, src, ad, key, nonce)
	case steps, halvedSteps:
		sealSteps(p, tag, dst, src, ad, key, nonce)
	case short:
		cryptShort(0, tag, dst, src, ad, key, nonce)
	default:
		sealOnePass(p, tag, dst, src, ad, key, nonce)
	}
}

func open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	path := &openPath
	if len(ad) >= 16 {
		path = &openDataPath
	}
	switch p := path.Choose(length(src, ad)); p {
	case twoPasses:
		openTwoPasses(tag, dst, src, ad, key, nonce)
	case steps, halvedSteps:
		openSteps(p, tag, dst, src, ad, key, nonce)
	case short:
		cryptShort(1, tag, dst, src, ad, key, nonce)
	default:
		openOnePass(p, tag, dst, src, ad, key, nonce)
	}
}

// xorSIV encrypts src, starting with block 0.
func xorSIV(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	switch sealSIVPath.Choose(len(src)) {
	case steps:
		xorSteps(dst, src, key, nonce)
	default:
		xorGeneric(dst, src, key, nonce, 0)
	}
}

// openSIV decrypts a message and hashes its plaintext.
func openSIV(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	switch p := openSIVPath.Choose(length(src, ad)); p {
	case onePassSSE41, onePassAVX2, onePassAVX512:
		openSIVOnePass(p, hash, dst, src, ad, polyKey, key, nonce)
	case steps, halvedSteps:
		openSIVSteps(p, hash, dst, src, ad, polyKey, key, nonce)
	default:
		openSIVTwoPasses(hash, dst, src, ad, polyKey, key, nonce)
	}
}
