// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var useNEON = cpu.NEON()

func init() {
	impl.Register("chacha20poly1305", "neon", &useNEON)
}

// A message is what one call of assembly leaves to the next. The counter in chacha is that of
// the block before the text: the first call takes r and s from it, others pass it over.
type message struct {
	state
	lengths [2]uint64 // of the additional data and of the text. At offset 120
	begun   uint64    // set by the first call. At offset 136
}

// next is how much of a long message the next call takes: whole blocks, unless it is the end of
// the additional data.
func (m *message) next(src, ad []byte) (n, adLen int) {
	if len(ad) > impl.MaxCall {
		return 0, impl.MaxCall
	}
	return min(len(src), impl.MaxCall-len(ad)) &^ 63, len(ad)
}

// passed moves on by n bytes.
func (m *message) passed(n int) { m.chacha[12] += uint32(n / 64) }

func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if !useNEON {
		sealGeneric(tag, dst, src, ad, key, nonce)
		return
	}
	m := message{lengths: [2]uint64{uint64(len(ad)), uint64(len(src))}}
	m.begin(key, nonce)
	for len(src)+len(ad) > impl.MaxCall {
		n, adLen := m.next(src, ad)
		sealNEON(&m, unsafe.SliceData(dst), unsafe.SliceData(src), n, unsafe.SliceData(ad), adLen, nil)
		m.passed(n)
		dst, src, ad = dst[n:], src[n:], ad[adLen:]
	}
	sealNEON(&m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), tag)
}

func open(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if !useNEON {
		openGeneric(tag, dst, src, ad, key, nonce)
		return
	}
	m := message{lengths: [2]uint64{uint64(len(ad)), uint64(len(src))}}
	m.begin(key, nonce)
	for len(src)+len(ad) > impl.MaxCall {
		n, adLen := m.next(src, ad)
		openNEON(&m, unsafe.SliceData(dst), unsafe.SliceData(src), n, unsafe.SliceData(ad), adLen, nil)
		m.passed(n)
		dst, src, ad = dst[n:], src[n:], ad[adLen:]
	}
	openNEON(&m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), tag)
}

// sealNEON encrypts n bytes of text after it has read additional data, at most 64 KiB
// together. Both are whole blocks of Poly1305, and the text of ChaCha20, unless they are the
// last. With a tag the message ends, and the kernel clears what is secret in m.
//
//go:noescape
func sealNEON(m *message, dst *byte, src *byte, n int, ad *byte, adLen int, tag *[16]byte)

// openNEON is sealNEON that decrypts.
//
//go:noescape
func openNEON(m *message, dst *byte, src *byte, n int, ad *byte, adLen int, tag *[16]byte)
