// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 contains the proof statements for the assembly kernels of Poly1305.
package poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Kernels contains the statements of package poly1305's kernels.
var Kernels = engine.Constructed(func() []engine.Kernel {
	return []engine.Kernel{
		blocksKernel(poly1305AMD64, "blocksAMD64", 1, 1, scalarLanes, nil),
		tableKernel("powersAMD64", "the powers 8, 4, 7, 3, 6, 2, 5, 1 and 16 of r modulo 2^130 - 5, each below 5·2^128", 0, nil, ShortList),
		blocksKernel(poly1305AMD64, "blocksAVX2", 4, 8, Avx2Lanes, Avx2Table),
		blocksKernel("internal/poly1305/blocks_arm64.s", "blocksNEON", 2, 8, NeonLanes, NeonTable),
		tableKernel("morePowersAMD64", "the powers 32, by one square, or 64, by two, and 24 of r modulo 2^130 - 5, of the powers 16 and 6", len(ShortList.Rows), nil, LongList, halvedList),
		tableKernel("tableAVX512IFMA", eachNumber, 0, ShortList, shortTable), tableKernel("moreTableAVX512IFMA", eachNumber, 0, LongList, moreTable),
		blocksKernel(poly1305AMD64, "blocksAVX512IFMA", 1, 16, IfmaLanes, shortTable),
	}
})

const (
	poly1305AMD64 = "internal/poly1305/blocks_amd64.s"
	eachNumber    = "each number of the list, below 5·2^128, in limbs of 52 bits, times 1, 2^52 and 2^104 modulo 2^130 - 5"

	MaxPolyBlocks = 4 << 10 // largest number of blocks that callers pass: 64 KiB

	MaxH2    = 7 // bound of h's upper word on entry to and return from a kernel
	MaxChain = 4 // bound after a product, where h is below 2·(2^130 - 5)
)

// A Ring represents the integers modulo 2^130 - 5 as polynomials in r.
type Ring struct {
	*algebra.Algebra
	R algebra.Poly

	anyPowers bool // the rows of tables contain arbitrary numbers
}

// NewRing returns a ring for the case and registers its algebra in c.Rings.
func NewRing(c *engine.Case) *Ring {
	a := algebra.New(c.Store)
	c.Rings = append(c.Rings, engine.Congruence{Algebra: a, Prime: spec.Poly1305Prime})
	return &Ring{Algebra: a, R: a.Unknown("r")}
}

// Same returns an error unless got and want are congruent modulo the prime.
func (g *Ring) Same(s engine.View, what string, got, want algebra.Poly) error {
	if !s.Congruent(g.Algebra, got, want, spec.Poly1305Prime) {
		return fmt.Errorf("%s is another number modulo 2^130 - 5", what)
	}
	return nil
}

// Clamped declares r (RFC 8439, section 2.5). Its upper word is 4·quarter.
func Clamped(c *engine.Case) (r [2]term.Term, quarter term.Term) {
	r[0] = c.NewLeaf(64, term.LeafInfo{Name: "r0", Max: 1<<60 - 1})
	quarter = c.NewLeaf(64, term.LeafInfo{Name: "r1/4", Max: 1<<58 - 1})
	return [2]term.Term{r[0], c.Shl(quarter, 2)}, quarter
}

// Put declares that o[at:] contains the ring's r, which is clamped.
func (g *Ring) Put(c *engine.Case, o *machine.Object, at int64) {
	r, quarter := Clamped(c)
	g.Let(r[0], g.R.Minus(g.Value(quarter).Scaled(66)))
	o.Set(at, r[:]...)
}

// Hash returns the value of h after the message's blocks first to first+n-1.
func (g *Ring) Hash(c *engine.Case, h algebra.Poly, msg *machine.Object, first, n int64) algebra.Poly {
	for i := first; i < first+n; i++ {
		h = h.Plus(spec.Poly1305BlockAt(c.Store, g.Algebra, msg, spec.Poly1305Block*i)).Mul(g.R)
	}
	return h
}

// A Number holds the three words of a value of h.
type Number [3]term.Term

// NewNumber returns three new words. The upper word is at most limit.
func NewNumber(c *engine.Case, name string, limit uint64) (h Number) {
	for i, bound := range []uint64{^uint64(0), ^uint64(0), limit} {
		h[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprint(name, i), Max: bound})
	}
	return h
}

// Stored returns the three words of h in memory.
func Stored(s engine.View, o *machine.Object, at int64) Number {
	return Number{s.Stored(o, at), s.Stored(o, at+8), s.Stored(o, at+16)}
}

// Check returns an error if the 24-byte number in o[at:at+24] is not congruent to want
// modulo 2^130 - 5, or if its most significant 8-byte word exceeds maxUpper.
func (g *Ring) Check(s engine.View, o *machine.Object, at int64, want algebra.Poly, maxUpper uint64) error {
	h := Stored(s, o, at)
	return g.checkLimbs(s, "h", h[:], 64, []uint64{^uint64(0), ^uint64(0), maxUpper}, want)
}

// checkLimbs checks that the limbs are bounded by limits and represent number.
func (g *Ring) checkLimbs(s engine.View, what string, limbs []term.Term, radix int, limits []uint64, number algebra.Poly) error {
	for i, limit := range limits {
		if err := s.AtMost(g.Algebra, limbs[i], limit); err != nil {
			return fmt.Errorf("limb %d of %s %w", i, what, err)
		}
	}
	return g.Same(s, what, g.Number(radix, limbs...), number)
}
