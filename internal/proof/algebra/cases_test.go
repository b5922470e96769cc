// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/proof/term"
)

// TestCases builds terms with choices that depend on carries, borrows and comparisons.
// One case must match the values of the inputs, and the bounds and polynomials must be
// correct in this case.
func TestCases(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	trials, looked := 400, 0
	if testing.Short() {
		trials = 100
	}
	for range trials {
		x := newTrial(r)
		s := x.s
		for range 4 {
			x.add(x.grow())
		}
		none := s.Const(8, 0)
		near := x.pick(64) // a term from which a bit is computed
		var compared []term.Term
		bit := func() term.Term {
			a, b := x.pick(64), x.pick(64)
			compared = append(compared, a)
			near = []term.Term{s.Add(a, b), s.Sub(a, b)}[r.IntN(2)]
			switch r.IntN(6) {
			case 0:
				return s.Carry(a, b, none)
			case 1:
				return s.Borrow(a, b, none)
			case 2:
				return s.Xor(s.Borrow(a, b, s.Carry(a, b, none)), s.Const(8, 1))
			case 3:
				return s.Less(s.Sub(a, s.Const(64, 1<<r.IntN(40))), s.Const(64, 0))
			case 4:
				return s.Borrow(a, s.Const(64, x.e.Term(a)+uint64(r.IntN(3))), none)
			}
			return s.Carry(a, s.Const(64, -(r.Uint64()>>r.IntN(64))), none)
		}
		u := x.pick(64)
		for range 1 + r.IntN(3) {
			b := bit()
			if _, known := s.IsConst(b); known {
				continue
			}
			sum := s.Sub(u, x.pick(64))
			if r.IntN(2) == 0 {
				sum = s.AddConst(near, r.Uint64()>>r.IntN(64))
			}
			u = s.Choose(b, sum, s.AddConst(x.pick(64), r.Uint64()>>r.IntN(64)))
			if r.IntN(2) == 0 {
				u = s.Add(u, x.pick(64))
			}
		}
		want, here := new(big.Int).SetUint64(x.e.Term(u)), 0
		err := Cases(s, u, func(a *Algebra, got term.Term) error {
			if !x.inCase(a) {
				return nil
			}
			here++
			for _, side := range compared {
				if v := word(x.e.Term(side)); v.Cmp(a.UpperBound(side)) > 0 || v.Cmp(a.span(side).lower) < 0 {
					t.Errorf("%s is %#x, not from %#x to %#x", s.Format(side), v, a.span(side).lower, a.UpperBound(side))
				}
			}
			if upper, lower := a.UpperBound(got), a.span(got).lower; want.Cmp(upper) > 0 || want.Cmp(lower) < 0 {
				t.Errorf("%s is %#x, not from %#x to %#x", s.Format(u), want, lower, upper)
			}
			p, ok := readable(a, got)
			if !ok {
				return nil
			}
			if v := x.evaluate(a, p); v.Cmp(want) != 0 {
				t.Errorf("%s is %#x, read as %#x", s.Format(u), want, v)
			}
			looked++
			return nil
		})
		if here == 0 && err == nil {
			t.Errorf("%s: no case holds for the values", s.Format(u))
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if looked < trials/2 {
		t.Errorf("only %d of %d cases could be read", looked, trials)
	}
}

// inCase reports whether the facts of a case hold.
func (x *trial) inCase(a *Algebra) bool {
	for t, v := range a.values {
		value, ok := v.Known()
		if a.Width(t) != 8 || a.Op(t) != term.Apply || !ok {
			continue
		}
		if value.Cmp(new(big.Int).SetUint64(x.e.Term(t))) != 0 {
			return false
		}
	}
	return true
}
