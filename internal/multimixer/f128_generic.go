// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import "encoding/binary"

// digestGeneric computes the digest of msg under key and stores it in dst. dst may
// overlap key and msg, because digestGeneric reads all blocks before it writes dst.
func digestGeneric(dst *[DigestSize]byte, key, msg []byte) {
	var s Sum
	s.addGeneric(key, msg)
	s.Digest(dst)
}

// addGeneric adds the digest of msg under key to s. key and msg must have the same
// length, a multiple of 32.
func (s *Sum) addGeneric(key, msg []byte) {
	for len(msg) >= BlockSize && len(key) >= BlockSize {
		k, m := (*[BlockSize]byte)(key), (*[BlockSize]byte)(msg)
		// Add the key to the message, word by word, and apply F128. As the definition
		// requires, 32-bit sums wrap modulo 2^32 and 64-bit sums wrap modulo 2^64.
		x0, x1, x2, x3 := word(m, 0)+word(k, 0), word(m, 1)+word(k, 1), word(m, 2)+word(k, 2), word(m, 3)+word(k, 3)
		y0, y1, y2, y3 := word(m, 4)+word(k, 4), word(m, 5)+word(k, 5), word(m, 6)+word(k, 6), word(m, 7)+word(k, 7)
		multiply((*[4]uint64)(s[:4]), x0, x1, x2, x3, y0, y1, y2, y3)
		u0, u1, u2, u3 := triples(x0, x1, x2, x3)
		v3, v0, v1, v2 := triples(y0, y1, y2, y3)
		multiply((*[4]uint64)(s[4:]), u0, u1, u2, u3, v0, v1, v2, v3)
		key, msg = key[BlockSize:], msg[BlockSize:]
	}
}

func word(block *[BlockSize]byte, i int) uint32 {
	return binary.LittleEndian.Uint32(block[4*i:])
}

// triples returns a_i + a_{i+1} + a_{i+2} for each i, with indices modulo 4.
func triples(a0, a1, a2, a3 uint32) (s0, s1, s2, s3 uint32) {
	p, q := a0+a1, a2+a3
	return p + a2, a1 + q, q + a0, a3 + p
}

func multiply(z *[4]uint64, a0, a1, a2, a3, b0, b1, b2, b3 uint32) {
	z[0] += uint64(a0) * uint64(b0)
	z[1] += uint64(a1) * uint64(b1)
	z[2] += uint64(a2) * uint64(b2)
	z[3] += uint64(a3) * uint64(b3)
}
