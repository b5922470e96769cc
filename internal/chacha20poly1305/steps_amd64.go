// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/poly1305"
)

const (
	// stepBytes is the number of bytes that the kernels encrypt per iteration.
	stepBytes = 2048

	// firstBytes is the number of text bytes that the first iteration encrypts. The
	// first iteration also computes block 0.
	firstBytes = stepBytes - 64
)

// cryptShort seals a message, or opens it if opening is 1. The text must be 1 to 64
// bytes long, and the additional data at most 16 bytes.
func cryptShort(opening int, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	dispatch.CheckCall(len(src) + len(ad))
	own := *nonce
	shortAVX512IFMA(tag, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), key, &own, opening)
}

type ifmaState struct {
	keyStream [stepBytes]byte
	poly      poly1305.IFMA
	message
	warm    bool // the table of powers is complete
	squares int  // 1 if the powers for steps were computed, 2 for halved vectors
	stored  int  // number of bytes in keyStream
}

// ifmaPool contains only states that have been cleared.
var ifmaPool = sync.Pool{New: func() any { return new(ifmaState) }}

// free clears the secrets of s and returns s to the pool.
func (s *ifmaState) free() {
	clear(s.keyStream[:s.stored])
	if s.warm {
		// A second call would cost more than clearing the bytes between.
		clear(unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s))[stepBytes:])
	} else {
		s.message, s.stored = message{}, 0
	}
	ifmaPool.Put(s)
}

// sealSteps implements seal with AVX-512 IFMA. It processes 2048 bytes of text per
// step, and encryption runs almost one step ahead of authentication.
func sealSteps(p path, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	s := ifmaPool.Get().(*ifmaState)
	s.begin(key, nonce)
	at := min(len(src), firstBytes)
	s.first(at)
	s.prepare(p, len(ad), len(src))
	s.xor(dst[:at], src, 64) // while the powers are being computed
	s.encrypt(tag, dst, src, ad, at)
	s.free()
}

// openSIVSteps decrypts src with the sealing kernels, because these kernels
// authenticate their output, and SIV authenticates the plaintext.
func openSIVSteps(p path, hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	s := ifmaPool.Get().(*ifmaState)
	s.begin(key, nonce)
	s.setPolyKey(polyKey)
	s.prepare(p, len(ad), len(src))
	at := min(len(src), stepBytes)
	if at > 0 {
		s.stream(at)
		s.xor(dst[:at], src, 0)
	}
	s.encrypt(hash, dst, src, ad, at)
	s.free()
}

// encrypt processes a message whose first at bytes of text are already encrypted.
func (s *ifmaState) encrypt(tag *[TagSize]byte, dst, src, ad []byte, at int) {
	s.fillTable()
	s.authenticate(ad)
	done := 0
	for len(src)-at >= stepBytes {
		n := min(len(src)-at, dispatch.MaxCall) / stepBytes * stepBytes
		s.steps(dst[at:at+n], src[at:at+n], dst[done:done+n])
		at, done = at+n, done+n
	}
	if at < len(src) {
		s.stream(len(src) - at)
		s.xor(dst[at:], src[at:], 0)
	}
	s.finish(tag, dst[done:], len(ad), len(src))
}

// openSteps implements open with AVX-512 IFMA. If dst is src, it authenticates each
// part of the text before it decrypts the part, because decrypting overwrites the
// ciphertext. Otherwise, it decrypts the beginning of the text immediately, while the
// powers of r are being computed.
func openSteps(p path, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	s := ifmaPool.Get().(*ifmaState)
	s.begin(key, nonce)
	at := min(len(src), firstBytes)
	s.first(at)
	s.prepare(p, len(ad), len(src))
	inPlace := unsafe.SliceData(dst) == unsafe.SliceData(src)
	if !inPlace {
		s.xor(dst[:at], src, 64)
	}
	s.fillTable()
	s.authenticate(ad)
	done := 0
	if len(src) >= firstBytes+2*stepBytes {
		done = firstBytes + stepBytes
		s.authenticate(src[:done])
		if inPlace {
			s.xor(dst[:at], src, 64)
		}
	}
	for done > 0 && len(src)-done >= stepBytes {
		n := min(len(src)-done, dispatch.MaxCall) / stepBytes * stepBytes
		s.steps(dst[at:at+n], src[at:at+n], src[done:done+n])
		at, done = at+n, done+n
	}
	s.finish(tag, src[done:], len(ad), len(src))
	if done == 0 && inPlace {
		s.xor(dst[:at], src, 64)
	}
	s.crypt(dst[at:], src[at:])
	s.free()
}

// xorSteps implements xorSIV with 32 blocks at a time.
func xorSteps(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	s := ifmaPool.Get().(*ifmaState)
	s.begin(key, nonce)
	s.crypt(dst, src)
	s.free()
}

// crypt encrypts src, starting with the next block.
func (s *ifmaState) crypt(dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), stepBytes)
		s.stream(n)
		s.xor(dst[:n], src, 0)
		dst, src = dst[n:], src[n:]
	}
}

// first sets the Poly1305 key from keystream block 0. It also computes the first n
// bytes of keystream for the text.
func (s *ifmaState) first(n int) {
	s.stream(64 + n)
	s.setPolyKey((*[KeySize]byte)(s.keyStream[:]))
}

// stream computes n bytes of keystream. The kernel rounds the number of blocks up to 4,
// 8, 16, 24 or 32.
func (s *ifmaState) stream(n int) {
	dispatch.CheckCall(n)
	keyStreamAVX512IFMA(&s.message, &s.keyStream[0], (n+63)/64)
	stored := 256
	if n > 256 {
		stored = (n + 511) &^ 511
	}
	s.stored = max(s.stored, stored)
}

// xor encrypts a text with the keystream at an offset.
func (s *ifmaState) xor(dst, src []byte, offset int) {
	dispatch.CheckCall(len(dst))
	if len(dst) > 0 {
		xorAVX512IFMA(&dst[0], &src[0], &s.keyStream[offset], len(dst))
	}
}

// steps encrypts or decrypts src, whose length must be a multiple of 2048. At the same
// time, it authenticates the first len(src) bytes of text, which is a different part of
// the message.
func (s *ifmaState) steps(dst, src, text []byte) {
	dispatch.CheckCall(len(src))
	to, from, hashed, n := unsafe.SliceData(dst), unsafe.SliceData(src), unsafe.SliceData(text), len(src)/stepBytes
	if s.squares == 1 {
		cryptAVX512IFMA(&s.message, s.poly.Table(), to, from, hashed, n)
	} else {
		cryptHalvedAVX512IFMA(&s.message, s.poly.Table(), to, from, hashed, n)
	}
}

// prepare computes the powers of r that fillTable needs. It does nothing if the message
// is too short for a table.
func (s *ifmaState) prepare(p path, ad, text int) {
	if ad+text < minTable {
		return
	}
	s.warm = true
	if text >= firstBytes+stepBytes {
		if s.squares = 1; p == halvedSteps {
			s.squares = 2
		}
	}
	s.poly.SetPowers(&s.r, s.squares)
}

func (s *ifmaState) fillTable() {
	if s.warm {
		s.poly.SetTable(s.squares > 0)
	}
}

// authenticate adds text, padded with zeros to a complete block, to h.
func (s *ifmaState) authenticate(text []byte) {
	rest := s.wholeBlocks(text)
	if len(rest) > 0 {
		low, high := poly1305.PaddedBlock(rest)
		block := [2]uint64{low, high}
		s.hash().BlocksAMD64((*byte)(unsafe.Pointer(&block)), 1)
	}
}

// hash returns the fields h and r, which are adjacent in memory, as a poly1305.State.
func (m *message) hash() *poly1305.State { return (*poly1305.State)(unsafe.Pointer(&m.h)) }

// wholeBlocks adds the complete blocks of text to h and returns the rest.
func (s *ifmaState) wholeBlocks(text []byte) (rest []byte) {
	for len(text) >= 16 {
		n := min(len(text)&^15, dispatch.MaxCall)
		if s.warm && n >= minVectors {
			s.poly.Blocks(s.hash(), unsafe.SliceData(text), n/16)
		} else {
			s.hash().BlocksAMD64(unsafe.SliceData(text), n/16)
		}
		text = text[n:]
	}
	return text
}

// finish hashes the remaining text and both lengths, and then stores the tag.
func (s *ifmaState) finish(tag *[TagSize]byte, last []byte, ad, text int) {
	last = s.wholeBlocks(last)
	blocks := [2][2]uint64{1: {uint64(ad), uint64(text)}}
	if len(last) > 0 {
		blocks[0][0], blocks[0][1] = poly1305.PaddedBlock(last)
		s.hash().BlocksAMD64((*byte)(unsafe.Pointer(&blocks[0])), 2)
	} else {
		s.hash().BlocksAMD64((*byte)(unsafe.Pointer(&blocks[1])), 1)
	}
	s.storeTag(tag)
}

// storeTag reduces h, adds s and stores the tag.
func (m *message) storeTag(tag *[TagSize]byte) {
	h0, h1, h2 := m.h[0], m.h[1], m.h[2]
	// h is below 2p, where p = 2^130 - 5. If h is at least p, subtract p by adding 5
	// and discarding bit 130. The tag needs only the low 128 bits.
	t0, c := bits.Add64(h0, 5, 0)
	t1, c := bits.Add64(h1, 0, c)
	mask := -((h2 + c) >> 2)
	h0 ^= mask & (h0 ^ t0)
	h1 ^= mask & (h1 ^ t1)
	h0, c = bits.Add64(h0, m.s[0], 0)
	h1, _ = bits.Add64(h1, m.s[1], c)
	binary.LittleEndian.PutUint64(tag[0:], h0)
	binary.LittleEndian.PutUint64(tag[8:], h1)
}
