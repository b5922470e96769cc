// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Range is an interval including both ends.
type Range struct{ Min, Max int64 }

// Decide reports whether bit, usually a branch condition, is 1.
func (s *State) Decide(bit term.Term) bool {
	if v, ok := s.T.IsConst(bit); ok {
		return v != 0
	}
	if s.T.Op(bit) == term.Xor && s.T.Imm(bit) == 1 && len(s.T.Args(bit)) == 1 {
		return !s.Decide(term.Term(s.T.Args(bit)[0])) // so that Fork applies to both forms of a branch
	}
	if s.T.Op(bit) == term.Or {
		one := s.T.Imm(bit) == 1
		for _, of := range s.T.Args(bit) {
			one = one || s.Decide(term.Term(of))
		}
		return one
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
	if bit == s.Fork {
		if s.Taken == nil {
			panic(&Split{Term: bit, Fork: true}) // so that Paths explores both branches
		}
		return *s.Taken
	}
	s.failOf(bit, "the known ranges of the inputs do not decide ")
	return false
}

// private explains why t is not public.
func (s *State) private(t term.Term) string {
	reason := "a secret"
	s.T.Substitute(func(leaf term.Term) term.Term {
		switch info := s.T.Info(leaf); {
		case info.Public:
		case info.Name == "unknown":
			reason = "an unknown value"
		case strings.HasPrefix(info.Name, argumentBytes):
			reason = "an argument whose upper bytes are unknown"
		}
		return leaf
	}).Term(t)
	return reason
}

// argumentBytes is a prefix of the names of undeclared argument bytes.
const argumentBytes = "arguments["

// Known returns the value of a public comparison, if the known bounds determine it.
func (s *State) Known(bit term.Term) (value, ok bool) {
	t := s.T
	if t.Op(bit) != term.Apply || !t.Public(bit) {
		return false, false
	}
	args := t.Args(bit)
	switch t.Func(bit) {
	case term.IsZero:
		r, ok := s.rangeOf(term.Term(args[0]))
		return r.Min == 0 && r.Max == 0, ok && (r.Min > 0 || r.Max < 0 || r.Min == 0 && r.Max == 0)
	case term.BorrowOf: // for example, x < 16 is true if x is at most 15
		in, ok := t.IsConst(term.Term(args[2]))
		if !ok || in != 0 {
			return false, false
		}
		return s.less(term.Term(args[0]), term.Term(args[1]), false)
	case term.SignedLess:
		return s.less(term.Term(args[0]), term.Term(args[1]), true)
	}
	return false, false
}

func (s *State) less(a, b term.Term, signed bool) (less, ok bool) {
	x, ok1 := s.rangeOf(a)
	y, ok2 := s.rangeOf(b)
	width := s.T.Width(a)
	switch {
	case !ok1 || !ok2, !signed && (x.Min < 0 || y.Min < 0):
		return false, false
	case signed && width < 64 && max(x.Max, y.Max)>>(width-1) != 0:
		return false, false
	case x.Max < y.Min:
		return true, true
	case x.Min >= y.Max:
		return false, true
	}
	d, ok := s.rangeOf(s.T.Sub(a, b))                                // not reached if the difference wraps for all values
	return d.Max < 0, ok && width == 64 && (d.Max < 0 || d.Min >= 0) // narrower differences may wrap
}

// rangeOf returns the bounds of t, which are signed for 64-bit terms.
func (s *State) rangeOf(t term.Term) (r Range, ok bool) {
	if v, known := s.T.IsConst(t); known { // the usual case for sizes
		return Range{int64(v), int64(v)}, true
	}
	lower, upper := s.Bounds().Signed(t)
	return Range{lower.Int64(), upper.Int64()}, lower.IsInt64() && upper.IsInt64()
}

// Bounds returns an Algebra for the lengths that s covers. Other states may share it, so
// callers must not add bounds or facts to it.
func (s *State) Bounds() *algebra.Algebra {
	g := s.Group
	if g == nil && s.Least == 0 || g != nil && len(g.Lengths) == 1 { // the bounds of leaves suffice
		return term.Memo(s.T, unrestricted{}, func() *algebra.Algebra { return algebra.New(s.T) })
	}
	if g == nil {
		if s.bounds == nil {
			s.bounds = algebra.New(s.T)
			s.bounds.Between(s.Length, s.Least, int64(s.T.Info(s.Length).Max))
		}
		return s.bounds
	}
	if g.bounds == nil {
		g.bounds = algebra.New(s.T)
		g.bounds.Between(g.N, slices.Min(g.Lengths), slices.Max(g.Lengths))
	}
	return g.bounds
}

// unrestricted is the key of the Algebra that paths share. It knows only the bounds of
// leaves, which never change after the Setup that makes the leaf.
type unrestricted struct{}

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
			panic(&Split{Term: t}) // so that Paths continues with each value separately
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
