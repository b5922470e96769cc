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
		if least, most := a.extent(t); least.Sign() >= 0 {
			return most
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
		by := a.coef(t, i)
		bound := new(big.Int).Mul(a.Most(term.Term(arg)), by)
		if by.Sign() < 0 {
			least.Add(least, bound)
		} else {
			most.Add(most, bound)
		}
	}
	return least, most
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
