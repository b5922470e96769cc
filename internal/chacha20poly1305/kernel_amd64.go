// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var useIFMA = cpu.AVX512IFMA()

func init() {
	impl.Register("chacha20poly1305", "avx512ifma", &useIFMA)
}

// Available reports whether there is a kernel that is on.
func Available() bool { return useIFMA }

func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	sealIFMA(tag, dst, src, ad, key, nonce)
}

func open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	openIFMA(tag, dst, src, ad, key, nonce)
}
