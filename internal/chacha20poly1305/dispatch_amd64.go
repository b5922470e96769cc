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

// length returns the length by which a code path is chosen: the length of the text plus
// the length of all complete 16-byte blocks of additional data.
func length(src, ad []byte) int { return len(src) + len(ad)&^15 }

// seal seals a message with a code path chosen by its length. dst may overlap nonce, so
// every path copies nonce before it writes to dst.
func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	path := &sealPath
	if len(ad) >= 16 {
		path = &sealDataPath
	}
	switch p := path.Choose(length(src, ad)); p {
	case onePassSSE41, onePassAVX2, onePassAVX512:
		var m onePass
		m.start(nonce, firstBlock(p), len(ad), len(src))
		m.run(p, firstCall|lastCall, dst, src, ad, key)
		m.storeTag(tag)
	case steps, halvedSteps:
		sealSteps(p, tag, dst, src, ad, key, nonce)
	case short:
		cryptShort(0, tag, dst, src, ad, key, nonce)
	default:
		sealTwoPasses(tag, dst, src, ad, key, nonce)
	}
}

func open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	path := &openPath
	if len(ad) >= 16 {
		path = &openDataPath
	}
	switch p := path.Choose(length(src, ad)); p {
	case onePassSSE41, onePassAVX2, onePassAVX512:
		var m onePass
		m.start(nonce, firstBlock(p), len(ad), len(src))
		m.run(p, firstCall|lastCall|opening, dst, src, ad, key)
		m.storeTag(tag)
	case steps, halvedSteps:
		openSteps(p, tag, dst, src, ad, key, nonce)
	case short:
		cryptShort(1, tag, dst, src, ad, key, nonce)
	default:
		openTwoPasses(tag, dst, src, ad, key, nonce)
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
		// Decrypt with a sealing kernel, because it authenticates its output, and SIV
		// authenticates the plaintext. The keystream for the text starts at block 0.
		var m onePass
		m.keyed(p, 0, 0, hash, dst, src, ad, polyKey, key, nonce)
	case steps, halvedSteps:
		openSIVSteps(p, hash, dst, src, ad, polyKey, key, nonce)
	default:
		openSIVTwoPasses(hash, dst, src, ad, polyKey, key, nonce)
	}
}

// cryptKeyed seals or opens a packet whose Poly1305 key has already been computed from
// block 0 by an AVX2 group. The keystream for the text starts at block 1.
func cryptKeyed(open bool, tag *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if choice.Level < cpu.AVX2 {
		panic("chacha20poly1305: no kernel for groups")
	}
	flags := 0
	if open {
		flags = opening
	}
	var m onePass
	m.keyed(onePassAVX2, flags, 1, tag, dst, src, ad, polyKey, key, nonce)
}

// groupGains returns the conditions under which processing an AEAD's packets in groups
// is faster. It returns nil if the selected level has no kernel for groups.
func groupGains(kind Kind) *gains {
	if model := groupModels[choice.Level][choice.Kind]; model != nil {
		return &model[kind]
	}
	return nil
}

// newGroup returns a group for packets that are sealed or opened with key. The caller
// must call end after the last packet.
func newGroup(kind Kind, key *[KeySize]byte) group {
	switch choice.Level {
	case cpu.AVX512IFMA:
		l := lanesPool.Get().(*lanes)
		l.begin(kind, key)
		return l
	case cpu.AVX512, cpu.AVX2:
		l := lanesAVX2Pool.Get().(*lanesAVX2)
		l.begin(kind, key)
		return l
	}
	return nil
}
