// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 contains the proof statements for the assembly kernels of Poly1305.
package poly1305

import (
	"cmp"
	"fmt"
	"slices"

	layout "github.com/unimac/unimac/internal/layout/poly1305"
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
	return Number{s.At(engine.In(o, at)), s.At(engine.In(o, at+8)), s.At(engine.In(o, at+16))}
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

// Lanes describes numbers in vector lanes, each with its power of r.
type Lanes struct {
	Radix  int             // bits of a limb; if 52, higher bits were already carried
	Width  int             // bits of a lane
	In     *machine.Object // memory that contains the rows; nil means the frame
	Rows   []string        // for each limb, a register or an offset in memory
	Limits []uint64        // upper bound of each limb
	Powers []int           // power of r for each lane
}

// The kernels' lanes. Their bounds allow for h, which is added without carrying.
var (
	// A single lane: h, to which the next block has been added.
	scalarLanes = &Lanes{Radix: 64, Width: 64, Rows: []string{"DI", "R8", "R9"}, Limits: []uint64{^uint64(0), ^uint64(0), MaxH2 + 2}, Powers: []int{1}}

	Avx2Lanes = &Lanes{
		Radix: 26, Width: 64, Rows: []string{"Z10", "Z11", "0", "32", "Z12"},
		Limits: []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
		Powers: []int{4, 2, 3, 1},
	}
	NeonLanes = &Lanes{
		Radix: 26, Width: 32, Rows: []string{"V10", "V11", "V12", "V13", "V14"},
		Limits: []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
		Powers: []int{2, 1},
	}

	// The multiply instructions ignore bits 52 and above of the lower limbs.
	IfmaLanes = &Lanes{
		Radix: 52, Width: 64, Rows: []string{"Z20", "Z18", "Z17"},
		Limits: []uint64{1<<64 - 1, 1<<64 - 1, 1<<52 - 1},
		Powers: []int{8, 4, 7, 3, 6, 2, 5, 1},
	}
)

// Unknown returns new bounded limbs, ordered by limb and then by lane.
func (l *Lanes) Unknown(c *engine.Case) (limbs []term.Term) {
	for i, limit := range l.Limits {
		for lane := range l.Powers {
			limbs = append(limbs, c.NewLeaf(l.Width, term.LeafInfo{Name: fmt.Sprintf("lane%d.%d", lane, i), Max: limit}))
		}
	}
	return limbs
}

// Claim adds to a that the lanes contain the given unknown limbs.
func (l *Lanes) Claim(c *engine.Case, a *engine.Assertion, limbs []term.Term) {
	for i, row := range l.Rows {
		place := engine.In(cmp.Or(l.In, c.Frame()), 0)
		if _, err := fmt.Sscan(row, &place.At); err != nil {
			place = c.Register(row)
		}
		for lane := range l.Powers {
			a.HasUnknown(place, limbs[len(l.Powers)*i+lane])
			place.At += int64(l.Width / 8)
		}
	}
}

// Value returns Σ lane[i]·r^Powers[i], the number that all lanes together represent.
func (l *Lanes) Value(c *engine.Case, g *Ring, limbs []term.Term) algebra.Poly {
	sum := algebra.Poly{}
	for lane, n := range l.Powers {
		sum = sum.Plus(l.Number(c, g, limbs, lane).Mul(g.R.Power(n)))
	}
	return sum
}

// Number returns the number that a lane's limbs represent.
func (l *Lanes) Number(c *engine.Case, g *Ring, limbs []term.Term, lane int) algebra.Poly {
	number := algebra.Poly{}
	for i := range l.Rows {
		t := limbs[len(l.Powers)*i+lane]
		if l.Radix == 52 && i < len(l.Rows)-1 {
			t = c.And(t, c.Const(64, 1<<52-1))
		}
		number = number.Plus(g.Value(t).Scaled(l.Radix * i))
	}
	return number
}

// blocksKernel returns the statement of a kernel that hashes multiples of unit blocks.
// Its lengths are iterations for step blocks. Its variants are the blocks before the loop.
func blocksKernel(file, name string, unit, step int64, lanes *Lanes, table *Table) engine.Kernel {
	var (
		g          *Ring
		state, msg *machine.Object
		h          Number
		first      int64       // blocks before the loop
		limbs      []term.Term // the lanes' limbs at the loop head
	)
	// hash returns h after the given number of iterations, from the loop's head if c.Looped.
	hash := func(c *engine.Case, iterations int64) algebra.Poly {
		if c.Looped {
			return g.Hash(c, lanes.Value(c, g, limbs), msg, first, step*iterations)
		}
		return g.Hash(c, g.Number(64, h[:]...), msg, 0, first+step*iterations)
	}
	powers, multiples := "", ""
	if table != nil {
		powers = ", with the powers of r in the table"
	}
	if unit > 1 {
		multiples = "multiples of "
	}
	k := engine.Kernel{
		File: file, Func: name,
		Claim: "h = (h + block + 2^128)·r for each of n blocks, modulo 2^130 - 5" + powers + "; the upper word of h is at most 7 before and after",
		Range: engine.Range{Lengths: fmt.Sprintf("%s%d to %d blocks", multiples, unit, MaxPolyBlocks), Unit: 1, Max: MaxPolyBlocks/step - 1},
		Loop: engine.Loop{
			Step: 1,
			Invariant: func(c *engine.Case) *engine.Assertion {
				limbs = lanes.Unknown(c)
				a := &engine.Assertion{Algebra: g.Algebra, Where: func(s engine.View) error {
					return g.Same(s, "what the lanes make", lanes.Value(c, g, s.Of(limbs...)), hash(c, c.Iterations()))
				}}
				lanes.Claim(c, a, limbs)
				return a
			},
		},
		Setup: func(c *engine.Case) {
			fmt.Sscan(c.Variant, &first)
			g, h = NewRing(c), NewNumber(c, "h", MaxH2)
			n := c.AddConst(c.Scale(c.N, uint64(step)), uint64(first))
			state, msg = engine.Writable(c.Buffer("s", layout.SizeofState)), c.Bytes("msg", c.Scale(n, spec.Poly1305Block))
			state.Set(layout.StateH, h[:]...)
			g.Put(c, state, layout.StateR) // r, whose powers the table contains
			c.Arg(state.Base)
			if table != nil {
				c.Arg(table.Declare(c, g).Base)
			}
			c.Arg(msg.Base, n)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) { c.Checked(state, layout.StateH, layout.StateH+24) },
		Left: func(c *engine.Case, s engine.View, n int64) error {
			return g.Check(s, state, layout.StateH, hash(c, n), MaxH2)
		},
		Unwiped: table == Avx2Table,
	}
	for over := unit; over <= step; over += unit {
		k.Variants = append(k.Variants, fmt.Sprint(over))
	}
	return k
}

// A Table describes powers of r in memory, in limbs of radix bits.
type Table struct {
	name                string
	radix, bytes, words int
	Rows                []Row
}

// A Row says where a table holds the limbs of the number r^Power·2^shift, its digits in
// the table's radix. Limb i is word first+stride·i of the table. For example, if first
// is 2 and stride is 4, the limbs are words 2, 6 and 10. If limbs have 26 bits, 5 times
// limb i is word first+stride·(i+4), for i from 1 to 4.
type Row struct {
	Power, shift, first, stride int
	limits                      []uint64 // upper bound of each limb
}

// AVX-512 tables contain each power times 1, 2^52 and 2^104.
var (
	ShortList = &Table{"list", 64, 8, 27, interleaved(Limits64, 0, 0, 8, 4, 7, 3, 6, 2, 5, 1, 16)}
	LongList  = &Table{"list", 64, 8, 33, slices.Concat(ShortList.Rows, interleaved(Limits64, 27, 0, 32, 24))}
	Avx2Table = &Table{"table", 26, 8, 81, interleaved(Limits26, 0, 0, 4, 2, 3, 1, 8)}
	NeonTable = &Table{"table", 26, 4, 54, slices.Concat(
		interleaved(Limits26, 0, 0, 2), interleaved(Limits26, 9, 0, 4), interleaved(Limits26, 18, 0, 6), interleaved(Limits26, 27, 0, 8),
		interleaved(Limits26, 36, 0, 2, 1))}
	shortTable = &Table{"table", 52, 8, 81, slices.Concat(ifma(0, 8, 4, 7, 3, 6, 2, 5, 1), ifma(72, 16))}
	moreTable  = &Table{"table", 52, 8, 99, ifma(81, 32, 24)}
	LongTable  = &Table{"table", 52, 8, 99, slices.Concat(shortTable.Rows, moreTable.Rows)}

	// Halved vectors need r^64 instead of r^32.
	halvedList  = &Table{"list", 64, 8, 33, slices.Concat(ShortList.Rows, interleaved(Limits64, 27, 0, 64, 24))}
	HalvedTable = &Table{"table", 52, 8, 99, slices.Concat(shortTable.Rows, ifma(81, 64, 24))}
)

func interleaved(limits []uint64, first, shift int, powers ...int) (rows []Row) {
	for i, n := range powers {
		rows = append(rows, Row{n, shift, first + i, len(powers), limits})
	}
	return rows
}

func ifma(first int, powers ...int) (rows []Row) {
	for i, limits := range IfmaLimits {
		rows = append(rows, interleaved(limits, first+3*i*len(powers), 52*i, powers...)...)
	}
	return rows
}

// Limb bounds, which keep every number below 5·2^128.
var (
	Limits64   = []uint64{^uint64(0), ^uint64(0), 4}
	Limits26   = []uint64{1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 5<<24 - 1}
	IfmaLimits = [3][]uint64{
		{1<<52 - 1, 1<<52 - 1, 5<<24 - 1},
		{1<<52 - 1, 1<<52 - 1, 1 << 26},
		{1<<52 - 1, 1<<52 - 1, 1 << 26},
	}
)

func (t *Table) number(r Row) string {
	if t.radix == 52 {
		return fmt.Sprintf("r^%d·2^%d", r.Power, r.shift)
	}
	return fmt.Sprintf("r^%d", r.Power)
}

func (t *Table) at(r Row, limb int) int64 { return int64(t.bytes * (r.first + r.stride*limb)) }

// limbs returns new limbs of r's number. The upper limbs determine the lowest limb.
func (t *Table) limbs(c *engine.Case, g *Ring, r Row) []term.Term {
	limbs := make([]term.Term, len(r.limits))
	lowest := g.row(r)
	for i, limit := range r.limits {
		limbs[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("%s.%d", t.number(r), i), Max: limit})
		if i > 0 {
			lowest = lowest.Minus(g.Value(limbs[i]).Scaled(t.radix * i))
		}
	}
	g.Let(limbs[0], lowest)
	return limbs
}

// Declare declares a buffer that contains the table and returns the buffer.
func (t *Table) Declare(c *engine.Case, g *Ring) *machine.Object {
	o := c.Buffer(t.name, int64(t.bytes*t.words))
	for _, r := range t.Rows {
		for i, limb := range t.limbs(c, g, r) {
			o.Set(t.at(r, i), c.Low(limb, 8*t.bytes))
			if t.radix == 26 && i > 0 {
				o.Set(t.at(r, i+4), c.Low(c.Scale(limb, 5), 8*t.bytes))
			}
		}
	}
	return o
}

// is returns an error unless o contains the limbs of r's number.
func (t *Table) is(s engine.View, o *machine.Object, g *Ring, r Row) error {
	var limbs []term.Term
	for i := range r.limits {
		limbs = append(limbs, s.At(engine.In(o, t.at(r, i))))
	}
	return g.checkLimbs(s, t.number(r), limbs, t.radix, r.limits, g.row(r))
}

// row returns r's number.
func (g *Ring) row(r Row) algebra.Poly {
	if g.anyPowers {
		return g.Unknown(fmt.Sprintf("entry for r^%d", r.Power)).Scaled(r.shift)
	}
	return g.R.Power(r.Power).Scaled(r.shift)
}

// tableKernel returns the statement of a kernel that computes the rows of a table from
// the given one on. Their numbers are powers of r or, if list is not nil, the entries of
// list, which may be any numbers. If there are several tables, each is a variant.
func tableKernel(name, claim string, from int, list *Table, tables ...*Table) engine.Kernel {
	var g *Ring
	var o *machine.Object
	var t *Table
	k := engine.Kernel{
		File: poly1305AMD64, Func: name, Claim: claim,
		Setup: func(c *engine.Case) {
			variant := max(1, slices.Index(c.Kernel.Variants, c.Variant)+1)
			t = tables[variant-1]
			g = NewRing(c)
			g.anyPowers = list != nil
			known := *t
			known.Rows = t.Rows[:from]
			o = engine.Writable(known.Declare(c, g))
			c.Arg(o.Base)
			switch {
			case list != nil:
				c.Arg(list.Declare(c, g).Base)
			case from == 0:
				r := c.Buffer("r", 16)
				g.Put(c, r, 0)
				c.Arg(r.Base)
			}
			if len(tables) > 1 {
				c.Arg(c.Const(64, uint64(variant)))
			}
		},
		Spec: func(c *engine.Case, _ int64, _ bool) { c.Checked(o, t.at(t.Rows[from], 0), int64(t.bytes*t.words)) },
		Left: func(_ *engine.Case, s engine.View, _ int64) error {
			for _, r := range t.Rows[from:] {
				if err := t.is(s, o, g, r); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for i := 0; len(tables) > 1 && i < len(tables); i++ {
		k.Variants = append(k.Variants, fmt.Sprintf("r^%d", tables[i].Rows[from].Power))
	}
	if list == nil {
		k.After = func(c *engine.Case, s engine.View) *engine.Assertion { // check a stored row and replace its limbs with unknowns
			for _, r := range t.Rows[from:] {
				limb, all := term.Byte(0), true
				for i := range r.limits {
					var stored bool
					limb, stored = s.Mem.Stored(o, t.at(r, i))
					all = all && stored
				}
				if of, _ := limb.Of(); !all || c.Op(of) == term.Leaf || c.Op(of) == term.Const { // it was shown before, or is r itself
					continue
				}
				a := &engine.Assertion{Algebra: g.Algebra}
				for i, limb := range t.limbs(c, g, r) {
					a.HasUnknown(engine.In(o, t.at(r, i)), limb)
					register := c.Fn.Code[s.PC-2+i].Args[0].Reg // each limb is still in the register from which it was stored
					a.Has = append(a.Has, c.Register(register).Has(limb))
				}
				a.Where = func(engine.View) error { return t.is(s, o, g, r) }
				return a
			}
			return nil
		}
	}
	return k
}
