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

	sealPath, openPath, sealSIVPath, openSIVPath dispatch.Operation[path]
)

func init() {
	dispatch.Register("chacha20poly1305", &choice, cpu.SSE41, cpu.AVX2, cpu.AVX512, cpu.AVX512IFMA)
	dispatch.RegisterPaths("chacha20poly1305", paths[:])
	dispatch.Bind("chacha20poly1305", &sealPath, sealPaths)
	dispatch.Bind("chacha20poly1305", &openPath, openPaths)
	dispatch.Bind("chacha20poly1305", &sealSIVPath, sealSIVPaths)
	dispatch.Bind("chacha20poly1305", &openSIVPath, openSIVPaths)
}

// length returns the number of bytes in src and in the whole 16-byte blocks of ad.
func length(src, ad []byte) int { return len(src) + len(ad)&^15 }

// crypt seals or opens a message with kernels chosen by its length.
func crypt(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte, open bool) {
	operation, flags := &sealPath, 0
	if open {
		operation, flags = &openPath, opening
	}
	p := operation.Choose(length(src, ad))
	if p == short && len(ad) > maxShortData {
		p = onePassAVX2
	}
	// dst may overlap nonce, so each case copies nonce before it writes to dst.
	switch p {
	case onePassSSE41, onePassAVX2, onePassAVX512:
		// Block 0 contains the Poly1305 key. The text starts with block 1.
		block := uint64(1) // the kernel computes block 0 separately
		if p == onePassAVX512 {
			block = 0 // the kernel computes block 0 together with the next ones
		}
		var m onePass
		m.setNonce(nonce, block)
		m.lengths = [2]uint64{uint64(len(ad)), uint64(len(src))}
		m.run(p, flags|firstCall|lastCall, dst, src, ad, key)
		m.storeTag(tag)
	case steps, halvedSteps:
		cryptSteps(p, tag, dst, src, ad, key, nonce, open)
	case short:
		cryptShort(flags/opening, tag, dst, src, ad, key, nonce)
	default:
		cryptTwoPasses(tag, dst, src, ad, key, nonce, open)
	}
}

// xorSIV encrypts src, starting with block 0.
func xorSIV(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if sealSIVPath.Choose(len(src)) == steps {
		xorSteps(dst, src, key, nonce)
	} else {
		xorGeneric(dst, src, key, nonce, 0)
	}
}

// openSIV decrypts a message and hashes its plaintext.
func openSIV(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	switch p := openSIVPath.Choose(length(src, ad)); p {
	case onePassSSE41, onePassAVX2, onePassAVX512:
		// The sealing kernels authenticate their output, which is the plaintext here.
		// The keystream for the text starts with block 0.
		onePassKeyed(p, 0, 0, hash, dst, src, ad, polyKey, key, nonce)
	case steps, halvedSteps:
		openSIVSteps(p, hash, dst, src, ad, polyKey, key, nonce)
	default:
		openSIVTwoPasses(hash, dst, src, ad, polyKey, key, nonce)
	}
}

// cryptKeyed seals or opens a packet of an AVX2 group with the Poly1305 key polyKey.
func cryptKeyed(open bool, tag *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if choice.Level < cpu.AVX2 {
		panic("chacha20poly1305: no kernel for groups")
	}
	flags := 0
	if open {
		flags = opening
	}
	// Block 0 contained polyKey, so the text starts with block 1.
	onePassKeyed(onePassAVX2, flags, 1, tag, dst, src, ad, polyKey, key, nonce)
}

// groupModelOf returns the groupModel of an AEAD, or nil if no kernel for groups is
// enabled.
func groupModelOf(kind Kind) *groupModel {
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
