// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// An ifmaTable is powers of r in limbs of 52 bits: of each power of its lanes three numbers,
// times 1, 2^52 and 2^104, so that limb i of a factor is multiplied by number i. After these
// follow the same for more powers.
type ifmaTable struct {
	list   *powerList
	blocks []ifmaBlock
	size   int64 // words
}

// An ifmaBlock is rows of lanes: entries of the list, for each limb of each number.
type ifmaBlock struct {
	at      int64 // words
	entries []int // of the list
}

// The bounds of limbs, by number.
var ifmaMost = [3][]uint64{
	{1<<52 - 1, 1<<52 - 1, 5<<24 - 1},
	{1<<52 - 1, 1<<52 - 1, 1 << 26},
	{1<<52 - 1, 1<<52 - 1, 1 << 26},
}

var (
	shortTable = &ifmaTable{shortList, []ifmaBlock{{0, []int{0, 1, 2, 3, 4, 5, 6, 7}}, {72, []int{8}}}, 81}
	longTable  = &ifmaTable{longList, []ifmaBlock{{0, []int{0, 1, 2, 3, 4, 5, 6, 7}}, {72, []int{8, 9, 10, 11, 8, 9, 10, 11}}}, 144}
)

// each calls f for each number of the table: the entry of the list, which of the three it is,
// and where its limbs lie.
func (t *ifmaTable) each(f func(entry, number int, at [3]int64) error) error {
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

// declare returns memory that has the table.
func (t *ifmaTable) declare(c *Case, g *polyRing) *machine.Object {
	o := c.Buffer("table", 8*t.size)
	t.each(func(entry, number int, at [3]int64) error {
		n, shift := t.list.powers[entry], 52*number
		for i, limb := range g.limbs(c, fmt.Sprintf("r^%d·2^%d", n, shift), g.r.Power(n).Scaled(shift), 52, ifmaMost[number]...) {
			o.Set(at[i], limb)
		}
		return nil
	})
	return o
}

// kernel is a function that makes the table of a list, whose numbers need be no powers.
func (t *ifmaTable) kernel(file string) Kernel {
	var g *polyRing
	var table *machine.Object
	entry := func(i int) algebra.Poly { return g.Unknown(fmt.Sprintf("entry %d", i)) }
	return Kernel{
		File: file, Func: "tableAVX512IFMA",
		Claim: "each number of the list, below 5·2^128, in limbs of 52 bits, times 1, 2^52 and 2^104 modulo 2^130 - 5",
		Setup: func(c *Case) {
			g = c.newPolyRing()
			table = Writable(c.Buffer("table", 8*t.size))
			list := c.Buffer("list", 3*t.list.row)
			for i := range t.list.powers {
				t.list.declare(c, list, i, g.words(c, fmt.Sprintf("entry%d", i), entry(i)))
			}
			c.Pointers(table, list)
		},
		Spec: func(c *Case, _ int64, _ bool) { c.Free(table, 0, 8*t.size) },
		Left: func(c *Case, s *machine.State, _ int64, _ bool) error {
			return t.each(func(i, number int, at [3]int64) error {
				return algebra.Safely(func() error {
					what := fmt.Sprintf("2^%d times entry %d", 52*number, i)
					var limbs []term.Term
					for j, a := range at {
						limbs = append(limbs, c.stored(s, table, a))
						if err := g.AtMost(limbs[j], ifmaMost[number][j]); err != nil {
							return fmt.Errorf("limb %d of %s %w", j, what, err)
						}
					}
					return g.congruent(what, g.Number(52, limbs...), entry(i).Scaled(52*number))
				})
			})
		},
	}
}

// ifmaLanes are eight lanes of three limbs. What the lower two have above 52 bits has been
// added to the next one, and multiplications do not see it.
var ifmaLanes = &polyLanes{
	radix: 52, bits: 52,
	cells:  [][]cell{ifmaCells(20), ifmaCells(18), ifmaCells(17)},
	most:   []uint64{1<<64 - 1, 1<<64 - 1, 1<<52 - 1},
	powers: shortList.powers[:8],
}

func ifmaCells(register int) []cell { return cellsOf(false, amd64.Vectors+64*register, 8) }

// blocks is the kernel that uses the table.
func (t *ifmaTable) blocksKernel(file string, stateSize int64) Kernel {
	v := &polyVector{
		file: file, name: "blocksAVX512IFMA",
		unit: 1, step: 16, stateSize: stateSize, lanes: ifmaLanes, table: t.declare,
	}
	return v.kernel()
}
