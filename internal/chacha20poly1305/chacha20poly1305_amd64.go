// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

// isShort reports whether a message is one for shortAVX512IFMA.
func isShort(src, ad []byte) bool {
	return 0 < len(src) && len(src) <= shortText && len(ad) <= shortData
}

// seal chooses the code path of a message. All paths copy nonce before they write dst, since the kernels take
// both for separate memory.
func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	pays := &table[on.Kind]
	if on.Level == cpu.AVX512IFMA && pays.short && isShort(src, ad) {
		impl.CheckCall(len(src) + len(ad))
		own := *nonce
		shortAVX512IFMA(tag, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), key, &own, 0)
		return
	}
	switch way := wayOf(pays.seal, src, ad); {
	case on.Level == cpu.AVX512IFMA && way == inOneStep:
		sealOneStep(tag, dst, src, ad, key, nonce)
	case on.Level == cpu.AVX512IFMA && way == inSteps:
		sealIFMA(tag, dst, src, ad, key, nonce)
	case on.Level != cpu.Generic:
		sealOnePass(tag, dst, src, ad, key, nonce)
	default:
		sealGeneric(tag, dst, src, ad, key, nonce)
	}
}

// open chooses the code path of a message, like seal.
func open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	pays := &table[on.Kind]
	if on.Level == cpu.AVX512IFMA && pays.short && isShort(src, ad) {
		impl.CheckCall(len(src) + len(ad))
		own := *nonce
		shortAVX512IFMA(tag, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), key, &own, 1)
		return
	}
	switch way := wayOf(pays.open, src, ad); {
	case on.Level == cpu.AVX512IFMA && way == inOneStep:
		openOneStep(tag, dst, src, ad, key, nonce)
	case on.Level == cpu.AVX512IFMA && way == inSteps:
		openIFMA(tag, dst, src, ad, key, nonce)
	case on.Level != cpu.Generic:
		openOnePass(tag, dst, src, ad, key, nonce)
	default:
		openGeneric(tag, dst, src, ad, key, nonce)
	}
}

// xorSIV encrypts from block 0 on.
func xorSIV(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if on.Level == cpu.AVX512IFMA && len(src) >= table[on.Kind].stream {
		xorIFMA(dst, src, key, nonce)
	} else {
		xorGeneric(dst, src, key, nonce, 0)
	}
}

func openSIV(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	way := wayOf(table[on.Kind].siv, src, ad)
	if on.Level == cpu.AVX2 && len(src)+len(ad) > table[on.Kind].sivAVX2 {
		way = inOnePass
	}
	switch {
	case on.Level == cpu.Generic || way == inParts && on.Level != cpu.SSE41:
		openSIVGeneric(hash, dst, src, ad, polyKey, key, nonce)
	case on.Level == cpu.AVX512IFMA && way == inSteps:
		openSIVIFMA(hash, dst, src, ad, polyKey, key, nonce)
	case on.Level == cpu.AVX512IFMA && way == inOneStep:
		openSIVOneStep(hash, dst, src, ad, polyKey, key, nonce)
	default:
		openSIVOnePass(hash, dst, src, ad, polyKey, key, nonce)
	}
}
