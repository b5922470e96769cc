// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"math/big"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

type fact struct {
	bit   term.Term
	value bool
}

// Cases calls visit for each outcome of the conditional choices in t.
func Cases(s *term.Store, t term.Term, visit func(*Algebra, term.Term) error) error {
	return Safely(func() error { return cases(s, t, nil, visit) })
}

// Safely calls f and returns panics of an Algebra as errors.
func Safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	return f()
}

func cases(s *term.Store, t term.Term, facts []fact, visit func(*Algebra, term.Term) error) error {
	a := New(s)
	a.facts = facts
	for _, f := range facts {
		a.assume(f.bit, f.value)
	}
	bit, ok := s.Condition(t)
	if !ok {
		return visit(a, t)
	}
	known, ok := a.known(bit)
	for i, value := range []bool{false, true} {
		if ok && value != known {
			continue
		}
		next := slices.Clip(facts)
		if !ok {
			next = append(next, fact{bit, value})
		}
		rest := s.Replace(map[term.Term]term.Term{bit: s.Const(8, uint64(i))}).Term(t)
		if err := cases(s, rest, next, visit); err != nil {
			return err
		}
	}
	return nil
}

func (a *Algebra) known(bit term.Term) (value, ok bool) {
	if v, ok := a.IsConst(bit); ok {
		return v != 0, true
	}
	if of, ok := a.negated(bit); ok {
		v, ok := a.known(of)
		return !v, ok
	}
	f, ok := a.flag(bit)
	if !ok {
		return false, false
	}
	from, below := f.sum.lower.Cmp(f.limit) >= 0, f.sum.upper.Cmp(f.limit) < 0
	return from == f.carries(), from || below
}

func (a *Algebra) negated(bit term.Term) (of term.Term, ok bool) {
	if a.Op(bit) != term.Xor || a.Imm(bit) != 1 || len(a.Args(bit)) != 1 {
		return 0, false
	}
	return term.Term(a.Args(bit)[0]), true
}

// A flag is a carry of x+y+c or a borrow of x-y-c.
type flag struct {
	x, y, c term.Term
	sign    *big.Int // sign of y and c
	limit   *big.Int
	sum     span // before truncation
}

func (f *flag) carries() bool { return f.sign.Sign() > 0 }

func (a *Algebra) flag(bit term.Term) (f flag, ok bool) {
	if a.Op(bit) != term.Apply {
		return f, false
	}
	args := a.Args(bit)
	x, y := term.Term(args[0]), term.Term(args[min(1, len(args)-1)])
	w := a.Width(x)
	f = flag{x, y, a.Const(8, 0), big.NewInt(-1), new(big.Int), span{new(big.Int), new(big.Int)}}
	switch a.Func(bit) {
	case term.CarryOf:
		f.c, f.sign, f.limit = term.Term(args[2]), one, power(w)
	case term.BorrowOf:
		f.c = term.Term(args[2])
	case term.SignedLess: // if possible, express the comparison of a difference with 0 as a borrow
		if y != a.Const(w, 0) || a.Op(x) != term.Sum {
			return f, false
		}
		f.y = a.Const(w, -a.Imm(x))
		f.x = a.Add(x, f.y)
		if a.UpperBound(f.x).BitLen() >= w || a.UpperBound(f.y).BitLen() >= w {
			return f, false
		}
	default:
		return f, false
	}
	f.sum.add(a.span(f.x), one)
	f.sum.add(a.span(f.y), f.sign)
	f.sum.add(a.span(f.c), f.sign)
	return f, true
}

// assume records the value of bit and the bounds that follow from it.
func (a *Algebra) assume(bit term.Term, value bool) {
	if of, ok := a.negated(bit); ok {
		a.assume(of, !value)
		return
	}
	a.values[bit] = nil
	if value {
		a.values[bit] = Constant(0)
	}
	f, ok := a.flag(bit)
	if !ok {
		return
	}
	w, sign := a.Width(f.x), uint64(f.sign.Int64())
	cut := new(big.Int)
	if value {
		cut.Mul(power(w), f.sign)
	}
	sum := a.Linear(w, 0, []term.Term{f.x, f.y, a.Extend(f.c, w)}, []uint64{1, sign, sign})
	a.values[sum] = a.Value(f.x).Plus(a.Value(f.y).Plus(a.Value(f.c)).times(f.sign)).Minus(Integer(cut))
	f.sum.sub(cut)
	a.bound(sum, f.sum.lower, f.sum.upper)
	a.near = append(a.near, sum)
	// A carry occurs if x >= 2^w-y-c, a borrow if x < y+c.
	edge, other := span{new(big.Int).Set(f.limit), new(big.Int).Set(f.limit)}, new(big.Int).Neg(f.sign)
	edge.add(a.span(f.y), other)
	edge.add(a.span(f.c), other)
	if value == f.carries() {
		a.bound(f.x, edge.lower, a.UpperBound(f.x))
	} else {
		a.bound(f.x, new(big.Int), edge.upper.Sub(edge.upper, big.NewInt(1)))
	}
}

// offsetValue computes t from a known sum that differs by a constant.
func (a *Algebra) offsetValue(t term.Term) (Poly, bool) {
	for _, u := range a.near {
		if a.Width(u) != a.Width(t) {
			continue
		}
		by, ok := a.IsConst(a.Sub(t, u))
		if ok && new(big.Int).Add(a.UpperBound(u), word(by)).BitLen() <= a.Width(t) {
			return a.Value(u).Plus(Integer(word(by))), true
		}
	}
	return nil, false
}
