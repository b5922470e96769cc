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
	for i := range 8 {
		s[4+i] = key.Load(at+int64(4*i), 4)
	}
	return s
}

// ChaCha20Rounds returns the permutation of a state: ten double rounds.
func ChaCha20Rounds(c *term.Store, s ChaCha20State) ChaCha20State {
	quarter := func(a, b, d, e int) {
		step := func(a, b, d, k int) {
			s[a] = c.Add(s[a], s[b])
			s[d] = c.Rot(c.Xor(s[d], s[a]), k)
		}
		step(a, b, e, ChaCha20Rotations[0])
		step(d, e, b, ChaCha20Rotations[1])
		step(a, b, e, ChaCha20Rotations[2])
		step(d, e, b, ChaCha20Rotations[3])
	}
	for range ChaCha20DoubleRounds {
		for i := range 4 {
			quarter(i, 4+i, 8+i, 12+i)
		}
		for i := range 4 {
			quarter(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4)
		}
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
	for i := range 3 {
		s[13+i] = nonce.Load(int64(4*i), 4)
	}
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
	for i := range s {
		s[i] = o.Load(int64(4*i), 4)
	}
	return s
}

// ChaCha20Ahead returns the state of a block that comes so many after. RFC 8439 has a counter of 32
// bits.
func ChaCha20Ahead(c *term.Store, s ChaCha20State, blocks int64) ChaCha20State {
	s[12] = c.AddConst(s[12], uint64(blocks))
	return s
}
