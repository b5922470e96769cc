// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"encoding/binary"
	"math/bits"
)

// A state consists of four rows of four words. The first row contains constants, the
// next two rows contain the key, and the last row contains the counter and the nonce.
type state [16]uint32

// initialState returns the state for a key, with zeros for the counter and nonce.
func initialState(key *[KeySize]byte) state {
	s := state{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} // "expand 32-byte k"
	for i := range 8 {
		s[4+i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	return s
}

// rounds performs ten double rounds, each over the columns and the diagonals.
func (s *state) rounds() {
	x0, x1, x2, x3 := s[0], s[1], s[2], s[3]
	x4, x5, x6, x7 := s[4], s[5], s[6], s[7]
	x8, x9, x10, x11 := s[8], s[9], s[10], s[11]
	x12, x13, x14, x15 := s[12], s[13], s[14], s[15]
	for range 10 {
		x0, x4, x8, x12 = quarterRound(x0, x4, x8, x12)
		x1, x5, x9, x13 = quarterRound(x1, x5, x9, x13)
		x2, x6, x10, x14 = quarterRound(x2, x6, x10, x14)
		x3, x7, x11, x15 = quarterRound(x3, x7, x11, x15)

		x0, x5, x10, x15 = quarterRound(x0, x5, x10, x15)
		x1, x6, x11, x12 = quarterRound(x1, x6, x11, x12)
		x2, x7, x8, x13 = quarterRound(x2, x7, x8, x13)
		x3, x4, x9, x14 = quarterRound(x3, x4, x9, x14)
	}
	*s = state{x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15}
}

func quarterRound(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	a += b
	d = bits.RotateLeft32(d^a, 16)
	c += d
	b = bits.RotateLeft32(b^c, 12)
	a += b
	d = bits.RotateLeft32(d^a, 8)
	c += d
	b = bits.RotateLeft32(b^c, 7)
	return a, b, c, d
}

// xorGeneric implements XORKeyStream in plain Go, without checking arguments. Each
// keystream block is the sum of the initial state and the result of permuting it.
func xorGeneric(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	initial := initialState(key)
	initial[14] = binary.LittleEndian.Uint32(nonce[:])
	initial[15] = binary.LittleEndian.Uint32(nonce[4:])
	initial[13] = uint32(counter >> 32)
	var columns state
	columns.set(&initial)
	for ; len(src) > 0; counter++ {
		if initial[12] = uint32(counter); initial[13] != uint32(counter>>32) {
			initial[13] = uint32(counter >> 32)
			columns.set(&initial)
		}
		if len(src) < BlockSize {
			var last [BlockSize]byte
			copy(last[:], src)
			initial.xorBlock(&columns, &last, &last)
			copy(dst, last[:len(src)])
			return
		}
		initial.xorBlock(&columns, (*[BlockSize]byte)(dst), (*[BlockSize]byte)(src))
		dst, src = dst[BlockSize:], src[BlockSize:]
	}
}

// set precomputes the first round for columns 1 to 3. The results are valid until the
// high half of the counter changes.
func (columns *state) set(initial *state) {
	// Column 0 contains the low half of the counter, which changes with each block.
	for i := 1; i < 4; i++ {
		columns[i], columns[4+i], columns[8+i], columns[12+i] = quarterRound(initial[i], initial[4+i], initial[8+i], initial[12+i])
	}
}

// xorBlock sets dst to src XOR the keystream block generated from initial. The caller
// must have called columns.set(initial).
func (initial *state) xorBlock(columns *state, dst, src *[BlockSize]byte) {
	// This code duplicates the method rounds, because a call would be slower.
	x0, x4, x8, x12 := quarterRound(initial[0], initial[4], initial[8], initial[12])
	x1, x2, x3 := columns[1], columns[2], columns[3]
	x5, x6, x7 := columns[5], columns[6], columns[7]
	x9, x10, x11 := columns[9], columns[10], columns[11]
	x13, x14, x15 := columns[13], columns[14], columns[15]
	for i := 0; ; i++ {
		x0, x5, x10, x15 = quarterRound(x0, x5, x10, x15)
		x1, x6, x11, x12 = quarterRound(x1, x6, x11, x12)
		x2, x7, x8, x13 = quarterRound(x2, x7, x8, x13)
		x3, x4, x9, x14 = quarterRound(x3, x4, x9, x14)
		if i == 9 {
			break
		}
		x0, x4, x8, x12 = quarterRound(x0, x4, x8, x12)
		x1, x5, x9, x13 = quarterRound(x1, x5, x9, x13)
		x2, x6, x10, x14 = quarterRound(x2, x6, x10, x14)
		x3, x7, x11, x15 = quarterRound(x3, x7, x11, x15)
	}
	xorWords(dst[0:], src[0:], x0+initial[0], x1+initial[1])
	xorWords(dst[8:], src[8:], x2+initial[2], x3+initial[3])
	xorWords(dst[16:], src[16:], x4+initial[4], x5+initial[5])
	xorWords(dst[24:], src[24:], x6+initial[6], x7+initial[7])
	xorWords(dst[32:], src[32:], x8+initial[8], x9+initial[9])
	xorWords(dst[40:], src[40:], x10+initial[10], x11+initial[11])
	xorWords(dst[48:], src[48:], x12+initial[12], x13+initial[13])
	xorWords(dst[56:], src[56:], x14+initial[14], x15+initial[15])
}

func xorWords(dst, src []byte, low, high uint32) {
	binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src)^(uint64(high)<<32|uint64(low)))
}

func hChaCha20Generic(out, key *[KeySize]byte, nonce *[16]byte) {
	s := initialState(key)
	for i := range 4 {
		s[12+i] = binary.LittleEndian.Uint32(nonce[4*i:])
	}
	s.rounds()
	for i := range 4 {
		binary.LittleEndian.PutUint32(out[4*i:], s[i])
		binary.LittleEndian.PutUint32(out[16+4*i:], s[12+i])
	}
}
