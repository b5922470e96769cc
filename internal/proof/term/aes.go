// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

import (
	"math/bits"
	"sync"
)

// These functions implement AES (FIPS 197, section 5.1). A column is 4 bytes.
var (
	SubByte   = &Func{Name: "subbyte", Eval: func(_ int, _ uint64, a []uint64) uint64 { return uint64(sBoxes()[uint8(a[0])]) }}
	MixColumn = &Func{Name: "mixcolumn", Eval: func(_ int, _ uint64, a []uint64) uint64 {
		var out uint64
		for i := range 4 {
			b := func(j int) uint8 { return uint8(a[0] >> (8 * ((i + j) % 4))) }
			out |= uint64(times(b(0), 2)^times(b(1), 3)^b(2)^b(3)) << (8 * i)
		}
		return out
	}}
)

// times multiplies in the AES field, GF(2^8).
func times(a, b uint8) (p uint8) {
	for ; b != 0; b >>= 1 {
		if b&1 == 1 {
			p ^= a
		}
		a = a<<1 ^ a>>7*0x1b
	}
	return p
}

// sBoxes applies the affine map to each byte's inverse, a^254.
var sBoxes = sync.OnceValue(func() *[256]uint8 {
	var table [256]uint8
	for a := range table {
		inverse := uint8(1)
		for range 254 {
			inverse = times(inverse, uint8(a))
		}
		table[a] = 0x63
		for i := range 5 {
			table[a] ^= bits.RotateLeft8(inverse, i)
		}
	}
	return &table
})

// SubBytes sets dst to the S-box of each byte of src.
func (s *Store) SubBytes(dst, src []Byte) {
	for i := range src {
		s.Bytes(dst[i:i+1], s.Apply(SubByte, 8, 0, s.Gather(src[i:i+1])))
	}
}

// MixColumns sets dst to MixColumn of each column of src.
func (s *Store) MixColumns(dst, src []Byte) {
	for i := 0; i < len(src); i += 4 {
		s.Bytes(dst[i:i+4], s.Apply(MixColumn, 32, 0, s.Gather(src[i:i+4])))
	}
}

// ShiftRows rotates row i of the state left by i bytes (section 5.1.2).
func ShiftRows(dst, src []Byte) {
	for i := range 16 {
		dst[i] = src[(i+4*(i%4))%16]
	}
}
