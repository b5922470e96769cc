// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(loong64 || ppc64 || ppc64le || riscv64 || s390x)

package poly1305

import "math/bits"

// Sum stores the tag of m in out.
func Sum(out *[TagSize]byte, m []byte, key *[KeySize]byte) {
	var s State
	s.SetKey(key)
	whole := len(m) &^ (BlockSize - 1)
	if whole > 0 {
		s.Blocks(nil, m[:whole])
	}
	s.Tag(out, m[whole:], (*[TagSize]byte)(key[KeySize-TagSize:]))
}

// SumAEAD stores the tag of ad and text in out, as defined in RFC 8439, section 2.8.
func SumAEAD(out *[TagSize]byte, ad, text []byte, key *[KeySize]byte) {
	var s State
	s.SetKey(key)
	for _, part := range [2][]byte{ad, text} {
		whole := len(part) &^ (BlockSize - 1)
		if whole > 0 {
			s.Blocks(nil, part[:whole])
		}
		if rest := part[whole:]; len(rest) > 0 {
			s.block(PaddedBlock(rest))
		}
	}
	s.block(uint64(len(ad)), uint64(len(text)))
	s.Tag(out, nil, (*[TagSize]byte)(key[KeySize-TagSize:]))
	s = State{}
}

// block adds a whole block, given as two words, in plain Go.
func (s *State) block(low, high uint64) {
	h0, c := bits.Add64(s.h[0], low, 0)
	h1, c := bits.Add64(s.h[1], high, c)
	s.h[0], s.h[1], s.h[2] = multiply(h0, h1, s.h[2]+c+1, s.r[0], s.r[1])
}

// PaddedBlock pads tail with zeros to a whole block and returns the block as two words.
// tail must be 1 to 15 bytes long.
func PaddedBlock(tail []byte) (low, high uint64) {
	low, high = lastBlock(tail)
	n := len(tail)
	if n >= 8 {
		return low, high - 1<<(8*(n-8))
	}
	return low - 1<<(8*n), 0
}
