// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimixer states what the kernels of Multimixer-128 compute.
package multimixer

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Kernels are those of package multimixer.
var Kernels = []engine.Kernel{
	(&sums{registers: []string{"Z0", "Z1", "Z2", "Z3"}, lanes: 4}).kernel("internal/multimixer/f128_amd64.s", "sumAVX2", 64),
	(&sums{registers: []string{"Z2", "Z3", "Z4", "Z5"}, lanes: 8}).kernel("internal/multimixer/f128_amd64.s", "sumAVX512", 128),
	(&sums{registers: []string{"V0", "V1", "V2", "V3", "V4", "V5", "V6", "V7"}, lanes: 2}).kernel("internal/multimixer/f128_arm64.s", "sumNEON", 64),
}

const count = 8 // sums

// Sums are those of the products of all blocks. A loop adds products to lanes of registers: before every turn the
// lanes have any numbers, and a turn adds to the lanes of each sum that sum's products of the bytes that it takes.
// Which lane belongs to which sum is found from what a turn adds.
type sums struct {
	registers []string
	lanes     int // of each

	dst, key, msg  *machine.Object
	unknown, first []term.Term // the lanes before a turn, and at the first arrival
	belongs        []int       // the sum of each lane, found by a turn
}

// kernel stores the sums.
func (l *sums) kernel(file, name string, step int64) engine.Kernel {
	return engine.Kernel{
		File: file, Func: name,
		Claim: "the sum of f_128(key + message) over the blocks of 32 bytes, modulo 2^64",
		Unit:  spec.F128Block, Min: spec.F128Block, Max: 64 << 10, Step: step,
		Setup: func(c *engine.Case) {
			l.dst, l.key, l.msg = engine.Writable(c.Buffer("dst", 64)), c.Bytes("key", c.N), c.Bytes("msg", c.N)
			c.Pointers(l.dst, l.key, l.msg)
			c.Arg(c.N)
			c.MayOverlap(l.dst, l.key, l.msg)
		},
		Spec: func(c *engine.Case, n int64, last bool) {
			for sum := range count {
				if last {
					c.Expect(l.dst, int64(8*sum), l.after(c, sum, n))
				}
			}
		},
		Advance: func(c *engine.Case) {
		},
		Invariant: func(c *engine.Case, s engine.View, first bool) *engine.Claim { return l.claim(c, s, first, step) },
	}
}

// products returns those of a sum in the first n bytes.
func (l *sums) products(c *engine.Case, sum int, n int64) (all []term.Term) {
	for at := int64(0); at < n; at += spec.F128Block {
		all = append(all, spec.F128Product(c.Store, l.key, l.msg, at, sum))
	}
	return all
}

// after returns a sum after n bytes, from the function's beginning or the loop's head on.
func (l *sums) after(c *engine.Case, sum int, n int64) term.Term {
	total := c.Const(64, 0)
	for _, p := range l.products(c, sum, n) {
		total = c.Add(total, p)
	}
	for i, of := range l.belongs {
		if c.Looped && of == sum {
			total = c.Add(total, l.unknown[i])
		}
	}
	return total
}

// claim is the invariant: the lanes have unknowns. The first arrival is checked with the first turn, which shows what
// belongs together. What belongs together in an earlier proof does so until a turn shows otherwise.
func (l *sums) claim(c *engine.Case, s engine.View, first bool, step int64) *engine.Claim {
	var now []term.Term
	a := &engine.Claim{}
	for i := range l.lanes * len(l.registers) {
		place := c.Lane(l.registers[i/l.lanes], i%l.lanes)
		now = append(now, s.At(place))
		if first {
			l.unknown = append(l.unknown[:i:i], c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("lane%d", i), Max: ^uint64(0)}))
		}
		a.Any(place, l.unknown[i])
	}
	if first {
		l.first = now
	} else {
		a.Where = func() error { return l.turn(c, now, step) }
	}
	return a
}

// turn checks what a turn adds to the lanes, and that they were 0 at first.
func (l *sums) turn(c *engine.Case, now []term.Term, step int64) error {
	owner := map[term.Term]int{}
	for sum := range count {
		for _, p := range l.products(c, sum, step) {
			owner[p] = 1 + sum
		}
	}
	l.belongs = make([]int, len(now))
	var after, start [count]term.Term
	for sum := range count {
		after[sum], start[sum] = c.Const(64, 0), c.Const(64, 0)
	}
	for i, lane := range now {
		more := c.Sub(lane, l.unknown[i])
		sum := owner[more] - 1
		for _, part := range c.Args(more) {
			if of := owner[term.Term(part)]; c.Op(more) == term.Sum && of > 0 {
				sum = of - 1
			}
		}
		if l.belongs[i] = sum; sum < 0 {
			return fmt.Errorf("lane %d gets %s", i, c.Format(more))
		}
		after[sum], start[sum] = c.Add(after[sum], lane), c.Add(start[sum], l.first[i])
	}
	for sum := range count {
		if want := l.after(c, sum, step); after[sum] != want {
			return fmt.Errorf("sum %d becomes %s by a turn, want %s", sum, c.Format(after[sum]), c.Format(want))
		}
		if start[sum] != c.Const(64, 0) {
			return fmt.Errorf("sum %d begins with %s", sum, c.Format(start[sum]))
		}
	}
	return nil
}
