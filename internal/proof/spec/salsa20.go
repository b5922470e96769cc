// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package spec

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Salsa20State is the matrix of 16 words of 32 bits (Bernstein, "Salsa20 specification").
type Salsa20State [16]term.Term

// Salsa20Key returns the state of a key, without nonce and counter, which are words 6 to 9.
func Salsa20Key(c *term.Store, key *machine.Object) (s Salsa20State) {
	for i, v := range ChaCha20Constants { // "expand 32-byte k"
		s[5*i] = c.Const(32, v)
	}
	for i := range 4 {
		s[1+i] = key.Load(int64(4*i), 4)
		s[11+i] = key.Load(int64(16+4*i), 4)
	}
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
