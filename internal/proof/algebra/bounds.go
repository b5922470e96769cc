// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"fmt"
	"math/big"

	"github.com/unimac/unimac/internal/proof/term"
)

type span struct{ lower, upper *big.Int }

func (s span) add(x span, by *big.Int) {
	lower, upper := x.lower, x.upper
	if by.Sign() < 0 {
		lower, upper = upper, lower
	}
	s.lower.Add(s.lower, new(big.Int).Mul(lower, by))
	s.upper.Add(s.upper, new(big.Int).Mul(upper, by))
}

func (s span) sub(v *big.Int) { s.add(span{v, v}, big.NewInt(-1)) }

// UpperBound returns an upper bound of a term.
func (a *Algebra) UpperBound(t term.Term) *big.Int { return a.span(t).upper }

// Signed returns bounds on t as an integer, signed if t has 64 bits and unsigned
// otherwise. The bounds are not reduced modulo 2^64: if high exceeds math.MaxInt64, t
// may also be negative.
func (a *Algebra) Signed(t term.Term) (low, high *big.Int) {
	s := a.span(t)
	if a.Width(t) < 64 {
		return s.lower, s.upper
	}
	if a.Op(t) == term.Sum {
		s = a.extent(t)
	}
	wraps := new(big.Int).Add(s.lower, power(63))
	wraps.Lsh(wraps.Rsh(wraps, 64), 64)
	return new(big.Int).Sub(s.lower, wraps), new(big.Int).Sub(s.upper, wraps)
}

// Within returns an error unless bounds prove lower <= t <= upper.
func (a *Algebra) Within(t term.Term, lower, upper uint64) error {
	if all := ^uint64(0) >> (64 - a.Width(t)); lower == 0 && upper >= all {
		return nil
	}
	switch s := a.span(t); {
	case s.lower.Cmp(word(lower)) < 0:
		return fmt.Errorf("may be %#x, less than %#x", s.lower, lower)
	case s.upper.Cmp(word(upper)) > 0:
		return fmt.Errorf("may be %#x, more than %#x", s.upper, upper)
	}
	return nil
}

// Between replaces the known bounds of a term.
func (a *Algebra) Between(t term.Term, lower, upper int64) {
	a.spans[t] = span{big.NewInt(lower), big.NewInt(upper)}
}

func (a *Algebra) bound(t term.Term, lower, upper *big.Int) {
	s := a.span(t)
	if s.lower.Cmp(lower) < 0 {
		s.lower = lower
	}
	if s.upper.Cmp(upper) > 0 {
		s.upper = upper
	}
	a.spans[t] = s
}

func (a *Algebra) span(t term.Term) span {
	s, ok := a.spans[t]
	if !ok {
		s = a.makeSpan(t)
		if all := new(big.Int).Sub(power(a.Width(t)), one); s.upper.Cmp(all) > 0 {
			s.upper = all
		}
		a.spans[t] = s
	}
	return s
}

// makeSpan derives bounds from the operands of t. The upper bound may exceed the width.
func (a *Algebra) makeSpan(t term.Term) span {
	s := span{new(big.Int), new(big.Int)}
	if fields, ok := a.fields(t); ok {
		for _, f := range fields {
			of := a.span(f.of)
			lower, upper := new(big.Int), new(big.Int).Rsh(of.upper, uint(f.from))
			if upper.BitLen() <= f.bits { // the field consists of the term's upper bits
				lower.Rsh(of.lower, uint(f.from))
			} else {
				upper.Sub(power(f.bits), one)
			}
			s.add(span{lower, upper}, power(f.at))
		}
		return s
	}
	switch a.Op(t) {
	case term.Const:
		return span{word(a.Imm(t)), word(a.Imm(t))}
	case term.Leaf:
		return span{word(a.Info(t).Min), word(a.Info(t).Max)}
	case term.Sum:
		if cut, ok := a.cut(t); ok {
			s = a.extent(t)
			s.sub(cut)
			return s
		}
	case term.Apply:
		switch a.Func(t) {
		case term.Product, term.ProductHigh:
			s.upper.Mul(a.UpperBound(term.Term(a.Args(t)[0])), a.UpperBound(term.Term(a.Args(t)[1])))
			if a.Func(t) == term.ProductHigh {
				s.upper.Rsh(s.upper, uint(a.Width(t)))
			}
			return s
		case term.CarryOf, term.BorrowOf, term.IsZero, term.SignedLess:
			return span{s.lower, one}
		}
	}
	return span{s.lower, power(a.Width(t))}
}

func (a *Algebra) extent(t term.Term) span {
	s := span{word(a.Imm(t)), word(a.Imm(t))}
	for i, arg := range a.Args(t) {
		s.add(a.span(term.Term(arg)), a.coef(t, i))
	}
	return s
}

// cut returns the multiple of 2^w that truncation subtracts, if bounds determine it.
func (a *Algebra) cut(t term.Term) (*big.Int, bool) {
	w, s := uint(a.Width(t)), a.extent(t)
	s.lower.Rsh(s.lower, w)
	s.upper.Rsh(s.upper, w)
	return new(big.Int).Lsh(s.upper, w), s.lower.Cmp(s.upper) == 0
}
