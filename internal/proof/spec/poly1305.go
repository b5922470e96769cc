// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package spec

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Poly1305Block is the size of a block (RFC 8439, section 2.5).
const Poly1305Block = 16

var (
	Poly1305Prime  = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	Poly1305Marker = 128 // the bit that is set above a block
)

// Poly1305BlockAt returns a block of the message as a number, with the bit above it.
func Poly1305BlockAt(c *term.Store, a *algebra.Algebra, msg *machine.Object, at int64) algebra.Poly {
	low, high := msg.Load(at, 8), msg.Load(at+8, 8)
	a.Word(low)
	a.Word(high)
	return a.Number(64, low, high).Plus(algebra.Constant(Poly1305Marker))
}

// Poly1305Tag52 is Poly1305Tag for h in limbs of 52 bits, below 2·(2^130 - 5).
func Poly1305Tag52(c *term.Store, h [3]term.Term, s [2]term.Term) (tag [2]term.Term) {
	mask := c.Const(64, 1<<52-1)
	g := h
	g[0] = c.AddConst(g[0], 5)
	g[1] = c.Add(g[1], c.Shr(g[0], 52))
	g[2] = c.Add(g[2], c.Shr(g[1], 52))
	above := c.Xor(c.Zero(c.Shr(g[2], 26)), c.Const(8, 1))
	g[0], g[1] = c.And(g[0], mask), c.And(g[1], mask)
	for i := range h {
		h[i] = c.Choose(above, g[i], h[i])
	}
	or := func(x, y term.Term) term.Term {
		var a, b [8]term.Byte
		c.Bytes(a[:], x)
		c.Bytes(b[:], y)
		machine.Bitwise(c, c.Or, a[:], append([]term.Byte(nil), a[:]...), b[:])
		return c.Gather(a[:])
	}
	low := or(h[0], c.Shl(h[1], 52))
	high := or(c.Shr(h[1], 12), c.Shl(h[2], 40))
	tag[0] = c.Add(low, s[0])
	tag[1] = c.Add(c.Add(high, s[1]), c.Extend(c.Borrow(tag[0], s[0], c.Const(8, 0)), 64))
	return tag
}

// Poly1305Clamp are the bits of r.
var Poly1305Clamp = [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}

// Poly1305Key returns r and s of a key with which a block of key stream begins (RFC 8439, section 2.6).
func Poly1305Key(c *term.Store, block [64]term.Byte) (r, s [2]term.Term) {
	for i, mask := range Poly1305Clamp {
		r[i] = c.And(c.Gather(block[8*i:8*i+8]), c.Const(64, mask))
		s[i] = c.Gather(block[16+8*i : 24+8*i])
	}
	return r, s
}

// ReachesFour and reachesAbove say in two ways that a word is at least 4.
func ReachesFour(c *term.Store, g2 term.Term) term.Term {
	return c.Xor(c.Borrow(g2, c.Const(64, 4), c.Const(8, 0)), c.Const(8, 1))
}

// ReachesAbove is ReachesFour in another way.
func ReachesAbove(c *term.Store, g2 term.Term) term.Term {
	return c.Xor(c.Zero(c.Shr(g2, 2)), c.Const(8, 1))
}

// Poly1305Tag returns (h mod p + s) mod 2^128, p the prime: h is below 2·p, as its upper word is
// at most maxChain; so h mod p is h, or h - p if h + 5 is 2^130 at least.
// That it is so far is a bit that is made of the upper word then.
func Poly1305Tag(c *term.Store, h [3]term.Term, s [2]term.Term, reaches func(c *term.Store, g2 term.Term) term.Term) (tag [2]term.Term) {
	none := c.Const(8, 0)
	add := func(x, y, carry term.Term) (sum, out term.Term) {
		return c.Add(c.Add(x, y), c.Extend(carry, 64)), c.Carry(x, y, carry)
	}
	zero := c.Const(64, 0)
	g0, carry := add(h[0], c.Const(64, 5), none)
	g1, carry := add(h[1], zero, carry)
	g2, _ := add(h[2], zero, carry)
	above := reaches(c, g2)
	tag[0], carry = add(c.Choose(above, g0, h[0]), s[0], none)
	tag[1], _ = add(c.Choose(above, g1, h[1]), s[1], carry)
	return tag
}
