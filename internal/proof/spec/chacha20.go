// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package spec has the functions of the RFCs, on terms: what kernels are proven to compute.
package spec

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// The numbers of RFC 8439, section 2.
var (
	ChaCha20Constants    = [4]uint64{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
	ChaCha20Rotations    = [4]int{16, 12, 8, 7}
	ChaCha20DoubleRounds = 10
)

// A ChaCha20State is a state of 16 words of 32 bits.
type ChaCha20State [16]term.Term

// ChaCha20Key returns the state of a key at a place (RFC 8439, section 2.3), without counter and
// nonce.
func ChaCha20Key(c *term.Store, key *machine.Object, at int64) (s ChaCha20State) {
	for i, v := range ChaCha20Constants {
		s[i] = c.Const(32, v)
	}
	key.Words(s[4:12], at, 4, 4)
	return s
}

// quarters does the quarter rounds of a double round: of columns, then of diagonals. Rotations are to the left, or, times
// -1, to the right; words are added, two in each quarter round, if there are any.
func quarters(c *term.Store, v *[16]term.Term, times int, rotations [4]int, word func(i int) term.Term) {
	for i := range 8 {
		by := i / 4 // columns to the right in the next row
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

// ChaCha20Rounds returns the permutation of a state: ten double rounds.
func ChaCha20Rounds(c *term.Store, s ChaCha20State) ChaCha20State {
	for range ChaCha20DoubleRounds {
		quarters(c, (*[16]term.Term)(&s), 1, ChaCha20Rotations, nil)
	}
	return s
}

// ChaCha20Block returns the block of key stream that a state makes.
func ChaCha20Block(c *term.Store, s ChaCha20State) [64]term.Byte {
	return term.Once(c, s, func() (b [64]term.Byte) {
		for i, x := range ChaCha20Rounds(c, s) {
			c.Bytes(b[4*i:4*i+4], c.Add(x, s[i]))
		}
		return b
	})
}

// ChaCha20Stream returns a block of key stream for a nonce of 12 bytes, by its number (RFC 8439, section 2.4).
func ChaCha20Stream(c *term.Store, key, nonce *machine.Object, number uint64) [64]term.Byte {
	s := ChaCha20Key(c, key, 0)
	s[12] = c.Const(32, number)
	nonce.Words(s[13:], 0, 4, 4)
	return ChaCha20Block(c, s)
}

// ChaCha20Numbered returns the state of a block by its number: of its 64 bits, RFC 8439 has the lower half as the
// counter, and what comes above it as a part of the nonce.
func ChaCha20Numbered(c *term.Store, s ChaCha20State, number term.Term) ChaCha20State {
	s[12], s[13] = c.Low(number, 32), c.Low(c.Shr(number, 32), 32)
	return s
}

// ChaCha20StateIn returns the state of ChaCha20 in memory, whose word 12 counts blocks.
func ChaCha20StateIn(c *term.Store, o *machine.Object) (s ChaCha20State) {
	o.Words(s[:], 0, 4, 4)
	return s
}

// ChaCha20Ahead returns the state of a block that comes so many after. RFC 8439 has a counter of 32
// bits.
func ChaCha20Ahead(c *term.Store, s ChaCha20State, blocks int64) ChaCha20State {
	s[12] = c.AddConst(s[12], uint64(blocks))
	return s
}

// A Salsa20State is the matrix of 16 words of 32 bits (Bernstein, "Salsa20 specification").
type Salsa20State [16]term.Term

// Salsa20Key returns the state of a key, without nonce and counter, which are words 6 to 9.
func Salsa20Key(c *term.Store, key *machine.Object) (s Salsa20State) {
	for i, v := range ChaCha20Constants { // "expand 32-byte k"
		s[5*i] = c.Const(32, v)
	}
	key.Words(s[1:5], 0, 4, 4)
	key.Words(s[11:15], 16, 4, 4)
	return s
}

// Salsa20Rounds returns the state after ten double rounds.
func Salsa20Rounds(c *term.Store, x Salsa20State) Salsa20State {
	quarter := func(y0, y1, y2, y3 int) {
		step := func(to, a, b, k int) { x[to] = c.Xor(x[to], c.Rot(c.Add(x[a], x[b]), k)) }
		step(y1, y0, y3, 7)
		step(y2, y1, y0, 9)
		step(y3, y2, y1, 13)
		step(y0, y3, y2, 18)
	}
	for range 10 {
		for i := range 4 { // columns, each from the diagonal on
			quarter(5*i, (5*i+4)%16, (5*i+8)%16, (5*i+12)%16)
		}
		for i := range 4 { // rows
			row := func(j int) int { return 4*i + (i+j)%4 }
			quarter(row(0), row(1), row(2), row(3))
		}
	}
	return x
}

// Salsa20Block returns the block of key stream that a state makes: ten double rounds, and the state.
func Salsa20Block(c *term.Store, s Salsa20State) [64]term.Byte {
	return term.Once(c, s, func() (b [64]term.Byte) {
		for i, x := range Salsa20Rounds(c, s) {
			c.Bytes(b[4*i:4*i+4], c.Add(x, s[i]))
		}
		return b
	})
}
