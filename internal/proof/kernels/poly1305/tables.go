// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Table describes powers of r in memory, in limbs of radix bits.
type Table struct {
	name                string
	radix, bytes, words int
	Rows                []Row
}

// A Row says where a table holds the limbs of the number r^Power·2^shift. A limb is a
// digit of the number in the table's radix, and table[j] is word j of the table. Limb i
// is table[first+stride·i]. For example, if first is 2 and stride is 4, the limbs are
// words 2, 6 and 10. If limbs have 26 bits, 5 times limb i is
// table[first+stride·(i+4)], for i from 1 to 4.
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
		limbs = append(limbs, s.Stored(o, t.at(r, i)))
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
		k.After = func(c *engine.Case, s engine.View) *engine.Assertion { return t.checkRow(c, s, o, g, t.Rows[from:]) }
	}
	return k
}

// checkRow checks a stored row and replaces its limbs with unknowns.
func (t *Table) checkRow(c *engine.Case, s engine.View, o *machine.Object, g *Ring, rows []Row) *engine.Assertion {
	for _, r := range rows {
		last, stored := s.Mem.Stored(o, t.at(r, 2))
		if of, _ := last.Of(); !stored || c.Op(of) == term.Leaf || c.Op(of) == term.Const { // it was shown before, or is r itself
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
