// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"sync"
	"unsafe"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/poly1305"
)

const (
	// stepBytes is the number of bytes that the kernels encrypt per iteration.
	stepBytes = 2048

	// The first iteration encrypts only firstBytes bytes, because it also computes
	// block 0.
	firstBytes = stepBytes - 64
)

// cryptShort seals a message if open is 0, or opens it if open is 1. The text must be 1
// to 64 bytes long, and the additional data at most 16 bytes.
func cryptShort(open int, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	dispatch.CheckCall(len(src) + len(ad))
	own := *nonce
	shortAVX512IFMA(tag, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad), key, &own, open)
}

type ifmaState struct {
	keyStream [stepBytes]byte
	poly      poly1305.IFMA
	message
	usesTable bool // the message is long enough for the table of powers
	squares   int  // 1 if the powers for steps were computed, 2 for halved vectors
	stored    int  // number of bytes in keyStream
}

// ifmaPool contains only states that have been cleared.
var ifmaPool = sync.Pool{New: func() any { return new(ifmaState) }}

// free clears the secrets of s and returns s to the pool.
func (s *ifmaState) free() {
	clear(s.keyStream[:s.stored])
	if s.usesTable {
		// A second call would cost more than clearing the bytes between.
		clear(unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s))[stepBytes:])
	} else {
		s.message, s.stored = message{}, 0
	}
	ifmaPool.Put(s)
}

// cryptSteps implements crypt with AVX-512 IFMA, in steps of 2048 bytes.
func cryptSteps(p path, tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte, open bool) {
	s := ifmaPool.Get().(*ifmaState)
	s.begin(key, nonce)
	at := min(len(src), firstBytes)
	s.stream(64 + at)
	s.setPolyKey((*[KeySize]byte)(s.keyStream[:]))
	s.prepare(p, len(ad), len(src))
	if open {
		s.decrypt(tag, dst, src, ad, at)
	} else {
		s.xor(dst[:at], src, 64) // while the powers are being computed
		s.encrypt(tag, dst, src, ad, at)
	}
	s.free()
}

// openSIVSteps implements openSIV with AVX-512 IFMA, in steps of 2048 bytes.
func openSIVSteps(p path, hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	s := ifmaPool.Get().(*ifmaState)
	s.begin(key, nonce)
	s.setPolyKey(polyKey)
	s.prepare(p, len(ad), len(src))
	at := min(len(src), stepBytes)
	s.crypt(dst[:at], src[:at])
	// encrypt authenticates the contents of dst, which are the plaintext here.
	s.encrypt(hash, dst, src, ad, at)
	s.free()
}

// encrypt processes a message whose first at bytes of text are already encrypted.
func (s *ifmaState) encrypt(tag *[TagSize]byte, dst, src, ad []byte, at int) {
	s.fillTable()
	s.authenticate(ad, false)
	n := 0
	if at < len(src) {
		// Encryption stays about one step ahead of authentication.
		n = s.steps(dst[at:], src[at:], dst)
		s.crypt(dst[at+n:], src[at+n:])
	}
	s.storeTag(tag, dst[n:])
}

// decrypt opens a message. s.keyStream must contain the keystream for src[:at].
func (s *ifmaState) decrypt(tag *[TagSize]byte, dst, src, ad []byte, at int) {
	// In place, authenticate each part of the text before decrypting overwrites it.
	inPlace := unsafe.SliceData(dst) == unsafe.SliceData(src)
	if !inPlace {
		s.xor(dst[:at], src, 64) // while the powers are being computed
	}
	s.fillTable()
	s.authenticate(ad, false)
	done := 0
	if len(src) >= firstBytes+2*stepBytes {
		done = firstBytes + stepBytes
		s.authenticate(src[:done], false)
		if inPlace {
			s.xor(dst[:at], src, 64)
		}
		n := s.steps(dst[at:], src[at:], src[done:])
		at, done = at+n, done+n
	}
	s.storeTag(tag, src[done:])
	if done == 0 && inPlace {
		s.xor(dst[:at], src, 64)
	}
	s.crypt(dst[at:], src[at:])
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

// steps encrypts or decrypts src[:n] and, at the same time, authenticates text[:n].
func (s *ifmaState) steps(dst, src, text []byte) (n int) {
	// Process as many whole steps as both src and text contain.
	for left := min(len(src), len(text)) / stepBytes * stepBytes; left > 0; {
		size := min(left, dispatch.MaxCall)
		dispatch.CheckCall(size)
		if s.squares == 1 {
			cryptAVX512IFMA(&s.message, s.poly.Table(), &dst[n], &src[n], &text[n], size/stepBytes)
		} else {
			cryptHalvedAVX512IFMA(&s.message, s.poly.Table(), &dst[n], &src[n], &text[n], size/stepBytes)
		}
		n, left = n+size, left-size
	}
	return n
}

// prepare sets s.lengths and, if a table is worthwhile, computes the powers of r for
// it.
func (s *ifmaState) prepare(p path, ad, text int) {
	s.lengths = [2]uint64{uint64(ad), uint64(text)}
	if ad+text < minTable {
		return
	}
	s.usesTable = true
	if text >= firstBytes+stepBytes {
		if s.squares = 1; p == halvedSteps {
			s.squares = 2
		}
	}
	s.poly.SetPowers(&s.r, s.squares)
}

func (s *ifmaState) fillTable() {
	if s.usesTable {
		s.poly.SetTable(s.squares > 0)
	}
}

// authenticate adds text to h, padded with zeros to whole blocks. If last is true, it
// also adds the block that contains the lengths.
func (s *ifmaState) authenticate(text []byte, last bool) {
	for len(text) >= 16 {
		n := min(len(text)&^15, dispatch.MaxCall)
		if s.usesTable && n >= minVectors {
			s.poly.Blocks(s.hash(), unsafe.SliceData(text), n/16)
		} else {
			s.hash().BlocksAMD64(unsafe.SliceData(text), n/16)
		}
		text = text[n:]
	}
	blocks, n := [2][2]uint64{}, 0
	if len(text) > 0 {
		blocks[0][0], blocks[0][1] = poly1305.PaddedBlock(text)
		n++
	}
	if last {
		blocks[n] = s.lengths
		n++
	}
	if n > 0 {
		s.hash().BlocksAMD64((*byte)(unsafe.Pointer(&blocks)), n)
	}
}

// hash returns the fields h and r, which are adjacent in memory, as a poly1305.State.
func (m *message) hash() *poly1305.State { return (*poly1305.State)(unsafe.Pointer(&m.h)) }

// storeTag authenticates the remaining text and the lengths, and stores the tag.
func (s *ifmaState) storeTag(tag *[TagSize]byte, text []byte) {
	s.authenticate(text, true)
	s.hash().Tag(tag, nil, (*[TagSize]byte)(unsafe.Pointer(&s.s)))
}
