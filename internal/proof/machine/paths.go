// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/term"
)

// Paths executes s until the function returns or reaches stop, following every branch.
func (s *State) Paths(p *Program, stop int, end func(s *State, err error)) {
	for parts := []func() *State{func() *State { return s }}; len(parts) > 0; {
		last := len(parts) - 1
		part := parts[last]()
		parts = parts[:last]
		err := part.Run(p, stop)
		var split *Split
		if errors.As(err, &split) {
			parts = append(parts, part.split(split)...)
			continue
		}
		end(part, err)
	}
}

// A Group contains the lengths that one execution covers.
type Group struct {
	N       term.Term // represents the lengths
	Lengths []int64
	values  map[term.Term]uint64
	bounds  *algebra.Algebra
}

// Restrict limits s to executions whose length n is one of lengths.
func (s *State) Restrict(n term.Term, lengths []int64) {
	s.Group = &Group{N: n, Lengths: lengths, values: map[term.Term]uint64{}}
	if len(lengths) == 1 { // then n is known
		s.Give(s.T.Replace(map[term.Term]term.Term{n: s.T.Const(64, uint64(lengths[0]))}))
	}
}

// A Split requests a separate path for each value of Term.
type Split struct {
	Term term.Term
	Fork bool // Term is a branch condition, and both branches are followed
}

func (*Split) Error() string { return "a value differs between lengths" }

// split divides s into parts that can be executed separately.
func (s *State) split(split *Split) (parts []func() *State) {
	if split.Fork {
		for _, taken := range []bool{true, false} {
			parts = append(parts, func() *State {
				part := s.part()
				part.Taken = &taken
				return part
			})
		}
		return parts
	}
	by := map[uint64][]int64{}
	for _, n := range s.Group.Lengths {
		v, _ := s.T.At(split.Term, s.Group.N, uint64(n))
		by[v] = append(by[v], n)
	}
	for _, lengths := range slices.SortedFunc(maps.Values(by), func(a, b []int64) int { return cmp.Compare(b[0], a[0]) }) {
		parts = append(parts, func() *State {
			part := s.part()
			part.Restrict(s.Group.N, lengths)
			return part
		})
	}
	return parts
}

// part returns a copy of s that continues where s stopped.
func (s *State) part() *State {
	c := s.Clone()
	c.visits = slices.Clone(s.visits)
	return c
}

const (
	counting = iota
	before
	operation
	after
)

// undo restores flags so that the instruction can be repeated after a Split.
func (s *State) undo(split *Split) error {
	if s.phase == operation && s.wrote {
		return Fault{Message: "instruction changes registers or memory before it decides a value that differs between lengths"}
	}
	if s.phase == operation {
		s.Flags = s.flags
	}
	return split
}
