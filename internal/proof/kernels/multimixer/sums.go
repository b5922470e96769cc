// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A sumLoop is the invariant of a loop that adds products to 64-bit lanes of registers:
// before every turn the lanes hold any numbers, and a turn adds to the lanes of each sum
// that sum's products of the bytes that it takes. Which lane belongs to which sum is
// found from what a turn adds.
type sumLoop struct {
	lanes []int // where they lie in State.Regs
	step  int64

	// start is what the lanes of a sum hold together when the loop is first reached;
	// products are those of a sum in the n bytes from a place on.
	start    func(c *engine.Case, sum int) term.Term
	products func(c *engine.Case, sum int, at, n int64) []term.Term
	sums     int

	leaves, first []term.Term // the lanes before a turn, and at the first arrival
	belongs       []int       // the sum of each lane, found by a turn; -1 for none
}

// before returns what the lanes of a sum hold together before a turn.
func (l *sumLoop) before(c *engine.Case, sum int) term.Term {
	total := c.Const(64, 0)
	for i, of := range l.belongs {
		if of == sum {
			total = c.Add(total, l.leaves[i])
		}
	}
	return total
}

// total returns a sum's products in the n bytes from a place on.
func (l *sumLoop) total(c *engine.Case, sum int, at, n int64) term.Term {
	total := c.Const(64, 0)
	for _, p := range l.products(c, sum, at, n) {
		total = c.Add(total, p)
	}
	return total
}

// claim is a Kernel's Invariant: the lanes have unknowns. The first arrival is checked with the first
// turn, which shows what belongs together. What belongs together in an earlier proof does so until a
// turn shows otherwise.
func (l *sumLoop) claim(c *engine.Case, s engine.View, first bool) *engine.Claim {
	if first {
		l.leaves, l.first = nil, nil
		for i, at := range l.lanes {
			l.first = append(l.first, s.Word(at, 8))
			l.leaves = append(l.leaves, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("lane%d", i), Max: ^uint64(0)}))
		}
	}
	a := &engine.Claim{Unknown: l.leaves}
	for i, at := range l.lanes {
		a.Has = append(a.Has, engine.Has{Place: engine.InRegisters(at), Term: l.leaves[i]})
	}
	if !first {
		a.Where = func() error { return l.turn(c, s) }
	}
	return a
}

// turn checks what a turn adds to the lanes.
func (l *sumLoop) turn(c *engine.Case, then engine.View) error {
	owner := map[term.Term]int{}
	for sum := range l.sums {
		for _, p := range l.products(c, sum, 0, l.step) {
			owner[p] = sum
		}
	}
	l.belongs = make([]int, len(l.lanes))
	added := make([]term.Term, l.sums)
	start := make([]term.Term, l.sums)
	for sum := range l.sums {
		added[sum], start[sum] = c.Const(64, 0), c.Const(64, 0)
	}
	for i, at := range l.lanes {
		more := c.Sub(then.Word(at, 8), l.leaves[i])
		l.belongs[i] = -1
		for _, part := range parts(c, more) {
			if sum, ok := owner[part]; ok {
				l.belongs[i] = sum
				break
			}
		}
		sum := l.belongs[i]
		if sum < 0 {
			return fmt.Errorf("lane %d gets %s", i, c.Format(more))
		}
		added[sum], start[sum] = c.Add(added[sum], more), c.Add(start[sum], l.first[i])
	}
	for sum := range l.sums {
		if want := l.total(c, sum, 0, l.step); added[sum] != want {
			return fmt.Errorf("a turn adds %s to sum %d, want %s", c.Format(added[sum]), sum, c.Format(want))
		}
		if want := l.start(c, sum); start[sum] != want {
			return fmt.Errorf("sum %d begins with %s, want %s", sum, c.Format(start[sum]), c.Format(want))
		}
	}
	return nil
}

// parts returns the terms that a sum consists of.
func parts(c *engine.Case, t term.Term) []term.Term {
	if c.Op(t) != term.Sum {
		return []term.Term{t}
	}
	var parts []term.Term
	for _, arg := range c.Args(t) {
		parts = append(parts, term.Term(arg))
	}
	return parts
}

// laneOffsets lists the 64-bit lanes of vector registers.
func laneOffsets(vectors, stride int, registers []int, bytes int) (lanes []int) {
	for _, r := range registers {
		for at := 0; at < bytes; at += 8 {
			lanes = append(lanes, vectors+stride*r+at)
		}
	}
	return lanes
}
