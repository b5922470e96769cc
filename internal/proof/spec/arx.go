// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package spec specifies what kernels must compute. Its functions follow the RFCs but
// return terms instead of numbers, and the prover compares these terms with those that
// a kernel computes.
package spec

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// The constants of RFC 8439, section 2.
var (
	ChaCha20Constants    = [4]uint64{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
	ChaCha20Rotations    = [4]int{16, 12, 8, 7}
	ChaCha20DoubleRounds = 10
)

// A ChaCha20State contains 16 words. Word 12 is the block counter.
type ChaCha20State [16]term.Term

// ChaCha20Key returns the state for key[at:at+32], with counter and nonce 0.
func ChaCha20Key(c *term.Store, key *machine.Object, at int64) (s ChaCha20State) {
	for i, v := range ChaCha20Constants {
		s[i] = c.Const(32, v)
	}
	copy(s[4:], key.Words(at, 8, 4, 4))
	return s
}

func quarters(c *term.Store, v *[16]term.Term, times int, rotations [4]int, word func(i int) term.Term) {
	for i := range 8 {
		by := i / 4 // number of columns to the right in the next row
		at := func(row int) *term.Term { return &v[4*row+(i+by*row)%4] }
		for half := range 2 {
			*at(0) = c.Add(*at(0), *at(1))
			if word != nil {
				*at(0) = c.Add(*at(0), word(2*i+half))
			}
			*at(3) = c.Rot(c.Xor(*at(3), *at(0)), times*rotations[2*half])
			*at(2) = c.Add(*at(2), *at(3))
			*at(1) = c.Rot(c.Xor(*at(1), *at(2)), times*rotations[2*half+1])
		}
	}
}

// ChaCha20Rounds returns the state after ten double rounds.
func ChaCha20Rounds(c *term.Store, s ChaCha20State) ChaCha20State {
	for range ChaCha20DoubleRounds {
		quarters(c, (*[16]term.Term)(&s), 1, ChaCha20Rotations, nil)
	}
	return s
}

// ChaCha20Block returns the keystream block for the state s.
func ChaCha20Block(c *term.Store, s ChaCha20State) [64]term.Byte { return block(c, s, ChaCha20Rounds) }

// block returns s + rounds(c, s) in little-endian order. It computes a block once.
func block[S ~[16]term.Term](c *term.Store, s S, rounds func(*term.Store, S) S) [64]term.Byte {
	return term.Memo(c, s, func() (b [64]term.Byte) {
		for i, x := range rounds(c, s) {
			c.Bytes(b[4*i:4*i+4], c.Add(x, s[i]))
		}
		return b
	})
}

// Salsa20Key returns the state for a key, with nonce and counter 0: a matrix of 16 words
// (Bernstein, "Salsa20 specification").
func Salsa20Key(c *term.Store, key *machine.Object) (s [16]term.Term) {
	for i, v := range ChaCha20Constants { // "expand 32-byte k"
		s[5*i] = c.Const(32, v)
	}
	copy(s[1:5], key.Words(0, 4, 4, 4))
	copy(s[11:], key.Words(16, 4, 4, 4))
	return s
}

// Salsa20Block returns the keystream block for the state s, with 20 rounds.
func Salsa20Block(c *term.Store, s [16]term.Term) [64]term.Byte {
	type salsa20State [16]term.Term // not the key of a ChaCha20 block
	return block(c, salsa20State(s), func(c *term.Store, x salsa20State) salsa20State {
		for round := range 20 {
			for i := range 4 {
				at := func(j int) int { return (5*i + 4*j) % 16 } // a column, starting at the diagonal
				if round%2 == 1 {
					at = func(j int) int { return 4*i + (i+j)%4 } // a row
				}
				for j, by := range [4]int{7, 9, 13, 18} {
					to := at(j + 1)
					x[to] = c.Xor(x[to], c.Rot(c.Add(x[at(j)], x[at(j+3)]), by))
				}
			}
		}
		return x
	})
}

// BLAKE2bBlock is the size of a block in bytes.
const BLAKE2bBlock = 128

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

// BLAKE2bF returns F(h, m, t, f) as defined in RFC 7693, section 3.2. t is the number
// of bytes hashed so far, including m. f is all ones for the last block and 0
// otherwise.
func BLAKE2bF(c *term.Store, h [8]term.Term, m [16]term.Term, t, f term.Term) [8]term.Term {
	var v [16]term.Term
	for i := range 8 {
		v[i], v[8+i] = h[i], c.Const(64, BLAKE2bIV[i])
	}
	v[12], v[14] = c.Xor(v[12], t), c.Xor(v[14], f)
	for round := range BLAKE2bRounds { // G is ChaCha20's quarter round with message words, rotating to the right
		quarters(c, &v, -1, BLAKE2bRotations, func(i int) term.Term { return m[BLAKE2bSigma[round%10][i]] })
	}
	for i := range h {
		h[i] = c.Xor(h[i], c.Xor(v[i], v[8+i]))
	}
	return h
}
