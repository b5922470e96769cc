// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"cmp"
	"maps"
	"slices"
	"strings"

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
type Split struct{ Term term.Term }

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
	if split.Term == s.Fork {
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

// Decide reports whether bit, usually a branch condition, is 1.
func (s *State) Decide(bit term.Term) bool {
	if s.T.Op(bit) == term.Xor && s.T.Imm(bit) == 1 && len(s.T.Args(bit)) == 1 {
		return !s.Decide(term.Term(s.T.Args(bit)[0])) // so that Fork applies to both forms of a branch
	}
	if s.T.Op(bit) == term.Or {
		return s.T.Imm(bit) == 1 || slices.ContainsFunc(s.T.Args(bit), func(of uint32) bool { return s.Decide(term.Term(of)) })
	}
	if v, ok := s.Value(bit); ok {
		return v != 0
	}
	if !s.T.Public(bit) {
		s.failOf(bit, "branches on "+s.private(bit)+": ") // the proof fails
	}
	if v, ok := s.Known(bit); ok {
		return v
	}
	if bit != s.Fork {
		s.failOf(bit, "the known ranges of the inputs do not decide ")
	}
	if s.Taken == nil {
		panic(&Split{bit}) // so that Paths explores both branches
	}
	return *s.Taken
}

// private explains why t is not public.
func (s *State) private(t term.Term) string {
	reason := "a secret"
	s.T.Substitute(func(leaf term.Term) term.Term {
		switch info := s.T.Info(leaf); {
		case info.Public:
		case info.Name == "unknown":
			reason = "an unknown value"
		case strings.HasPrefix(info.Name, "arguments["): // Setup has not declared the byte
			reason = "an argument whose upper bytes are unknown"
		}
		return leaf
	}).Term(t)
	return reason
}

// Known returns the value of a public comparison, if the known bounds determine it.
func (s *State) Known(bit term.Term) (value, ok bool) {
	t := s.T
	if t.Op(bit) != term.Apply || !t.Public(bit) {
		return false, false
	}
	args := t.Args(bit)
	switch t.Func(bit) {
	case term.IsZero:
		low, high, ok := s.rangeOf(term.Term(args[0]))
		zero := low == 0 && high == 0
		return zero, ok && (zero || low > 0 || high < 0)
	case term.BorrowOf: // for example, x < 16 is true if x is at most 15
		if in, ok := t.IsConst(term.Term(args[2])); ok && in == 0 {
			return s.less(term.Term(args[0]), term.Term(args[1]), false)
		}
	case term.SignedLess:
		return s.less(term.Term(args[0]), term.Term(args[1]), true)
	}
	return false, false
}

func (s *State) less(a, b term.Term, signed bool) (less, ok bool) {
	aLow, aHigh, ok1 := s.rangeOf(a)
	bLow, bHigh, ok2 := s.rangeOf(b)
	width := s.T.Width(a)
	switch {
	case !ok1 || !ok2, !signed && (aLow < 0 || bLow < 0):
		return false, false
	case signed && width < 64 && max(aHigh, bHigh)>>(width-1) != 0:
		return false, false
	case aHigh < bLow:
		return true, true
	case aLow >= bHigh:
		return false, true
	}
	if least := min(aLow, bLow); width < 64 || least < -1<<62 || least < 0 && max(aHigh, bHigh) >= 1<<62 {
		return false, false // the difference may wrap
	}
	low, high, ok := s.rangeOf(s.T.Sub(a, b))
	return high < 0, ok && (high < 0 || low >= 0)
}

// rangeOf returns the bounds of t, which are signed for 64-bit terms.
func (s *State) rangeOf(t term.Term) (low, high int64, ok bool) {
	if v, known := s.T.IsConst(t); known { // the usual case for sizes
		return int64(v), int64(v), true
	}
	lower, upper := s.Bounds().Signed(t)
	return lower.Int64(), upper.Int64(), lower.IsInt64() && upper.IsInt64()
}

// Bounds returns an Algebra for the lengths that s covers. Other states may share it, so
// callers must not add bounds or facts to it.
func (s *State) Bounds() *algebra.Algebra {
	if s.bounds != nil {
		return s.bounds
	}
	type unrestricted struct{} // the bounds of leaves never change after the Setup that makes the leaf
	return term.Memo(s.T, unrestricted{}, func() *algebra.Algebra { return algebra.New(s.T) })
}

// Value returns the value of t, if it is known. If lengths differ in it, Value panics with
// a Split, so instructions must call it before they change registers or memory.
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
			panic(&Split{t}) // so that Paths continues with each value separately
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
