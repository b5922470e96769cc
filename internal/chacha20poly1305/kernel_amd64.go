// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useIFMA  = cpu.AVX512IFMA()
	useAVX2  = cpu.AVX2()
	useSSE41 = cpu.SSE41()
)

func init() {
	impl.Register("chacha20poly1305", "avx512ifma", &useIFMA)
	impl.Register("chacha20poly1305", "avx2", &useAVX2)
	impl.Register("chacha20poly1305", "sse41", &useSSE41)
}

// isShort reports whether a message is one for shortAVX512IFMA.
func isShort(src, ad []byte) bool {
	return 0 < len(src) && len(src) <= shortText && len(ad) <= shortData
}

func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	switch {
	case useIFMA && isShort(src, ad):
		shortAVX512IFMA(tag, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), key, nonce, 0)
	case useIFMA:
		sealIFMA(tag, dst, src, ad, key, nonce)
	case useAVX2 || useSSE41:
		sealOnePass(tag, dst, src, ad, key, nonce)
	default:
		sealGeneric(tag, dst, src, ad, key, nonce)
	}
}

func open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	switch {
	case useIFMA && isShort(src, ad):
		shortAVX512IFMA(tag, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), key, nonce, 1)
	case useIFMA:
		openIFMA(tag, dst, src, ad, key, nonce)
	case useAVX2 || useSSE41:
		openOnePass(tag, dst, src, ad, key, nonce)
	default:
		openGeneric(tag, dst, src, ad, key, nonce)
	}
}

func openSIV(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	switch {
	case useIFMA:
		openSIVIFMA(hash, dst, src, ad, polyKey, key, nonce)
	case useAVX2 || useSSE41:
		openSIVOnePass(hash, dst, src, ad, polyKey, key, nonce)
	default:
		openSIVGeneric(hash, dst, src, ad, polyKey, key, nonce)
	}
}
