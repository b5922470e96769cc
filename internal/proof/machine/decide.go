// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"math"
	"math/bits"

	"github.com/unimac/unimac/internal/proof/term"
)

// A Range is what a number lies in.
type Range struct{ Min, Max int64 }

// Decide returns whether a bit is 1, for a branch. It depends on public inputs
// alone, and what is known of them must be enough.
func (s *State) Decide(bit term.Term) bool {
	if v, ok := s.T.IsConst(bit); ok {
		return v != 0
	}
	s.decided = true
	if !s.T.Public(bit) {
		Fail("branches on a secret: %s", s.T.Format(bit))
	}
	if v, ok := s.Known(bit); ok {
		return v
	}
	if taken, ok := s.fork(bit); ok {
		return taken
	}
	Fail("what is known of the inputs does not decide %s", s.T.Format(bit))
	return false
}

// Known returns whether a bit is 1, if ranges of public inputs tell.
func (s *State) Known(bit term.Term) (value, ok bool) {
	t := s.T
	if v, ok := t.IsConst(bit); ok {
		return v != 0, true
	}
	if t.Op(bit) == term.Xor && t.Imm(bit) == 1 && len(t.Args(bit)) == 1 {
		v, ok := s.Known(term.Term(t.Args(bit)[0]))
		return !v, ok
	}
	if t.Op(bit) == term.Or {
		all := true
		for _, a := range t.Args(bit) {
			v, ok := s.Known(term.Term(a))
			if ok && v {
				return true, true
			}
			all = all && ok
		}
		return false, all && t.Imm(bit) == 0
	}
	if t.Op(bit) != term.Apply || !t.Public(bit) {
		return false, false
	}
	args := t.Args(bit)
	switch t.Func(bit) {
	case term.IsZero:
		r, ok := s.RangeOf(term.Term(args[0]))
		return r.Min == 0 && r.Max == 0, ok && (r.Min > 0 || r.Max < 0 || r.Min == 0 && r.Max == 0)
	case term.BorrowOf:
		return s.less(term.Term(args[0]), term.Term(args[1]), term.Term(args[2]))
	case term.SignedLess:
		r, ok := s.RangeOf(t.Sub(term.Term(args[0]), term.Term(args[1])))
		return r.Max < 0, ok && (r.Max < 0 || r.Min >= 0) && s.signed(args)
	}
	return false, false
}

// signed reports whether numbers are what RangeOf takes them for.
func (s *State) signed(args []uint32) bool {
	for _, a := range args {
		if _, ok := s.RangeOf(term.Term(a)); !ok {
			return false
		}
	}
	return true
}

// less decides whether a < b for unsigned numbers, where no borrow comes in.
func (s *State) less(a, b, c term.Term) (less, ok bool) {
	if v, known := s.T.IsConst(c); !known || v != 0 {
		return false, false
	}
	x, ok1 := s.RangeOf(a)
	y, ok2 := s.RangeOf(b)
	d, ok3 := s.RangeOf(s.T.Sub(a, b))
	switch {
	case !ok1 || !ok2 || x.Min < 0 || y.Min < 0:
	case x.Max < y.Min, ok3 && d.Max < 0:
		return true, true
	case x.Min >= y.Max, ok3 && d.Min >= 0:
		return false, true
	}
	return false, false
}

// RangeOf returns what a term of 64 bits, taken as a sum of integers, lies in: its
// coefficients are signed, and nothing wraps. It reports whether it can tell.
func (s *State) RangeOf(t term.Term) (r Range, ok bool) {
	st := s.T
	switch st.Op(t) {
	case term.Const:
		v := int64(st.Imm(t))
		return Range{v, v}, true
	case term.Sum:
		r.Min = int64(st.Imm(t))
		r.Max = r.Min
		for i, a := range st.Args(t) {
			x, ok := s.RangeOf(term.Term(a))
			c := int64(st.Coef(t, i))
			if st.Width(t) != 64 || !ok || !small(x.Min) || !small(x.Max) || !small(c) {
				return r, false
			}
			lo, hi := bounds(x, c)
			if r.Min, ok = plus(r.Min, lo); !ok {
				return r, false
			}
			if r.Max, ok = plus(r.Max, hi); !ok {
				return r, false
			}
		}
		return r, true
	case term.Shl: // a multiple
		x, ok := s.RangeOf(term.Term(st.Args(t)[0]))
		k := st.Imm(t)
		if ok && st.Width(t) == 64 && x.Min >= 0 && x.Max <= math.MaxInt64>>k {
			return Range{x.Min << k, x.Max << k}, true
		}
	case term.And: // rounded down
		if mask := st.Imm(t); len(st.Args(t)) == 1 && mask&(-mask) == -mask {
			if x, ok := s.RangeOf(term.Term(st.Args(t)[0])); ok && x.Min >= 0 {
				return Range{x.Min & int64(mask), x.Max & int64(mask)}, true
			}
		}
	case term.Leaf:
		info := st.Info(t)
		return Range{int64(info.Min), int64(info.Max)}, info.Max <= math.MaxInt64
	}
	if r, ok := s.Limit[t]; ok {
		return r, true
	}
	m := st.Possible(t)
	return Range{0, int64(m)}, m <= math.MaxInt64
}

// small holds for numbers whose product is an int64: pointers by small factors,
// lengths by larger ones.
func small(v int64) bool { return -1<<56 <= v && v <= 1<<56 }

func bounds(x Range, c int64) (lo, hi int64) {
	lo, hi = x.Min*c, x.Max*c
	if c < 0 {
		lo, hi = hi, lo
	}
	for _, v := range [2]int64{x.Min, x.Max} {
		if high, low := bits.Mul64(uint64(abs(v)), uint64(abs(c))); high != 0 || low > math.MaxInt64 {
			return math.MinInt64, math.MaxInt64
		}
	}
	return lo, hi
}

func abs(v int64) int64 { return max(v, -v) }

func plus(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}
