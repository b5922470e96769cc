// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"cmp"
	"fmt"

	layout "github.com/unimac/unimac/internal/layout/poly1305"
	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// This file contains the statements of kernels that hash Poly1305 blocks.

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

// blocksKernel returns the statement of a kernel that hashes n blocks. n is a multiple
// of unit, and an iteration of the loop processes step blocks. The statement's lengths
// are iterations, and its variants are the number of blocks before the loop.
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
