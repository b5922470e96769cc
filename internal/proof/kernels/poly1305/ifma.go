// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Table is powers of r in limbs of 52 bits: of each power of its lanes three numbers,
// times 1, 2^52 and 2^104, so that limb i of a factor is multiplied by number i. After these
// follow the same for more powers.
type Table struct {
	list   *PowerList
	blocks []ifmaBlock
	size   int64 // words
}

// An ifmaBlock is rows of lanes: entries of the list, for each limb of each number.
type ifmaBlock struct {
	at      int64 // words
	entries []int // of the list
}

// IfmaMost are the bounds of limbs, by number.
var IfmaMost = [3][]uint64{
	{1<<52 - 1, 1<<52 - 1, 5<<24 - 1},
	{1<<52 - 1, 1<<52 - 1, 1 << 26},
	{1<<52 - 1, 1<<52 - 1, 1 << 26},
}

var (
	shortTable = &Table{ShortList, []ifmaBlock{{0, []int{0, 1, 2, 3, 4, 5, 6, 7}}, {72, []int{8}}}, 81}
	LongTable  = &Table{LongList, append(shortTable.blocks, moreBlock), 99}
	moreTable  = &Table{LongList, []ifmaBlock{moreBlock}, 99}
	moreBlock  = ifmaBlock{81, []int{9, 10}}
)

// each calls f for each number of the table: the entry of the list, which of the three it is,
// and where its limbs lie.
func (t *Table) each(f func(entry, number int, at [3]int64) error) error {
	for _, b := range t.blocks {
		lanes := len(b.entries)
		for lane, entry := range b.entries {
			for number := range 3 {
				var at [3]int64
				for i := range at {
					at[i] = 8 * (b.at + int64((3*number+i)*lanes+lane))
				}
				if err := f(entry, number, at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Declare returns memory that has the table.
func (t *Table) Declare(c *engine.Case, g *Ring) *machine.Object {
	o := c.Buffer("table", 8*t.size)
	t.each(func(entry, number int, at [3]int64) error {
		n, shift := t.list.Powers[entry], 52*number
		for i, limb := range g.Limbs(c, fmt.Sprintf("r^%d·2^%d", n, shift), g.R.Power(n).Scaled(shift), 52, IfmaMost[number]...) {
			o.Set(at[i], limb)
		}
		return nil
	})
	return o
}

// kernel is a function that makes the table of a list, whose numbers need be no powers.
func (t *Table) kernel(file, name string) engine.Kernel {
	var g *Ring
	var table *machine.Object
	entry := func(i int) algebra.Poly { return g.Unknown(fmt.Sprintf("entry %d", i)) }
	return engine.Kernel{
		File: file, Func: name,
		Claim: "each number of the list, below 5·2^128, in limbs of 52 bits, times 1, 2^52 and 2^104 modulo 2^130 - 5",
		Setup: func(c *engine.Case) {
			g = NewRing(c)
			table = engine.Writable(c.Buffer("table", 8*t.size))
			list := c.Buffer("list", t.list.size())
			for i := range t.list.Powers {
				t.list.declare(c, list, i, g.words(c, fmt.Sprintf("entry%d", i), entry(i)))
			}
			c.Pointers(table, list)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) { c.Free(table, 8*t.blocks[0].at, 8*t.size) },
		Left: func(c *engine.Case, s engine.View, _ int64, _ bool) error {
			return t.each(func(i, number int, at [3]int64) error {
				what := fmt.Sprintf("2^%d times entry %d", 52*number, i)
				var limbs []term.Term
				for j, a := range at {
					limbs = append(limbs, s.Stored(table, a))
					if err := g.AtMost(limbs[j], IfmaMost[number][j]); err != nil {
						return fmt.Errorf("limb %d of %s %w", j, what, err)
					}
				}
				return g.Same(what, g.Number(52, limbs...), entry(i).Scaled(52*number))
			})
		},
	}
}

// IfmaLanes are eight lanes of three limbs. What the lower two have above 52 bits has been
// added to the next one, and multiplications do not see it.
var IfmaLanes = &Lanes{
	Radix: 52, Bits: 52, Width: 64, Rows: []string{"Z20", "Z18", "Z17"},
	Most:   []uint64{1<<64 - 1, 1<<64 - 1, 1<<52 - 1},
	Powers: ShortList.Powers[:8],
}
