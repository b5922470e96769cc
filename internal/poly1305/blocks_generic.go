// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"encoding/binary"
	"math/bits"
)

// A message consists of blocks m_1 … m_n. Each block is a little-endian number with an
// additional 1 bit above the last byte. The tag of the message under the key r || s is
//
//	(m_1·r^n + m_2·r^(n-1) + … + m_n·r  mod 2^130 - 5) + s  mod 2^128
//
// where some bits of r are cleared. Horner's rule evaluates the polynomial in one step
// per block: h = (h + m_i)·r.

// State contains the accumulator h and the multiplier r. The assembly depends on the
// layout.
type State struct {
	// h is the accumulator h[0] + h[1]·2^64 + h[2]·2^128, which is not fully reduced.
	// Kernels accept h[2] <= 7 and store h[2] <= 4.
	h [3]uint64

	// r represents r[0] + r[1]·2^64. Both words are below 2^60, and r[1] is a multiple
	// of 4.
	r [2]uint64
}

// Reset starts a message under the same key.
func (s *State) Reset() { s.h = [3]uint64{} }

// SetKey resets s for a new message and sets r from the first half of key. The caller
// must pass the second half of key to Tag.
func (s *State) SetKey(key *[KeySize]byte) {
	s.h = [3]uint64{}
	// Clamp r (RFC 8439, section 2.5). The arithmetic relies on the cleared bits.
	s.r[0] = binary.LittleEndian.Uint64(key[0:]) & 0x0ffffffc0fffffff
	s.r[1] = binary.LittleEndian.Uint64(key[8:]) & 0x0ffffffc0ffffffc
}

// blocksGeneric sets h to (h + block)·r for each whole block in msg.
func blocksGeneric(s *State, msg []byte) {
	h0, h1, h2 := s.h[0], s.h[1], s.h[2]
	r0, r1 := s.r[0], s.r[1]
	q := r1 + r1>>2
	// The loop contains the code of multiply, which the compiler does not inline.
	for ; len(msg) >= BlockSize; msg = msg[BlockSize:] {
		var c uint64
		h0, c = bits.Add64(h0, binary.LittleEndian.Uint64(msg[0:8]), 0)
		h1, c = bits.Add64(h1, binary.LittleEndian.Uint64(msg[8:16]), c)
		h2 += c + 1

		hi0, lo0 := bits.Mul64(h0, r0)
		hi1, lo1 := bits.Mul64(h0, r1)
		hi, lo := bits.Mul64(h1, q)
		lo0, c = bits.Add64(lo0, lo, 0)
		hi0, _ = bits.Add64(hi0, hi, c)

		hi, lo = bits.Mul64(h1, r0)
		lo1, c = bits.Add64(lo1, lo, 0)
		hi1, _ = bits.Add64(hi1, hi, c)
		lo1, c = bits.Add64(lo1, h2*q, 0)
		hi1, _ = bits.Add64(hi1, h2*r0, c)

		lo1, c = bits.Add64(lo1, hi0, 0)
		top, _ := bits.Add64(hi1, 0, c)

		h0, c = bits.Add64(lo0, top&^3+top>>2, 0)
		h1, c = bits.Add64(lo1, 0, c)
		h2 = top&3 + c
	}
	s.h = [3]uint64{h0, h1, h2}
}

// multiply returns h·r mod 2^130 - 5, not fully reduced. The upper limb of h must be at
// most 9, and the upper limb of the result is at most 4.
//
// Because 2^130 is congruent to 5 and r1 is a multiple of 4, the terms from 2^128 up
// need no separate reduction: with q = 5·r1/4, h1·r1·2^128 is congruent to h1·q, and
// h2·r1·2^192 is congruent to h2·q·2^64. The remaining sum is
//
//	(h0·r0 + h1·q)  +  (h0·r1 + h1·r0 + h2·q)·2^64  +  h2·r0·2^128
//
// With r0, r1 < 2^60 and q < 1.25·2^60, the first parenthesis is below 2.25·2^124, the
// second below 2·2^124 + 12·2^60, and the last product below 9·2^60. So no sum exceeds
// its 128 or 64 bits, and the limb at 2^128 stays below 2^64. Its bits from 2^130 up
// are multiplied by 5 and added at the bottom. They contribute at most 5/4 of the limb,
// and therefore at most 13.75·2^60. There is no bit to spare: an upper limb of 11, or
// bits of r that are not cleared, could overflow. TestGenericBounds verifies these
// bounds.
func multiply(h0, h1, h2, r0, r1 uint64) (_, _, _ uint64) {
	q := r1 + r1>>2

	hi0, lo0 := bits.Mul64(h0, r0)
	hi, lo := bits.Mul64(h1, q)
	lo0, c := bits.Add64(lo0, lo, 0)
	hi0 += hi + c

	hi1, lo1 := bits.Mul64(h0, r1)
	hi, lo = bits.Mul64(h1, r0)
	lo1, c = bits.Add64(lo1, lo, 0)
	hi1 += hi + c
	lo1, c = bits.Add64(lo1, h2*q, 0)
	hi1 += c

	lo1, c = bits.Add64(lo1, hi0, 0)
	top := h2*r0 + hi1 + c

	h0, c = bits.Add64(lo0, top&^3+top>>2, 0)
	h1, c = bits.Add64(lo1, 0, c)
	return h0, h1, top&3 + c
}

// Tag sets *tag to the tag of the message under the key r || pad. The message consists
// of the blocks added so far and tail, which must be shorter than a block. Tag does not
// change s.
func (s *State) Tag(tag *[TagSize]byte, tail []byte, pad *[TagSize]byte) {
	h0, h1, h2 := s.h[0], s.h[1], s.h[2]
	var c uint64
	if len(tail) > 0 {
		low, high := lastBlock(tail)
		h0, c = bits.Add64(h0, low, 0)
		h1, c = bits.Add64(h1, high, c)
		h0, h1, h2 = multiply(h0, h1, h2+c, s.r[0], s.r[1])
	}

	// h is below 2p, where p = 2^130 - 5. If h is at least p, h - p equals the low 130
	// bits of h + 5. The tag needs only 128 bits.
	t0, c := bits.Add64(h0, 5, 0)
	t1, c := bits.Add64(h1, 0, c)
	mask := -((h2 + c) >> 2) // all ones if h + 5 is at least 2^130
	h0 ^= mask & (h0 ^ t0)
	h1 ^= mask & (h1 ^ t1)

	h0, c = bits.Add64(h0, binary.LittleEndian.Uint64(pad[0:]), 0)
	h1, _ = bits.Add64(h1, binary.LittleEndian.Uint64(pad[8:]), c)
	binary.LittleEndian.PutUint64(tag[0:], h0)
	binary.LittleEndian.PutUint64(tag[8:], h1)
}

// lastBlock pads tail, which is 1 to 15 bytes long, to a block of two words.
func lastBlock(tail []byte) (low, high uint64) {
	// Copying tail to a buffer would be slower: loading a word right after storing its
	// bytes would stall.
	n := len(tail)
	word := binary.LittleEndian
	switch {
	case n >= 8:
		high = word.Uint64(tail[n-8:]) >> (8 * (16 - n))
		return word.Uint64(tail), high | 1<<(8*(n-8))
	case n >= 4:
		low = uint64(word.Uint32(tail)) | uint64(word.Uint32(tail[n-4:]))<<(8*(n-4))
	default:
		low = uint64(tail[0]) | uint64(tail[n/2])<<(8*(n/2)) | uint64(tail[n-1])<<(8*(n-1))
	}
	return low | 1<<(8*n), 0 // Poly1305 sets the bit after the last byte
}
