// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/term"
)

// Most returns a bound: no value of the term is above it.
func (a *Algebra) Most(t term.Term) *big.Int {
	if m, ok := a.most[t]; ok {
		return m
	}
	m := a.bound(t)
	if limit := new(big.Int).Sub(power(a.Width(t)), big.NewInt(1)); m == nil || m.Cmp(limit) > 0 {
		m = limit
	}
	a.most[t] = m
	return m
}

func (a *Algebra) bound(t term.Term) *big.Int {
	fields := a.fields(t)
	if len(fields) != 1 || fields[0] != a.whole(t) {
		m := new(big.Int)
		for _, f := range fields {
			m.Add(m, new(big.Int).Lsh(a.mostOf(f), uint(f.at)))
		}
		return m
	}
	switch a.Op(t) {
	case term.Const:
		return new(big.Int).SetUint64(a.Imm(t))
	case term.Leaf:
		return new(big.Int).SetUint64(a.Info(t).Max)
	case term.Sum:
		if cut, ok := a.cut(t); ok {
			_, most := a.extent(t)
			return most.Sub(most, cut)
		}
	case term.Apply:
		return a.boundApply(t)
	}
	return nil
}

// extent returns the bounds of a sum before it is cut to the width.
func (a *Algebra) extent(t term.Term) (least, most *big.Int) {
	least, most = new(big.Int).SetUint64(a.Imm(t)), new(big.Int).SetUint64(a.Imm(t))
	for i, arg := range a.Args(t) {
		a.widen(least, most, term.Term(arg), a.coef(t, i))
	}
	return least, most
}

// widen adds to bounds those of a multiple of a term.
func (a *Algebra) widen(least, most *big.Int, t term.Term, by *big.Int) {
	low, high := new(big.Int).Mul(a.Least(t), by), new(big.Int).Mul(a.Most(t), by)
	if by.Sign() < 0 {
		low, high = high, low
	}
	least.Add(least, low)
	most.Add(most, high)
}

// cut returns the multiple of 2^w by which a sum of w bits is less than what it was before
// it was cut, if the bounds tell.
func (a *Algebra) cut(t term.Term) (*big.Int, bool) {
	w := uint(a.Width(t))
	least, most := a.extent(t)
	least, most = least.Rsh(least, w), most.Rsh(most, w)
	return most.Lsh(most, w), least.Lsh(least, w).Cmp(most) == 0
}

// mostOf is Most of some bits.
func (a *Algebra) mostOf(f field) *big.Int {
	m := new(big.Int).Rsh(a.Most(f.of), uint(f.from))
	if limit := new(big.Int).Sub(power(f.bits), big.NewInt(1)); m.Cmp(limit) > 0 {
		return limit
	}
	return m
}

func (a *Algebra) boundApply(t term.Term) *big.Int {
	args := a.Args(t)
	product := func() *big.Int {
		return new(big.Int).Mul(a.Most(term.Term(args[0])), a.Most(term.Term(args[1])))
	}
	switch a.Func(t) {
	case term.Product:
		return product()
	case term.ProductHigh:
		return new(big.Int).Rsh(product(), uint(a.Width(t)))
	case term.Product52:
		if m := product(); m.Cmp(power(52)) < 0 {
			return m
		}
		return new(big.Int).Sub(power(52), big.NewInt(1))
	case term.Product52High:
		return new(big.Int).Rsh(product(), 52)
	case term.CarryOf, term.BorrowOf, term.IsZero, term.SignedLess:
		return big.NewInt(1)
	}
	return nil
}

// Least returns a bound: no value of the term is below it.
func (a *Algebra) Least(t term.Term) *big.Int {
	if l, ok := a.least[t]; ok {
		return l
	}
	l := a.lower(t)
	a.least[t] = l
	return l
}

func (a *Algebra) lower(t term.Term) *big.Int {
	fields := a.fields(t)
	if len(fields) != 1 || fields[0] != a.whole(t) {
		l := new(big.Int)
		for _, f := range fields {
			if a.Most(f.of).BitLen() <= f.from+f.bits { // its upper bits
				l.Add(l, new(big.Int).Lsh(new(big.Int).Rsh(a.Least(f.of), uint(f.from)), uint(f.at)))
			}
		}
		return l
	}
	switch a.Op(t) {
	case term.Const:
		return new(big.Int).SetUint64(a.Imm(t))
	case term.Leaf:
		return new(big.Int).SetUint64(a.Info(t).Min)
	case term.Sum:
		if cut, ok := a.cut(t); ok {
			least, _ := a.extent(t)
			return least.Sub(least, cut)
		}
	}
	return new(big.Int)
}
