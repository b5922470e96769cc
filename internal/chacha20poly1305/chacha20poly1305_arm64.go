// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var choice dispatch.Choice

func init() { dispatch.Register("chacha20poly1305", &choice, cpu.NEON) }

// A onePass holds the state of a message between kernel calls.
type onePass struct {
	// Let c be the block number in counter. The next block of text uses keystream block
	// c+1. The first call takes r and s from block c. Later calls skip block c.
	message
	begun uint64 // 1 after the first call
}

func crypt(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte, open bool) {
	if choice.Level != cpu.NEON {
		cryptTwoPasses(tag, dst, src, ad, key, nonce, open)
		return
	}
	var m onePass
	m.begin(key, nonce)
	m.lengths = [2]uint64{uint64(len(ad)), uint64(len(src))}
	m.run(tag, dst, src, ad, open)
}

// openSIV decrypts a message and hashes its plaintext.
func openSIV(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	if choice.Level != cpu.NEON {
		openSIVTwoPasses(hash, dst, src, ad, polyKey, key, nonce)
		return
	}
	m := onePass{begun: 1}
	m.begin(key, nonce)
	m.counter-- // the kernel skips a block and carries the borrow from the nonce back
	m.setPolyKey(polyKey)
	m.lengths = [2]uint64{uint64(len(ad)), uint64(len(src))}
	// The sealing kernel authenticates its output, which is the plaintext here.
	m.run(hash, dst, src, ad, false)
}

// run processes a message with one or more kernel calls. The last call stores the tag
// if tag is not nil.
func (m *onePass) run(tag *[TagSize]byte, dst, src, ad []byte, open bool) {
	for len(src)+len(ad) > dispatch.MaxCall {
		n, adLen := next(src, ad)
		m.run(nil, dst[:n], src[:n], ad[:adLen], open)
		m.counter += uint64(n / 64)
		dst, src, ad = dst[n:], src[n:], ad[adLen:]
	}
	dispatch.CheckCall(len(src) + len(ad))
	if open {
		openNEON(m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), tag)
	} else {
		sealNEON(m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), tag)
	}
}

// sealNEON authenticates adLen bytes of additional data, encrypts n bytes of text and
// authenticates the ciphertext. adLen and n must add up to at most dispatch.MaxCall.
// adLen must be a multiple of 16 if a later call passes more additional data, and n
// must be a multiple of 64 if a later call passes more text. If tag is not nil,
// sealNEON also stores the tag and clears the secrets in m.
//
//go:noescape
func sealNEON(m *onePass, dst *byte, src *byte, n int, ad *byte, adLen int, tag *[16]byte)

//go:noescape
func openNEON(m *onePass, dst *byte, src *byte, n int, ad *byte, adLen int, tag *[16]byte)
