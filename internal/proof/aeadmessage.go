// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// What the Go code's message has, in bytes from its beginning.
const (
	aeadKey     = 16
	aeadCounter = 48
	aeadH       = 64
	aeadR       = 88
	aeadS       = 104
	aeadLengths = 120
	aeadBegun   = 136
	aeadSize    = 144
)

// An aeadMessage is what one call leaves to the next, and Poly1305 of it.
type aeadMessage struct {
	polyChain
	memory  *machine.Object
	counter term.Term // the lower half is the number of the next block
	h       polyNumber
	s       [2]term.Term
}

// declare makes a message. Its key is secret, and what came out of it. In a first call
// there is no h, r and s.
func (m *aeadMessage) declare(c *Case, first bool) {
	m.begin(c)
	o := Writable(c.Buffer("m", aeadSize))
	m.memory = o
	for i, v := range chachaConstants {
		o.Set(int64(4*i), c.Const(32, v))
	}
	m.counter = c.Input("counter", true)
	o.Set(aeadCounter, m.counter)
	o.Set(aeadCounter+8, c.Input("nonce", true))
	m.h = c.newPolyNumber("h", maxChain)
	m.s = [2]term.Term{c.Input("s0", false), c.Input("s1", false)}
	if first {
		zero := c.Const(64, 0)
		m.h = polyNumber{zero, zero, zero}
		o.Set(aeadBegun, zero)
		return
	}
	for i, t := range m.h {
		o.Set(aeadH+int64(8*i), t)
	}
	for i := range int64(2) {
		o.Set(aeadR+8*i, m.r[i])
		o.Set(aeadS+8*i, m.s[i])
	}
	o.Set(aeadBegun, c.NewLeaf(64, term.LeafInfo{Name: "begun", Public: true, Min: 1, Max: 1 << 60}))
}

// stream returns a byte of the key stream after the block that counter has. The number of a
// block has 64 bits here; callers end before its lower half does, which is RFC 8439's.
func (m *aeadMessage) stream(c *Case, i int64) term.Byte {
	type key struct{ block int64 }
	b, ok := c.Memo[key{i / 64}].([64]term.Byte)
	if !ok {
		s := c.chachaState(m.memory)
		number := c.AddConst(m.counter, uint64(i/64))
		s[12], s[13] = c.Low(number, 32), c.Low(c.Shr(number, 32), 32)
		b = c.chachaBlock(s)
		c.Memo[key{i / 64}] = b
	}
	return b[i%64]
}

// keyed is the cut at which r, s and h are there: r and s are from the key stream in a first
// call, with r clamped; they become the unknowns that other calls begin with.
func (m *aeadMessage) keyed(c *Case, s *machine.State, r [2]int, first bool) {
	word := func(at int64) term.Term {
		var b [8]term.Byte
		for i := range b {
			b[i] = m.stream(c, at+int64(i))
		}
		return c.Gather(b[:])
	}
	wantR, wantS := m.r, m.s
	if first {
		for i, mask := range poly1305Clamp {
			wantR[i], wantS[i] = c.And(word(int64(8*i)), c.Const(64, mask)), word(int64(16+8*i))
		}
	}
	for i := range 2 {
		at := int64(8 * i)
		for _, x := range []struct {
			name      string
			got, want term.Term
		}{
			{"r", s.Word(r[i], 8), wantR[i]}, {"r in memory", c.stored(s, m.memory, aeadR+at), wantR[i]},
			{"s in memory", c.stored(s, m.memory, aeadS+at), wantS[i]},
		} {
			if !c.equal(x.got, x.want) {
				machine.Fail("%s is %s, want %s", x.name, c.Format(x.got), c.Format(x.want))
			}
		}
		s.SetWord(r[i], m.r[i])
		if first {
			c.put(s, m.memory, aeadR+at, m.r[i])
			c.put(s, m.memory, aeadS+at, m.s[i])
		}
	}
	if h := m.get(s); h != m.h {
		machine.Fail("h begins with %s", c.Format(h[0]))
	}
}

// put sets 8 bytes of memory.
func (c *Case) put(s *machine.State, o *machine.Object, at int64, t term.Term) {
	var b [8]term.Byte
	c.Store.Bytes(b[:], t)
	for i, x := range b {
		s.Mem.Put(o, at+int64(i), x)
	}
}

// equal compares the bytes of words.
func (c *Case) equal(x, y term.Term) bool {
	var a, b [8]term.Byte
	c.Store.Bytes(a[:], x)
	c.Store.Bytes(b[:], y)
	for i := range a {
		if !c.Same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// poly1305Clamp are the bits of r.
var poly1305Clamp = [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}

// reachesFour and reachesAbove say in two ways that a word is at least 4.
func (c *Case) reachesFour(g2 term.Term) term.Term {
	return c.Xor(c.Borrow(g2, c.Const(64, 4), c.Const(8, 0)), c.Const(8, 1))
}

func (c *Case) reachesAbove(g2 term.Term) term.Term {
	return c.Xor(c.Zero(c.Shr(g2, 2)), c.Const(8, 1))
}

// polyTag returns (h mod p + s) mod 2^128, p the prime: h is below 2·p, as its upper word is
// at most maxChain; so h mod p is h, or h - p if h + 5 is 2^130 at least.
// That it is so far is a bit that is made of the upper word then.
func (c *Case) polyTag(h polyNumber, s [2]term.Term, reaches func(g2 term.Term) term.Term) (tag [2]term.Term) {
	none := c.Const(8, 0)
	add := func(x, y, carry term.Term) (sum, out term.Term) {
		return c.Add(c.Add(x, y), c.Extend(carry, 64)), c.Carry(x, y, carry)
	}
	zero := c.Const(64, 0)
	g0, carry := add(h[0], c.Const(64, 5), none)
	g1, carry := add(h[1], zero, carry)
	g2, _ := add(h[2], zero, carry)
	above := reaches(g2)
	tag[0], carry = add(c.Choose(above, g0, h[0]), s[0], none)
	tag[1], _ = add(c.Choose(above, g1, h[1]), s[1], carry)
	return tag
}
