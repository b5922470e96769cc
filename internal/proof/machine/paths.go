// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"cmp"
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
		if split, ok := err.(*Split); ok {
			parts = append(parts, part.split(split)...)
		} else {
			end(part, err)
		}
	}
}

// A Group contains the lengths that one execution covers.
type Group struct {
	N       term.Term // represents the lengths
	Lengths []int64
	values  map[term.Term]uint64
}

// Restrict limits s to executions whose length n is one of lengths.
func (s *State) Restrict(n term.Term, lengths []int64) {
	s.Group, s.bounds = &Group{N: n, Lengths: lengths, values: map[term.Term]uint64{}}, nil
	if len(lengths) > 1 {
		s.between(n, slices.Min(lengths), slices.Max(lengths))
	} else { // then n is known
		s.Give(s.T.Replace(map[term.Term]term.Term{n: s.T.Const(64, uint64(lengths[0]))}))
	}
}

// AtLeast limits s to executions whose length is at least n.
func (s *State) AtLeast(n int64) { s.between(s.Length, n, int64(s.T.Info(s.Length).Max)) }

func (s *State) between(length term.Term, low, high int64) {
	s.bounds = algebra.New(s.T)
	s.bounds.Between(length, low, high)
}

// A Split requests a separate path for each value of Term.
type Split struct {
	Term term.Term
	Fork bool // Term is a branch condition, and both branches are followed
}

func (*Split) Error() string { return "a value differs between lengths" }

// split divides s into parts that can be executed separately.
func (s *State) split(split *Split) (parts []func() *State) {
	add := func(limit func(part *State)) {
		parts = append(parts, func() *State {
			part := s.Clone()
			limit(part)
			return part
		})
	}
	if split.Fork {
		for _, taken := range []bool{true, false} {
			add(func(part *State) { part.Taken = &taken })
		}
		return parts
	}
	by := map[uint64][]int64{}
	for _, n := range s.Group.Lengths {
		v, _ := s.T.At(split.Term, s.Group.N, uint64(n))
		by[v] = append(by[v], n)
	}
	for _, lengths := range slices.SortedFunc(maps.Values(by), func(a, b []int64) int { return cmp.Compare(b[0], a[0]) }) {
		add(func(part *State) { part.Restrict(s.Group.N, lengths) })
	}
	return parts
}
