// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"iter"
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
)

// given iterates over the lengths in [from, below) that callers may pass.
func (c *Case) given(from, below int64) iter.Seq[int64] {
	k := c.Kernel
	return func(yield func(int64) bool) {
		unit := max(1, k.Unit)
		for n := (from + unit - 1) / unit * unit; n < below; n += unit {
			if (k.Given == nil || k.Given(c, n)) && !yield(n) {
				return
			}
		}
	}
}

// complete fails unless all lengths from Min to Max are proven.
func (c *Case) complete() {
	k := c.Kernel
	given := len(slices.Collect(c.given(k.Min, k.Max+1)))
	refuse(int64(given) != k.Max-k.Min+1, "%d lengths from %d to %d are proven, want all of them", given, k.Min, k.Max)
}

// remainders returns the lengths below from+Step that may remain after complete iterations.
func (c *Case) remainders(from int64) []int64 {
	found := map[int64]bool{}
	for n := range c.given(from, c.Kernel.Max+1) {
		found[from+(n-from)%c.Kernel.Step] = true
		if int64(len(found)) == c.Kernel.Step/max(1, c.Kernel.Unit) {
			break // no other remainder is possible
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// eachLength calls look with the final state of every path, once per length.
func (r *Session) eachLength(lengths []int64, start *machine.State, look func(s *machine.State, n int64)) {
	for some := range slices.Chunk(lengths, maxGroup) {
		all := r.begin(start)
		all.Restrict(r.N, some)
		r.paths(all, r.stop, func(s *machine.State) {
			for _, n := range s.Group.Lengths {
				end := s
				if len(s.Group.Lengths) > 1 {
					end = s.Clone()
					end.Restrict(r.N, []int64{n})
				}
				must(r.with(n, machine.Try(func() { look(end, n) })))
			}
		})
	}
}

// maxGroup is the largest number of lengths that share a path.
const maxGroup = 1 << 12

// paths executes all paths and calls look with each final state.
func (r *Session) paths(s *machine.State, stop int, look func(*machine.State)) {
	s.Paths(r.program, stop, func(s *machine.State, err error) {
		must(r.explained(s, err))
		r.result.ran(s.Visits())
		look(s)
	})
}

// begins records the loop, if any, at whose head later paths start.
func (r *Session) begins(l *loop) { r.Looped, r.head = l != nil, l }

// begin returns a copy of start that is ready to execute.
func (r *Session) begin(start *machine.State) *machine.State {
	s := start.Begin()
	if r.head != nil {
		s.Fork = r.Zero(r.head.iterations)
	}
	s.Mem.Watch = r.watch
	r.claims(s)
	return s
}
