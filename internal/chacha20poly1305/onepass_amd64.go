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

// onePassKeyed seals or opens a message with the Poly1305 key polyKey.
func onePassKeyed(p path, flags int, block uint64, tag *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var m onePass
	m.setNonce(nonce, block) // the keystream for the text starts with this block
	m.setPolyKey(polyKey)
	m.lengths = [2]uint64{uint64(len(ad)), uint64(len(src))}
	// Without firstCall, the kernel does not derive a Poly1305 key from block 0.
	m.run(p, flags|lastCall, dst, src, ad, key)
	m.storeTag(tag)
}

// run processes a message with one or more kernel calls. The last call clears h, r
// and s in m.
func (m *onePass) run(p path, flags int, dst, src, ad []byte, key *[KeySize]byte) {
	if len(src)+len(ad) > dispatch.MaxCall {
		m.runParts(p, flags, dst, src, ad, key)
		return
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

// runParts splits a long message into several calls of run. A loop in run would delay
// short messages.
func (m *onePass) runParts(p path, flags int, dst, src, ad []byte, key *[KeySize]byte) {
	for len(src)+len(ad) > dispatch.MaxCall {
		n, adLen := next(src, ad)
		m.run(p, flags&^lastCall, dst[:n], src[:n], ad[:adLen], key)
		dst, src, ad, flags = dst[n:], src[n:], ad[adLen:], flags&^firstCall
	}
	m.run(p, flags, dst, src, ad, key)
}

// storeTag stores the tag that the last call has computed.
func (m *onePass) storeTag(tag *[TagSize]byte) {
	binary.LittleEndian.PutUint64(tag[0:], m.tag[0])
	binary.LittleEndian.PutUint64(tag[8:], m.tag[1])
	m.tag = [2]uint64{}
}
