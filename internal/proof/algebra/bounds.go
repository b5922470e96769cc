// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"fmt"
	"math/big"

	"github.com/unimac/unimac/internal/proof/term"
)

type span struct{ least, most *big.Int }

func (s span) add(x span, by *big.Int) {
	least, most := x.least, x.most
	if by.Sign() < 0 {
		least, most = most, least
	}
	s.least.Add(s.least, new(big.Int).Mul(least, by))
	s.most.Add(s.most, new(big.Int).Mul(most, by))
}

func (s span) sub(v *big.Int) { s.add(span{v, v}, big.NewInt(-1)) }

// Most returns an upper bound of a term.
func (a *Algebra) Most(t term.Term) *big.Int { return a.span(t).most }

// Signed returns bounds on t. A 64-bit term counts as signed, and a narrower term as
// unsigned. The bounds are exact integers, not reduced modulo 2^64, so high may exceed
// math.MaxInt64 if t has 64 bits. The register may then hold a value that is negative
// as an int64.
func (a *Algebra) Signed(t term.Term) (low, high *big.Int) {
	s := a.span(t)
	if a.Width(t) < 64 {
		return s.least, s.most
	}
	if a.Op(t) == term.Sum {
		s = a.extent(t)
	}
	wraps := new(big.Int).Add(s.least, power(63))
	wraps.Lsh(wraps.Rsh(wraps, 64), 64)
	return new(big.Int).Sub(s.least, wraps), new(big.Int).Sub(s.most, wraps)
}

// Within returns an error unless bounds prove least <= t <= most.
func (a *Algebra) Within(t term.Term, least, most uint64) error {
	if all := ^uint64(0) >> (64 - a.Width(t)); least == 0 && most >= all {
		return nil
	}
	switch s := a.span(t); {
	case s.least.Cmp(word(least)) < 0:
		return fmt.Errorf("may be %#x, less than %#x", s.least, least)
	case s.most.Cmp(word(most)) > 0:
		return fmt.Errorf("may be %#x, more than %#x", s.most, most)
	}
	return nil
}

// Between replaces the known bounds of a term.
func (a *Algebra) Between(t term.Term, least, most int64) {
	a.spans[t] = span{big.NewInt(least), big.NewInt(most)}
}

func (a *Algebra) bound(t term.Term, least, most *big.Int) {
	s := a.span(t)
	if s.least.Cmp(least) < 0 {
		s.least = least
	}
	if s.most.Cmp(most) > 0 {
		s.most = most
	}
	a.spans[t] = s
}

func (a *Algebra) span(t term.Term) span {
	s, ok := a.spans[t]
	if !ok {
		s = a.makeSpan(t)
		if all := new(big.Int).Sub(power(a.Width(t)), big.NewInt(1)); s.most == nil || s.most.Cmp(all) > 0 {
			s.most = all
		}
		a.spans[t] = s
	}
	return s
}

// makeSpan derives bounds from the operands of t. Nil means no upper bound.
func (a *Algebra) makeSpan(t term.Term) span {
	s := span{new(big.Int), new(big.Int)}
	if fields, ok := a.fields(t); ok {
		for _, f := range fields {
			of := a.span(f.of)
			least, most := new(big.Int), new(big.Int).Rsh(of.most, uint(f.from))
			if most.BitLen() <= f.bits { // the field consists of the term's upper bits
				least.Rsh(of.least, uint(f.from))
			} else {
				most.Sub(power(f.bits), big.NewInt(1))
			}
			s.add(span{least, most}, power(f.at))
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
		return span{s.least, a.mostOf(t)}
	}
	return span{s.least, nil}
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
	s.least.Rsh(s.least, w)
	s.most.Rsh(s.most, w)
	return new(big.Int).Lsh(s.most, w), s.least.Cmp(s.most) == 0
}

func (a *Algebra) mostOf(t term.Term) *big.Int {
	product := func(above int) *big.Int {
		p := new(big.Int).Mul(a.Most(term.Term(a.Args(t)[0])), a.Most(term.Term(a.Args(t)[1])))
		return p.Rsh(p, uint(above))
	}
	switch a.Func(t) {
	case term.Product:
		return product(0)
	case term.ProductHigh:
		return product(a.Width(t))
	case term.CarryOf, term.BorrowOf, term.IsZero, term.SignedLess:
		return big.NewInt(1)
	}
	return nil
}
