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

// count adds to the number of the next block. It has 64 bits: what a message with an earlier
// block than the first takes from the nonce comes back.
func (m *message) count(blocks int64) {
	number := uint64(m.chacha[13])<<32 | uint64(m.chacha[12])
	number += uint64(blocks)
	m.chacha[12], m.chacha[13] = uint32(number), uint32(number>>32)
}

func seal(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if !useNEON {
		sealGeneric(tag, dst, src, ad, key, nonce)
		return
	}
	var m message
	m.begin(key, nonce)
	m.seal(tag, dst, src, ad)
}

// openSIV is a message that is sealed, except that it has the key of Poly1305 already: what comes
// out of it is hashed.
func openSIV(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if !useNEON {
		openSIVGeneric(hash, dst, src, ad, polyKey, key, nonce)
		return
	}
	m := message{begun: 1}
	m.begin(key, nonce)
	setPolyKey(&m.r, &m.s, polyKey)
	m.count(-1) // the kernel passes over a block
	m.seal(hash, dst, src, ad)
}

func (m *message) seal(tag *[TagSize]byte, dst, src, ad []byte) {
	m.lengths = [2]uint64{uint64(len(ad)), uint64(len(src))}
	for len(src)+len(ad) > impl.MaxCall {
		n, adLen := m.next(src, ad)
		sealNEON(m, unsafe.SliceData(dst), unsafe.SliceData(src), n, unsafe.SliceData(ad), adLen, nil)
		m.count(int64(n / 64))
		dst, src, ad = dst[n:], src[n:], ad[adLen:]
	}
	sealNEON(m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), tag)
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
		m.count(int64(n / 64))
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
