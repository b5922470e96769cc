// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimixer computes Multimixer-128 digests for the public package of the same
// name, which documents the algorithm.
package multimixer

import (
	"encoding/binary"

	"github.com/unimac/unimac/internal/dispatch"
)

//go:generate go -C ../asm run . internal/multimixer

const (
	BlockSize  = 32
	DigestSize = 64
)

// maxSum is the maximum number of message bytes per kernel call. It is half of
// dispatch.MaxCall because the kernel also reads the same number of key bytes.
const maxSum = dispatch.MaxCall / 2

// F128 applies f_128 (definition 9 of the Multimixer-128 paper) to x[:4] and x[4:].
func F128(x *[8]uint32) [8]uint64 {
	var z [8]uint64
	multiply((*[4]uint64)(z[:4]), x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
	u0, u1, u2, u3 := triples(x[0], x[1], x[2], x[3])
	v3, v0, v1, v2 := triples(x[4], x[5], x[6], x[7])
	multiply((*[4]uint64)(z[4:]), u0, u1, u2, u3, v0, v1, v2, v3)
	return z
}

// Digest stores the digest of msg under key in dst. If the lengths of key and msg
// differ or are not a positive multiple of 32, it returns false and does not change
// dst. Digest loads everything before it stores anything because the buffers may
// overlap.
func Digest(dst *[DigestSize]byte, key, msg []byte) bool {
	if len(key) != len(msg) || len(msg) == 0 || len(msg)%BlockSize != 0 {
		return false
	}
	if len(msg) == BlockSize {
		k, m := (*[BlockSize]byte)(key), (*[BlockSize]byte)(msg)
		x0, x1, x2, x3 := word(m, 0)+word(k, 0), word(m, 1)+word(k, 1), word(m, 2)+word(k, 2), word(m, 3)+word(k, 3)
		y0, y1, y2, y3 := word(m, 4)+word(k, 4), word(m, 5)+word(k, 5), word(m, 6)+word(k, 6), word(m, 7)+word(k, 7)
		u0, u1, u2, u3 := triples(x0, x1, x2, x3)
		v3, v0, v1, v2 := triples(y0, y1, y2, y3)
		putProducts((*[DigestSize / 2]byte)(dst[:]), x0, x1, x2, x3, y0, y1, y2, y3)
		putProducts((*[DigestSize / 2]byte)(dst[DigestSize/2:]), u0, u1, u2, u3, v0, v1, v2, v3)
		return true
	}
	if len(msg) <= maxSum {
		digestBlocks(dst, key, msg)
		return true
	}
	var s Sum
	s.Add(key, msg)
	s.Digest(dst)
	return true
}

// A Sum is a digest to which blocks can be added.
type Sum [8]uint64

// Add adds the digest of msg under key to s. key and msg must have the same length, a
// multiple of 32.
func (s *Sum) Add(key, msg []byte) {
	for len(msg) > 0 {
		n := min(len(msg), maxSum)
		var digest [DigestSize]byte
		digestBlocks(&digest, key[:n], msg[:n])
		s.addDigest(&digest)
		key, msg = key[n:], msg[n:]
	}
}

func (s *Sum) addDigest(digest *[DigestSize]byte) {
	s[0] += binary.LittleEndian.Uint64(digest[0:])
	s[1] += binary.LittleEndian.Uint64(digest[8:])
	s[2] += binary.LittleEndian.Uint64(digest[16:])
	s[3] += binary.LittleEndian.Uint64(digest[24:])
	s[4] += binary.LittleEndian.Uint64(digest[32:])
	s[5] += binary.LittleEndian.Uint64(digest[40:])
	s[6] += binary.LittleEndian.Uint64(digest[48:])
	s[7] += binary.LittleEndian.Uint64(digest[56:])
}

// Digest stores the sum in dst. The stores are unrolled because a loop would be slower.
func (s *Sum) Digest(dst *[DigestSize]byte) {
	binary.LittleEndian.PutUint64(dst[0:], s[0])
	binary.LittleEndian.PutUint64(dst[8:], s[1])
	binary.LittleEndian.PutUint64(dst[16:], s[2])
	binary.LittleEndian.PutUint64(dst[24:], s[3])
	binary.LittleEndian.PutUint64(dst[32:], s[4])
	binary.LittleEndian.PutUint64(dst[40:], s[5])
	binary.LittleEndian.PutUint64(dst[48:], s[6])
	binary.LittleEndian.PutUint64(dst[56:], s[7])
}

func putProducts(dst *[DigestSize / 2]byte, a0, a1, a2, a3, b0, b1, b2, b3 uint32) {
	binary.LittleEndian.PutUint64(dst[0:], uint64(a0)*uint64(b0))
	binary.LittleEndian.PutUint64(dst[8:], uint64(a1)*uint64(b1))
	binary.LittleEndian.PutUint64(dst[16:], uint64(a2)*uint64(b2))
	binary.LittleEndian.PutUint64(dst[24:], uint64(a3)*uint64(b3))
}
