// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import "github.com/unimac/unimac/internal/proof/term"

// A Group is the lengths that a run is for, as long as they make no difference to it: N is
// the length. Where one is needed to go on, the run ends with a Split.
type Group struct {
	N        term.Term
	Lengths  []int64
	min, max int64
	values   map[term.Term]uint64
}

// NewGroup returns a group of lengths.
func NewGroup(n term.Term, lengths []int64) *Group {
	g := &Group{N: n, Lengths: lengths, min: lengths[0], max: lengths[0], values: map[term.Term]uint64{}}
	for _, n := range lengths {
		g.min, g.max = min(g.min, n), max(g.max, n)
	}
	return g
}

// A Split says by what lengths differ, or that both ways are to be followed at a fork.
type Split struct {
	Term term.Term
	Fork bool
}

func (*Split) Error() string { return "lengths differ" }

// What is left to be done for an instruction.
const (
	counting = iota
	before
	operation
	after
)

// undo makes the state what it was before an operation that splits, as each part does the operation
// again. Registers and memory are not undone: an instruction changes none of them before it has decided all that it does.
func (s *State) undo(split *Split) error {
	if s.phase != operation {
		return split
	}
	if s.wrote {
		return Fault{"changes something before it is known for all lengths what"}
	}
	s.Flags = s.flags
	return split
}

// A Fork is a branch on public inputs that what is known does not decide, at a place where
// that is allowed, and which way a run went there.
type Fork struct {
	Bit   term.Term
	Taken bool
}

// fork chooses as it did before, or has the run go on in two parts, if it may fork here.
func (s *State) fork(bit term.Term) (taken, ok bool) {
	if s.MayFork == nil || !s.MayFork(s.PC) {
		return false, false
	}
	for _, f := range s.Forks {
		if f.Bit == bit {
			return f.Taken, true
		}
	}
	panic(&Split{Term: bit, Fork: true})
}

// Part returns a copy for a part of the lengths that goes on where s stopped.
func (s *State) Part(g *Group) *State {
	c := s.Clone()
	c.Group = g
	c.visits = append([]int32(nil), s.visits...)
	c.Forks = s.Forks[:len(s.Forks):len(s.Forks)]
	return c
}

// Value returns the value of a term, if it is known or the same for all lengths of the group.
func (s *State) Value(t term.Term) (value uint64, ok bool) {
	if v, ok := s.T.IsConst(t); ok || s.Group == nil || !s.T.Marked(t) {
		return v, ok
	}
	g := s.Group
	if v, ok := g.values[t]; ok {
		return v, true
	}
	for i, n := range g.Lengths {
		v, ok := s.T.At(t, g.N, uint64(n))
		if !ok {
			return 0, false
		}
		if i > 0 && v != value {
			panic(&Split{Term: t})
		}
		value = v
	}
	g.values[t] = value
	return value, true
}

// ByteValue is Value for a byte.
func (s *State) ByteValue(b term.Byte) (value uint8, ok bool) {
	if v, ok := s.T.ByteValue(b); ok || s.Group == nil {
		return v, ok
	}
	v, ok := s.Value(s.T.Gather([]term.Byte{b}))
	return uint8(v), ok
}
