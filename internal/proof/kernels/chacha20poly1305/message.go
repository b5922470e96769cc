// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// What the Go code's message has, in bytes from its beginning, and what follows it for NEON.
const (
	aeadKey     = 16
	aeadCounter = 48
	aeadNonce   = 56
	aeadH       = 64
	aeadR       = 88
	aeadS       = 104
	aeadLengths = 120
	aeadBegun   = 136
	aeadSize    = 144
)

// An aeadMessage is what one call leaves to the next, and Poly1305 of it.
type aeadMessage struct {
	poly1305.Chain
	memory  *machine.Object
	counter term.Term // the lower half is the number of the next block
	h       poly1305.Number
	s       [2]term.Term
}

// declare makes a message. Its key is secret, and what came out of it. In a first call
// there is no h, r and s.
func (m *aeadMessage) declare(c *engine.Case, first bool) {
	m.Begin(c)
	o := engine.Writable(c.Buffer("m", aeadSize))
	m.memory = o
	for i, v := range spec.ChaCha20Constants {
		o.Set(int64(4*i), c.Const(32, v))
	}
	m.counter = c.Input("counter", true)
	o.Set(aeadCounter, m.counter)
	o.Set(aeadNonce, c.Input("nonce", true))
	m.h = poly1305.NewNumber(c, "h", poly1305.MaxChain)
	m.s = [2]term.Term{c.Input("s0", false), c.Input("s1", false)}
	if first {
		zero := c.Const(64, 0)
		m.h = poly1305.Number{zero, zero, zero}
		o.Set(aeadBegun, zero)
		return
	}
	for i, t := range m.h {
		o.Set(aeadH+int64(8*i), t)
	}
	for i := range int64(2) {
		o.Set(aeadR+8*i, m.R[i])
		o.Set(aeadS+8*i, m.s[i])
	}
	o.Set(aeadBegun, c.NewLeaf(64, term.LeafInfo{Name: "begun", Public: true, Min: 1, Max: 1 << 60}))
}

// endsAfter says that the numbers of n bytes' blocks, from one on, stay in the lower half of a word, which is RFC
// 8439's counter: statements let the carry go on into the nonce.
func endsAfter(c *engine.Case, number term.Term) {
	blocks := c.Shr(c.AddConst(c.N, 63), 6)
	c.AtMost("the number after the last block", c.Add(c.Extend(c.Low(number, 32), 64), blocks), 1<<32)
}

// stream returns a byte of the key stream after the block that counter has.
func (m *aeadMessage) stream(c *engine.Case, i int64) term.Byte {
	type key struct{ block int64 }
	b, ok := c.Memo[key{i / 64}].([64]term.Byte)
	if !ok {
		s := spec.ChaCha20StateIn(c.Store, m.memory)
		number := c.AddConst(m.counter, uint64(i/64))
		s[12], s[13] = c.Low(number, 32), c.Low(c.Shr(number, 32), 32)
		b = spec.ChaCha20Block(c.Store, s)
		c.Memo[key{i / 64}] = b
	}
	return b[i%64]
}

// keyed is the claim that r, s and h are there: r and s are from the key stream in a first call, with
// r clamped; they become the unknowns that other calls begin with.
func (m *aeadMessage) keyed(c *engine.Case, s engine.View, r [2]int, first bool) *engine.Claim {
	word := func(at int64) term.Term {
		var b [8]term.Byte
		for i := range b {
			b[i] = m.stream(c, at+int64(i))
		}
		return c.Gather(b[:])
	}
	want := m.R
	for i, mask := range spec.Poly1305Clamp {
		if first {
			want[i] = c.And(word(int64(8*i)), c.Const(64, mask))
		}
	}
	a := m.Keyed(c, [2]term.Term{s.Word(r[0], 8), s.Word(r[1], 8)}, want,
		[]engine.Place{engine.InRegisters(r[0]), engine.In(m.memory, aeadR)}, []engine.Place{engine.InRegisters(r[1]), engine.In(m.memory, aeadR+8)})
	for i := range 2 {
		at := int64(8 * i)
		if first {
			a.Of[m.s[i]] = word(16 + at)
		}
		a.Has = append(a.Has, engine.Has{Place: engine.In(m.memory, aeadS+at), Term: m.s[i]})
	}
	if h := m.Get(s); h != m.h {
		machine.Fail("h begins with %s", c.Format(h[0]))
	}
	return a
}
