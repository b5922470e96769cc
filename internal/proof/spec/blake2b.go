// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package spec

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// BLAKE2bBlock is the size of a block in bytes.
const BLAKE2bBlock = 128

// A BLAKE2bChain is a chain value of 8 words.
type BLAKE2bChain [8]term.Term

// The constants of RFC 7693, sections 2.1, 2.6 and 2.7.
var (
	BLAKE2bRounds    = 12
	BLAKE2bRotations = [4]int{32, 24, 16, 63}
	BLAKE2bIV        = [8]uint64{
		0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
		0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
	}
	BLAKE2bSigma = [10][16]int64{
		{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
		{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
		{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
		{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
		{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
		{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
		{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
		{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
		{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
	}
)

// BLAKE2bF is F of RFC 7693, section 3.2, for the block at an offset: t is the number
// of bytes up to its end, f all ones for the last block.
func BLAKE2bF(c *term.Store, h BLAKE2bChain, blocks *machine.Object, at int64, t, f term.Term) BLAKE2bChain {
	var m [16]term.Term
	blocks.Words(m[:], at, 8, 8)
	return BLAKE2bWords(c, h, m, t, f)
}

// BLAKE2bWords is BLAKE2bF for the words of a block.
func BLAKE2bWords(c *term.Store, h BLAKE2bChain, m [16]term.Term, t, f term.Term) BLAKE2bChain {
	var v [16]term.Term
	for i := range 8 {
		v[i], v[8+i] = h[i], c.Const(64, BLAKE2bIV[i])
	}
	v[12], v[14] = c.Xor(v[12], t), c.Xor(v[14], f)
	for round := range BLAKE2bRounds { // of G, which is ChaCha20's quarter round with words of the block, and to the right
		quarters(c, &v, -1, BLAKE2bRotations, func(i int) term.Term { return m[BLAKE2bSigma[round%10][i]] })
	}
	for i := range h {
		h[i] = c.Xor(h[i], c.Xor(v[i], v[8+i]))
	}
	return h
}

// LoadBLAKE2bChain returns a chain value whose words are stride bytes apart.
func LoadBLAKE2bChain(c *term.Store, o *machine.Object, at, stride int64) (h BLAKE2bChain) {
	o.Words(h[:], at, stride, 8)
	return h
}
