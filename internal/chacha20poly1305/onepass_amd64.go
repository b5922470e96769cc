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
	tag [2]uint64 // loaded in the words that kernels store: a wider load would stall
}

// start sets the nonce, the number of the first block, and the lengths of the
// additional data and the text.
func (m *onePass) start(nonce *[NonceSize]byte, block uint64, ad, text int) {
	m.setNonce(nonce, block)
	m.lengths = [2]uint64{uint64(ad), uint64(text)}
}

// keyed seals or opens a message. It takes the Poly1305 key from polyKey instead of
// deriving it from block 0. The keystream for the text starts at the given block.
func (m *onePass) keyed(p path, flags int, block uint64, tag *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	m.start(nonce, block, len(ad), len(src))
	m.setPolyKey(polyKey)
	m.run(p, flags|lastCall, dst, src, ad, key)
	m.storeTag(tag)
}

// firstBlock returns the number of the block with which a path's first kernel call
// starts. cryptAVX512 starts with block 0, which contains the Poly1305 key. The other
// kernels start with block 1, the first one for the text, and compute block 0
// separately.
func firstBlock(p path) uint64 {
	if p == onePassAVX512 {
		return 0
	}
	return 1
}

// run processes a message, in several kernel calls if the message is long. The last
// call clears h, r and s.
func (m *onePass) run(p path, flags int, dst, src, ad []byte, key *[KeySize]byte) {
	if len(ad) > dispatch.MaxCall-len(src) {
		dst, src, ad, flags = m.allButLast(p, flags, dst, src, ad, key)
	}
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

// allButLast makes all kernel calls except the last, whose arguments it returns.
func (m *onePass) allButLast(p path, flags int, dst, src, ad []byte, key *[KeySize]byte) (_, _, _ []byte, _ int) {
	const data, text = dispatch.MaxCall / 4, dispatch.MaxCall / 4 * 3
	for flags &^= lastCall; len(ad) > data; ad, flags = ad[data:], flags&^firstCall {
		m.run(p, flags, nil, nil, ad[:data], key)
	}
	for size := text; len(src) > size; size = dispatch.MaxCall {
		m.run(p, flags, dst[:size], src[:size], ad, key)
		dst, src, ad, flags = dst[size:], src[size:], nil, flags&^firstCall
	}
	return dst, src, ad, flags | lastCall
}

// storeTag stores the tag that the last call has computed.
func (m *onePass) storeTag(tag *[TagSize]byte) {
	binary.LittleEndian.PutUint64(tag[0:], m.tag[0])
	binary.LittleEndian.PutUint64(tag[8:], m.tag[1])
	m.tag = [2]uint64{}
}
