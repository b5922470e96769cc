// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"encoding/binary"
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

// Flags of cryptAVX2, cryptAVX512 and cryptSSE41.
const (
	firstCall = 1 << iota // makes r and s
	lastCall              // makes the tag
	opening
)

// A onePass is a message in progress, by one of these.
type onePass struct {
	message
	tag [2]uint64 // as the kernels store it: to read at once what was stored in two words costs a stall
}

func sealOnePass(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	m.run(firstCall, 1, tag, dst, src, ad, key, nonce)
}

func openOnePass(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	m.run(firstCall|opening, 1, tag, dst, src, ad, key, nonce)
}

// openSIVOnePass is a message that is sealed, except that it has the key of Poly1305 already: what
// comes out of it is hashed.
func openSIVOnePass(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	m.setPolyKey(polyKey)
	m.run(0, 0, hash, dst, src, ad, key, nonce)
}

func sealOneStep(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	runOneStep(&m, firstCall, tag, dst, src, ad, key, nonce)
}

func openOneStep(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	runOneStep(&m, firstCall|opening, tag, dst, src, ad, key, nonce)
}

func openSIVOneStep(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	m.setPolyKey(polyKey)
	runOneStep(&m, 0, hash, dst, src, ad, key, nonce)
}

// runOneStep does a whole message of at most maxOneStep bytes, additional data included.
func runOneStep(m *onePass, flags int, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	impl.CheckCall(len(src) + len(ad))
	m.setNonce(nonce, 0)
	m.lengths = [2]uint64{uint64(len(ad)), uint64(len(src))}
	cryptAVX512(&m.counter, key, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), flags|lastCall)
	m.copyTag(tag)
}

// run does a whole message, whose text begins with a block, in one call of assembly if it is
// short enough. The last call clears h, r and s.
func (m *onePass) run(flags int, block uint64, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	m.setNonce(nonce, block)
	m.lengths = [2]uint64{uint64(len(ad)), uint64(len(src))}
	if len(ad) > impl.MaxCall-len(src) {
		dst, src, ad, flags = m.most(dst, src, ad, key, flags)
	}
	m.crypt(dst, src, ad, key, flags|lastCall)
	m.copyTag(tag)
}

// copyTag copies m.tag to tag and wipes it: it may be the tag of a forged message.
func (m *onePass) copyTag(tag *[TagSize]byte) {
	binary.LittleEndian.PutUint64(tag[0:], m.tag[0])
	binary.LittleEndian.PutUint64(tag[8:], m.tag[1])
	m.tag = [2]uint64{}
}

// most does all but the last call, and returns what is left for that.
func (m *onePass) most(dst, src, ad []byte, key *[KeySize]byte, flags int) (_, _, _ []byte, _ int) {
	const data, text = impl.MaxCall / 4, impl.MaxCall / 4 * 3
	for len(ad) > data {
		m.crypt(nil, nil, ad[:data], key, flags)
		ad, flags = ad[data:], flags&^firstCall
	}
	for size := text; len(src) > size; size = impl.MaxCall {
		m.crypt(dst[:size], src[:size], ad, key, flags)
		dst, src, ad, flags = dst[size:], src[size:], nil, flags&^firstCall
	}
	return dst, src, ad, flags
}

func (m *onePass) crypt(dst, src, ad []byte, key *[KeySize]byte, flags int) {
	impl.CheckCall(len(src) + len(ad))
	switch on.Level {
	case cpu.AVX512IFMA, cpu.AVX2:
		cryptAVX2(&m.counter, key, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), flags)
	case cpu.SSE41:
		cryptSSE41(&m.counter, key, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), flags)
	}
}
