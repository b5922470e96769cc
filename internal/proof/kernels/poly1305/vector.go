// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"
	"strconv"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// What proofs of vector Poly1305 have in common. All numbers are polynomials in r, an
// unknown, and in limbs, words and what the algebra needs for carries; they are compared
// modulo the prime.
//
//   - A table's row is limbs with bounds, which Ring.limbs declares to be a power of r.
//   - The lanes at a loop's head are limbs with bounds, too. Of their numbers the proof knows
//     one thing: lane i times r^powers[i], all added up, is what h is after the blocks so far.
//     A turn must give the same for the blocks that it takes: Ring.hash.
//   - A kernel is then a vector: where the lanes lie, what the table is, how many blocks
//     a turn takes.

// A Ring is the integers modulo 2^130 - 5, for one proof.
type Ring struct {
	*algebra.Algebra
	R algebra.Poly
}

// NewRing returns the ring of a case.
func NewRing(c *engine.Case) *Ring {
	a := algebra.New(c.Store)
	c.Rings = append(c.Rings, engine.Congruence{Algebra: a, Prime: spec.Poly1305Prime})
	return &Ring{a, a.Unknown("r")}
}

// Same compares two numbers modulo the prime.
func (g *Ring) Same(what string, got, want algebra.Poly) error {
	if !g.Congruent(got, want, spec.Poly1305Prime) {
		return fmt.Errorf("%s is another number modulo 2^130 - 5", what)
	}
	return nil
}

// Limbs declares limbs, or words, of radix 2^radix, with bounds; their number is given.
func (g *Ring) Limbs(c *engine.Case, name string, number algebra.Poly, radix int, most ...uint64) []term.Term {
	limbs := make([]term.Term, len(most))
	rest := algebra.Poly{}
	for i := range most {
		limbs[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("%s.%d", name, i), Max: most[i]})
		if i > 0 {
			rest = rest.Plus(g.Value(limbs[i]).Scaled(radix * i))
		}
	}
	g.Let(limbs[0], number.Minus(rest))
	return limbs
}

// Hash returns what h becomes by blocks of the message, the first of which has a number.
func (g *Ring) Hash(c *engine.Case, h algebra.Poly, msg *machine.Object, first, n int64) algebra.Poly {
	for i := first; i < first+n; i++ {
		h = h.Plus(spec.Poly1305BlockAt(c.Store, g.Algebra, msg, spec.Poly1305Block*i)).Mul(g.R)
	}
	return h
}

// Lanes are numbers of which each is to be multiplied by its own power of r.
type Lanes struct {
	Radix  int
	Bits   int      // of a limb that count, if not all: what is above is in the next limb, too
	Cells  [][]Cell // where they lie, by limb and lane
	Most   []uint64 // by limb
	Powers []int    // by lane
}

// A Cell is 8 bytes of registers or of the frame, or 4 of registers.
type Cell struct {
	frame bool
	at    int
	short bool
}

// CellsOf returns the cells of consecutive lanes.
func CellsOf(frame bool, at, lanes int) (cells []Cell) {
	for i := range lanes {
		cells = append(cells, Cell{frame: frame, at: at + 8*i})
	}
	return cells
}

func (x Cell) place(c *engine.Case) (p engine.Place, width int) {
	switch {
	case x.short:
		return engine.InRegisters(x.at), 32
	case !x.frame:
		return engine.InRegisters(x.at), 64
	}
	return engine.In(c.Frame(), int64(x.at)), 64
}

// Limbs are those of lanes, by limb and lane.
type Limbs [][]term.Term

func (l *Lanes) each(f func(limb, lane int, x Cell) term.Term) (limbs Limbs) {
	for i, cells := range l.Cells {
		limbs = append(limbs, nil)
		for lane, x := range cells {
			limbs[i] = append(limbs[i], f(i, lane, x))
		}
	}
	return limbs
}

// Read returns what lanes have.
func (l *Lanes) Read(c *engine.Case, s engine.View) Limbs {
	return l.each(func(_, _ int, x Cell) term.Term {
		place, width := x.place(c)
		return s.Has(place, width)
	})
}

// Unknown returns limbs of which nothing is known but their bounds.
func (l *Lanes) Unknown(c *engine.Case) Limbs {
	return l.each(func(i, lane int, x Cell) term.Term {
		_, width := x.place(c)
		return c.NewLeaf(width, term.LeafInfo{Name: fmt.Sprintf("lane%d.%d", lane, i), Max: l.Most[i]})
	})
}

// Claim adds to a claim that the lanes have limbs that are unknown.
func (l *Lanes) Claim(c *engine.Case, a *engine.Claim, limbs Limbs) {
	l.each(func(i, lane int, x Cell) term.Term {
		place, _ := x.place(c)
		a.Unknown = append(a.Unknown, limbs[i][lane])
		a.Has = append(a.Has, engine.Has{Place: place, Term: limbs[i][lane]})
		return 0
	})
}

// Value returns the sum of the lanes, each times its power. Only limbs in bounds are right.
func (l *Lanes) Value(c *engine.Case, g *Ring, limbs Limbs) (algebra.Poly, error) {
	sum := algebra.Poly{}
	for lane, n := range l.Powers {
		number := algebra.Poly{}
		for i := range l.Cells {
			t := limbs[i][lane]
			if err := g.AtMost(t, l.Most[i]); err != nil {
				return nil, fmt.Errorf("limb %d of lane %d %w", i, lane, err)
			}
			if l.Bits > 0 && i < len(l.Cells)-1 {
				t = c.And(t, c.Const(64, 1<<l.Bits-1))
			}
			number = number.Plus(g.Value(t).Scaled(l.Radix * i))
		}
		sum = sum.Plus(number.Mul(g.R.Power(n)))
	}
	return sum, nil
}

// A vector is a kernel that hashes n blocks: f(h, table, msg, n).
type vector struct {
	file, name string
	unit, step int64 // blocks: lengths are multiples of unit, a turn takes step
	stateSize  int64 // h is at its start
	lanes      *Lanes
	table      func(c *engine.Case, g *Ring) *machine.Object

	g      *Ring
	h      H
	msg    *machine.Object
	first  int64        // blocks before the loop
	limbs  Limbs        // at its head
	before algebra.Poly // h there
}

// kernel returns the statement. For each number of blocks that the loop leaves over there
// is a variant, in which lengths count turns.
func (v *vector) kernel() engine.Kernel {
	k := engine.Kernel{
		File: v.file, Func: v.name,
		Claim:   "h = (h + block + 2^128)·r for each of n blocks, modulo 2^130 - 5, with the powers of r in the table; the upper word of h is at most 7 before and after",
		Lengths: fmt.Sprintf("%d to %d blocks", v.unit, MaxPolyBlocks),
		Unit:    1, Max: MaxPolyBlocks/v.step - 1, Step: 1,
		Setup: v.setup,
		Calls: v.calls,
		Spec: func(c *engine.Case, _ int64, last bool) {
			if last {
				c.Free(v.h.memory, 0, 24)
			}
		},
		Left: func(c *engine.Case, s engine.View, n int64, last bool) error {
			if !last {
				return nil
			}
			return algebra.Safely(func() error {
				want := v.hash(c, 0, v.first+v.step*n)
				if c.Looped {
					want = v.g.Hash(c, v.before, v.msg, v.first, v.step*n)
				}
				return v.h.Check(c, v.g, s, want)
			})
		},
		Advance: func(c *engine.Case) { c.Move(v.msg, spec.Poly1305Block*v.step) },
		Invariant: func(c *engine.Case, s engine.View, first bool) *engine.Claim {
			if first {
				v.limbs = v.lanes.Unknown(c)
			}
			a := &engine.Claim{Bounds: v.g.Algebra}
			v.lanes.Claim(c, a, v.limbs)
			a.Where = func(func(term.Term) term.Term) error {
				return algebra.Safely(func() error { return v.turn(c, s, first) })
			}
			return a
		},
	}
	if v.unit > 1 {
		k.Lengths = fmt.Sprintf("multiples of %d to %d blocks", v.unit, MaxPolyBlocks)
	}
	for over := v.unit; over <= v.step; over += v.unit {
		k.Variants = append(k.Variants, strconv.Itoa(int(over)))
	}
	return k
}

// turn has the lanes make what they should, at first and after a turn.
func (v *vector) turn(c *engine.Case, s engine.View, first bool) (err error) {
	if v.before, err = v.lanes.Value(c, v.g, v.limbs); err != nil {
		return err
	}
	got, err := v.lanes.Value(c, v.g, v.lanes.Read(c, s))
	if err != nil {
		return err
	}
	if first {
		return v.g.Same("what is in the lanes at first", got, v.hash(c, 0, v.first))
	}
	return v.g.Same("what a turn makes", got, v.g.Hash(c, v.before, v.msg, v.first, v.step))
}

// hash returns what h becomes by n blocks from the first on.
func (v *vector) hash(c *engine.Case, first, n int64) algebra.Poly {
	return v.g.Hash(c, v.g.Number(64, v.h.Words...), v.msg, first, n)
}

func (v *vector) setup(c *engine.Case) {
	over, err := strconv.Atoi(c.Variant)
	if err != nil {
		panic(err)
	}
	v.first = int64(over)
	v.g = NewRing(c)
	n := c.AddConst(c.Scale(c.N, uint64(v.step)), uint64(over))
	v.h = NewH(c, engine.Writable(c.Buffer("s", v.stateSize)), 0)
	table := v.table(c, v.g)
	v.msg = c.Bytes("msg", c.Scale(n, spec.Poly1305Block))
	c.Pointers(v.h.memory, table, v.msg)
	c.Arg(n)
}

// calls has r lie behind h, where the kernel does not read it: the table must be that of this r.
func (v *vector) calls(c *engine.Case) {
	v.setup(c)
	for i, word := range v.g.Limbs(c, "r", v.g.R.Power(1), 64, spec.Poly1305Clamp[0], spec.Poly1305Clamp[1]) {
		v.h.memory.Set(24+int64(8*i), word)
	}
}

// An H is h in three words of memory.
type H struct {
	memory *machine.Object
	at     int64
	Words  []term.Term
}

// NewH declares h in an object.
func NewH(c *engine.Case, o *machine.Object, at int64) H {
	h := H{memory: o, at: at}
	for i, most := range []uint64{^uint64(0), ^uint64(0), MaxH2} {
		h.Words = append(h.Words, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("h%d", i), Max: most}))
		o.Set(at+int64(8*i), h.Words[i])
	}
	return h
}

// Check has h in memory be a number, its upper word in bounds.
func (h *H) Check(c *engine.Case, g *Ring, s engine.View, want algebra.Poly) error {
	var words []term.Term
	for i := range int64(3) {
		words = append(words, s.Stored(h.memory, h.at+8*i))
	}
	if err := g.AtMost(words[2], MaxH2); err != nil {
		return fmt.Errorf("the upper word of h %w", err)
	}
	return g.Same("h", g.Number(64, words...), want)
}
