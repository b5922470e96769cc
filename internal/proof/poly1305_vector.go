// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"strconv"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// What proofs of vector Poly1305 have in common. All numbers are polynomials in r, an
// unknown, and in limbs, words and what the algebra needs for carries; they are compared
// modulo the prime.
//
//   - A table's row is limbs with bounds, which polyRing.limbs declares to be a power of r.
//   - The lanes at a loop's head are limbs with bounds, too. Of their numbers the proof knows
//     one thing: lane i times r^powers[i], all added up, is what h is after the blocks so far.
//     A turn must give the same for the blocks that it takes: polyRing.hash.
//   - A kernel is then a polyVector: where the lanes lie, what the table is, how many blocks
//     a turn takes.

// A polyRing is the integers modulo 2^130 - 5, for one proof.
type polyRing struct {
	*algebra.Algebra
	r algebra.Poly
}

func (c *Case) newPolyRing() *polyRing {
	a := algebra.New(c.Store)
	return &polyRing{a, a.Unknown("r")}
}

// congruent compares two numbers modulo the prime.
func (g *polyRing) congruent(what string, got, want algebra.Poly) error {
	if !g.Congruent(got, want, poly1305Prime) {
		return fmt.Errorf("%s is another number modulo 2^130 - 5", what)
	}
	return nil
}

// limbs declares limbs, or words, of radix 2^radix, with bounds; their number is given.
func (g *polyRing) limbs(c *Case, name string, number algebra.Poly, radix int, most ...uint64) []term.Term {
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

// hash returns what h becomes by blocks of the message, the first of which has a number.
func (g *polyRing) hash(c *Case, h algebra.Poly, msg *machine.Object, first, n int64) algebra.Poly {
	for i := first; i < first+n; i++ {
		h = h.Plus(c.polyBlock(g.Algebra, msg, poly1305Block*i)).Mul(g.r)
	}
	return h
}

// polyLanes are numbers of which each is to be multiplied by its own power of r.
type polyLanes struct {
	radix  int
	bits   int      // of a limb that count, if not all: what is above is in the next limb, too
	cells  [][]cell // where they lie, by limb and lane
	most   []uint64 // by limb
	powers []int    // by lane
}

// A cell is 8 bytes of registers or of the frame, or 4 of registers.
type cell struct {
	frame bool
	at    int
	short bool
}

// cellsOf returns the cells of consecutive lanes.
func cellsOf(frame bool, at, lanes int) (cells []cell) {
	for i := range lanes {
		cells = append(cells, cell{frame: frame, at: at + 8*i})
	}
	return cells
}

func (x cell) word(c *Case, s *machine.State) term.Term {
	switch {
	case x.short:
		return s.Word(x.at, 4)
	case !x.frame:
		return s.Word(x.at, 8)
	}
	return c.stored(s, c.frame(), int64(x.at))
}

func (x cell) set(c *Case, s *machine.State, t term.Term) {
	switch {
	case x.short:
		s.SetWord(x.at, c.Low(t, 32))
		return
	case !x.frame:
		s.SetWord(x.at, t)
		return
	}
	var b [8]term.Byte
	c.Store.Bytes(b[:], t)
	for i := range b {
		s.Mem.Put(c.frame(), int64(x.at+i), b[i])
	}
}

// stored returns 8 bytes of memory.
func (c *Case) stored(s *machine.State, o *machine.Object, at int64) term.Term {
	var b [8]term.Byte
	for i := range b {
		b[i] = s.Mem.Byte(o, at+int64(i))
	}
	return c.Gather(b[:])
}

// frame returns the function's frame, or what is aligned in it.
func (c *Case) frame() (frame *machine.Object) {
	for _, o := range c.Mem.Objects() {
		if o.Name == "frame" {
			frame = o
		}
	}
	return frame
}

// value returns the sum of the lanes, each times its power. Only limbs in bounds are right.
func (l *polyLanes) value(c *Case, g *polyRing, s *machine.State) (algebra.Poly, error) {
	sum := algebra.Poly{}
	for lane, n := range l.powers {
		number := algebra.Poly{}
		for i, cells := range l.cells {
			t := cells[lane].word(c, s)
			if err := g.AtMost(t, l.most[i]); err != nil {
				return nil, fmt.Errorf("limb %d of lane %d %w", i, lane, err)
			}
			if l.bits > 0 && i < len(l.cells)-1 {
				t = c.And(t, c.Const(64, 1<<l.bits-1))
			}
			number = number.Plus(g.Value(t).Scaled(l.radix * i))
		}
		sum = sum.Plus(number.Mul(g.r.Power(n)))
	}
	return sum, nil
}

// widen puts new unknowns into the lanes.
func (l *polyLanes) widen(c *Case, head *machine.State) {
	for i, cells := range l.cells {
		for lane, x := range cells {
			x.set(c, head, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("lane%d.%d", lane, i), Max: l.most[i]}))
		}
	}
}

// A polyVector is a kernel that hashes n blocks: f(h, table, msg, n).
type polyVector struct {
	file, name string
	unit, step int64 // blocks: lengths are multiples of unit, a turn takes step
	stateSize  int64 // h is at its start
	lanes      *polyLanes
	table      func(c *Case, g *polyRing) *machine.Object

	g      *polyRing
	h      polyH
	msg    *machine.Object
	first  int64        // blocks before the loop
	before algebra.Poly // h at its head
}

// kernel returns the statement. For each number of blocks that the loop leaves over there
// is a variant, in which lengths count turns.
func (v *polyVector) kernel() Kernel {
	k := Kernel{
		File: v.file, Func: v.name,
		Claim:   "h = (h + block + 2^128)·r for each of n blocks, modulo 2^130 - 5, with the powers of r in the table; the upper word of h is at most 7 before and after",
		Lengths: fmt.Sprintf("%d to %d blocks", v.unit, maxPolyBlocks),
		Unit:    1, Max: maxPolyBlocks/v.step - 1, Step: 1,
		Setup: v.setup,
		Spec: func(c *Case, _ int64, last bool) {
			if last {
				c.Free(v.h.memory, 0, 24)
			}
		},
		Left: func(c *Case, s *machine.State, n int64, last bool) error {
			if !last {
				return nil
			}
			return algebra.Safely(func() error {
				want := v.hash(c, 0, v.first+v.step*n)
				if c.Looped {
					want = v.g.hash(c, v.before, v.msg, v.first, v.step*n)
				}
				return v.h.check(c, v.g, s, want)
			})
		},
		Advance: func(c *Case) { c.Move(v.msg, poly1305Block*v.step) },
		Widen:   v.lanes.widen,
		Holds: func(c *Case, head, then *machine.State, first bool) error {
			return algebra.Safely(func() (err error) {
				if v.before, err = v.lanes.value(c, v.g, head); err != nil {
					return err
				}
				got, err := v.lanes.value(c, v.g, then)
				if err != nil {
					return err
				}
				if first {
					return v.g.congruent("what is in the lanes at first", got, v.hash(c, 0, v.first))
				}
				return v.g.congruent("what a turn makes", got, v.g.hash(c, v.before, v.msg, v.first, v.step))
			})
		},
	}
	if v.unit > 1 {
		k.Lengths = fmt.Sprintf("multiples of %d to %d blocks", v.unit, maxPolyBlocks)
	}
	for over := v.unit; over <= v.step; over += v.unit {
		k.Variants = append(k.Variants, strconv.Itoa(int(over)))
	}
	return k
}

// hash returns what h becomes by n blocks from the first on.
func (v *polyVector) hash(c *Case, first, n int64) algebra.Poly {
	return v.g.hash(c, v.g.Number(64, v.h.words...), v.msg, first, n)
}

func (v *polyVector) setup(c *Case) {
	over, err := strconv.Atoi(c.Variant)
	if err != nil {
		panic(err)
	}
	v.first = int64(over)
	v.g = c.newPolyRing()
	n := c.AddConst(c.Scale(c.N, uint64(v.step)), uint64(over))
	v.h = c.newPolyH(Writable(c.Buffer("s", v.stateSize)), 0)
	table := v.table(c, v.g)
	v.msg = c.Bytes("msg", c.Scale(n, poly1305Block))
	c.Pointers(v.h.memory, table, v.msg)
	c.Arg(n)
}

// A polyH is h in three words of memory.
type polyH struct {
	memory *machine.Object
	at     int64
	words  []term.Term
}

// newPolyH declares h in an object.
func (c *Case) newPolyH(o *machine.Object, at int64) polyH {
	h := polyH{memory: o, at: at}
	for i, most := range []uint64{^uint64(0), ^uint64(0), maxH2} {
		h.words = append(h.words, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("h%d", i), Max: most}))
		o.Set(at+int64(8*i), h.words[i])
	}
	return h
}

// check has h in memory be a number, its upper word in bounds.
func (h *polyH) check(c *Case, g *polyRing, s *machine.State, want algebra.Poly) error {
	var words []term.Term
	for i := range int64(3) {
		words = append(words, c.stored(s, h.memory, h.at+8*i))
	}
	if err := g.AtMost(words[2], maxH2); err != nil {
		return fmt.Errorf("the upper word of h %w", err)
	}
	return g.congruent("h", g.Number(64, words...), want)
}
