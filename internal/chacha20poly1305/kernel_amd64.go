// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useIFMA = cpu.AVX512IFMA()
	useAVX2 = cpu.AVX2()
)

func init() {
	impl.Register("chacha20poly1305", "avx512ifma", &useIFMA)
	impl.Register("chacha20poly1305", "avx2", &useAVX2)
}

// Available reports whether there is a kernel that is on.
func Available() bool { return useIFMA || useAVX2 }

func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if useIFMA {
		sealIFMA(tag, dst, src, ad, key, nonce)
	} else {
		sealAVX2(tag, dst, src, ad, key, nonce)
	}
}

func open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if useIFMA {
		openIFMA(tag, dst, src, ad, key, nonce)
	} else {
		openAVX2(tag, dst, src, ad, key, nonce)
	}
}
