// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"encoding/binary"
	"unsafe"

	"github.com/unimac/unimac/internal/dispatch"
)

const (
	firstCall = 1 << iota // computes r and s
	lastCall              // computes the tag
	opening
)

// A onePass is a message that cryptAVX2, cryptAVX512 or cryptSSE41 processes.
type onePass struct {
	message
	tag [2]uint64 // copied as the kernels store it: a wider load than the stores would stall
}

func sealOnePass(p path, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	m.run(p, firstCall, tag, dst, src, ad, key, nonce)
}

func openOnePass(p path, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	m.run(p, firstCall|opening, tag, dst, src, ad, key, nonce)
}

// openSIVOnePass decrypts src as if it sealed a message, because the kernels then hash
// ChaCha20's result, which is the plaintext here. The text starts with block 0.
func openSIVOnePass(p path, hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	m.setPolyKey(polyKey)
	m.run(p, 0, hash, dst, src, ad, key, nonce)
}

// cryptKeyed seals or opens a message under a Poly1305 key. Its text starts with block
// 1.
func cryptKeyed(p path, flags int, tag *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	m.setPolyKey(polyKey)
	m.counter = 1
	m.run(p, flags, tag, dst, src, ad, key, nonce)
}

// run processes a whole message. The last kernel call clears h, r and s.
func (m *onePass) run(p path, flags int, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	block := m.counter
	if flags&firstCall != 0 && p != onePassAVX512 {
		block = 1 // cryptAVX512 starts with the key's block
	}
	m.setNonce(nonce, block)
	m.lengths = [2]uint64{uint64(len(ad)), uint64(len(src))}
	if len(ad) > dispatch.MaxCall-len(src) {
		dst, src, ad, flags = m.allButLast(p, dst, src, ad, key, flags)
	}
	m.crypt(p, dst, src, ad, key, flags|lastCall)
	binary.LittleEndian.PutUint64(tag[0:], m.tag[0])
	binary.LittleEndian.PutUint64(tag[8:], m.tag[1])
	m.tag = [2]uint64{}
}

// allButLast makes all kernel calls except the last one, whose arguments it returns.
func (m *onePass) allButLast(p path, dst, src, ad []byte, key *[KeySize]byte, flags int) (_, _, _ []byte, _ int) {
	const data, text = dispatch.MaxCall / 4, dispatch.MaxCall / 4 * 3
	for len(ad) > data {
		m.crypt(p, nil, nil, ad[:data], key, flags)
		ad, flags = ad[data:], flags&^firstCall
	}
	for size := text; len(src) > size; size = dispatch.MaxCall {
		m.crypt(p, dst[:size], src[:size], ad, key, flags)
		dst, src, ad, flags = dst[size:], src[size:], nil, flags&^firstCall
	}
	return dst, src, ad, flags
}

func (m *onePass) crypt(p path, dst, src, ad []byte, key *[KeySize]byte, flags int) {
	dispatch.CheckCall(len(src) + len(ad))
	to, from, data := unsafe.SliceData(dst), unsafe.SliceData(src), unsafe.SliceData(ad)
	switch p {
	case onePassAVX512:
		cryptAVX512(&m.counter, key, to, from, len(src), data, len(ad), flags)
	case onePassAVX2:
		cryptAVX2(&m.counter, key, to, from, len(src), data, len(ad), flags)
	case onePassSSE41:
		cryptSSE41(&m.counter, key, to, from, len(src), data, len(ad), flags)
	}
}
