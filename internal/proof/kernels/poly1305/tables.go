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

// A Table is powers of r in memory: in limbs of a radix, and words of some bytes.
type Table struct {
	name                string
	radix, bytes, words int
	Rows                []Row
}

// A Row is the limbs of r^Power·2^shift: the first is a word of the table, and the others are a stride apart. After limbs
// of 26 bits come five times limbs 1 to 4.
type Row struct {
	Power, shift, first, stride int
	most                        []uint64 // that limbs may be
}

// The tables. That of AVX-512 has three numbers of each power, times 1, 2^52 and 2^104, so that limb i of a factor is
// multiplied by number i.
var (
	ShortList = &Table{"list", 64, 8, 27, beside(Most64, 0, 0, 8, 4, 7, 3, 6, 2, 5, 1, 16)}
	LongList  = &Table{"list", 64, 8, 33, slices.Concat(ShortList.Rows, beside(Most64, 27, 0, 32, 24))}
	Avx2Table = &Table{"table", 26, 8, 81, beside(Most26, 0, 0, 4, 2, 3, 1, 8)}
	NeonTable = &Table{"table", 26, 4, 54, slices.Concat(
		beside(Most26, 0, 0, 2), beside(Most26, 9, 0, 4), beside(Most26, 18, 0, 6), beside(Most26, 27, 0, 8),
		beside(Most26, 36, 0, 2, 1))}
	shortTable = &Table{"table", 52, 8, 81, slices.Concat(ifma(0, 8, 4, 7, 3, 6, 2, 5, 1), ifma(72, 16))}
	moreTable  = &Table{"table", 52, 8, 99, ifma(81, 32, 24)}
	LongTable  = &Table{"table", 52, 8, 99, slices.Concat(shortTable.Rows, moreTable.Rows)}
)

// beside returns rows that lie beside each other.
func beside(most []uint64, first, shift int, powers ...int) (rows []Row) {
	for i, n := range powers {
		rows = append(rows, Row{n, shift, first + i, len(powers), most})
	}
	return rows
}

func ifma(first int, powers ...int) (rows []Row) {
	for i, most := range IfmaMost {
		rows = append(rows, beside(most, first+3*i*len(powers), 52*i, powers...)...)
	}
	return rows
}

// The bounds of limbs: all numbers are below 5·2^128. Of 52 bits, those of the three numbers.
var (
	Most64   = []uint64{^uint64(0), ^uint64(0), 4}
	Most26   = []uint64{1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 5<<24 - 1}
	IfmaMost = [3][]uint64{
		{1<<52 - 1, 1<<52 - 1, 5<<24 - 1},
		{1<<52 - 1, 1<<52 - 1, 1 << 26},
		{1<<52 - 1, 1<<52 - 1, 1 << 26},
	}
)

// number returns the name of a row's number.
func (t *Table) number(r Row) string {
	if t.radix == 52 {
		return fmt.Sprintf("r^%d·2^%d", r.Power, r.shift)
	}
	return fmt.Sprintf("r^%d", r.Power)
}

// power returns limbs of which no more is known than their number, and bounds.
func (t *Table) power(c *engine.Case, g *Ring, r Row) []term.Term {
	return g.Limbs(c, t.number(r), g.R.Power(r.Power).Scaled(r.shift), t.radix, r.most...)
}

// at returns where a limb lies.
func (t *Table) at(r Row, limb int) int64 { return int64(t.bytes * (r.first + r.stride*limb)) }

func (t *Table) buffer(c *engine.Case) *machine.Object {
	return c.Buffer(t.name, int64(t.bytes*t.words))
}

// put has memory contain a row.
func (t *Table) put(c *engine.Case, o *machine.Object, r Row, limbs []term.Term) {
	for i, limb := range limbs {
		o.Set(t.at(r, i), c.Low(limb, 8*t.bytes))
		if t.radix == 26 && i > 0 {
			o.Set(t.at(r, i+4), c.Low(c.Scale(limb, 5), 8*t.bytes))
		}
	}
}

// Declare returns memory that has the table.
func (t *Table) Declare(c *engine.Case, g *Ring) *machine.Object {
	o := t.buffer(c)
	for _, r := range t.Rows {
		t.put(c, o, r, t.power(c, g, r))
	}
	return o
}

// stored returns the limbs of a row, if all have been stored.
func (t *Table) stored(s engine.View, o *machine.Object, r Row) (limbs []term.Term, ok bool) {
	for i := range r.most {
		if _, ok := s.Mem.Stored(o, t.at(r, i)); !ok {
			return nil, false
		}
		limbs = append(limbs, s.Stored(o, t.at(r, i)))
	}
	return limbs, true
}

// is has limbs be those of a number, in bounds.
func (t *Table) is(g *Ring, r Row, limbs []term.Term, number algebra.Poly) error {
	for i, most := range r.most {
		if err := g.AtMost(limbs[i], most); err != nil {
			return fmt.Errorf("limb %d of %s %w", i, t.number(r), err)
		}
	}
	return g.Same(t.number(r), g.Number(t.radix, limbs...), number)
}

// left checks that rows have been stored, which have numbers times 2^shift.
func (t *Table) left(s engine.View, o *machine.Object, g *Ring, rows []Row, number func(Row) algebra.Poly) error {
	for _, r := range rows {
		limbs, ok := t.stored(s, o, r)
		if !ok {
			return fmt.Errorf("%s is not stored", t.number(r))
		}
		if err := t.is(g, r, limbs, number(r).Scaled(r.shift)); err != nil {
			return err
		}
	}
	return nil
}

// made is a function that stores the rows from one on; those before are there.
// Each is made of others: once it is shown to be the power, it is that and no more.
func (t *Table) made(file, name, claim string, from int) engine.Kernel {
	var g *Ring
	var list *machine.Object
	made := t.Rows[from:]
	power := func(r Row) algebra.Poly { return g.R.Power(r.Power) }
	return engine.Kernel{
		File: file, Func: name, Claim: claim,
		Setup: func(c *engine.Case) {
			g = NewRing(c)
			list = engine.Writable(t.buffer(c))
			for _, r := range t.Rows[:from] {
				t.put(c, list, r, t.power(c, g, r))
			}
			c.Arg(list.Base)
			if from == 0 {
				r := c.Buffer("r", 16)
				g.put(c, r, 0)
				c.Arg(r.Base)
			}
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for _, r := range made {
				for i := range r.most {
					c.Free(list, t.at(r, i), t.at(r, i)+8)
				}
			}
		},
		Cut: func(c *engine.Case, s engine.View) *engine.Claim {
			for _, r := range made {
				limbs, ok := t.stored(s, list, r)
				if !ok || c.Op(limbs[2]) == term.Leaf || c.Op(limbs[2]) == term.Const { // it was shown, or r itself
					continue
				}
				a := &engine.Claim{Of: map[term.Term]term.Term{}, Everywhere: true, Bounds: g.Algebra}
				for i, limb := range t.power(c, g, r) {
					a.Of[limb] = limbs[i]
				}
				a.Where = func(engine.View) error { return t.is(g, r, limbs, power(r)) }
				return a
			}
			return nil
		},
		Left: func(c *engine.Case, s engine.View, _ int64) error { return t.left(s, list, g, made, power) },
	}
}

// madeOf is a function that makes the table of a list, whose numbers need be no powers.
func (t *Table) madeOf(from *Table, file, name string) engine.Kernel {
	var g *Ring
	var table *machine.Object
	entry := func(r Row) algebra.Poly { return g.Unknown(fmt.Sprintf("entry for r^%d", r.Power)) }
	return engine.Kernel{
		File: file, Func: name,
		Claim: "each number of the list, below 5·2^128, in limbs of 52 bits, times 1, 2^52 and 2^104 modulo 2^130 - 5",
		Setup: func(c *engine.Case) {
			g = NewRing(c)
			table = engine.Writable(t.buffer(c))
			list := from.buffer(c)
			for i, r := range from.Rows {
				from.put(c, list, r, g.Limbs(c, fmt.Sprintf("entry%d", i), entry(r), from.radix, r.most...))
			}
			c.Arg(table.Base, list.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) { c.Free(table, t.at(t.Rows[0], 0), int64(t.bytes*t.words)) },
		Left: func(c *engine.Case, s engine.View, _ int64) error { return t.left(s, table, g, t.Rows, entry) },
	}
}
