// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"fmt"
	"math/big"

	"github.com/unimac/unimac/internal/proof/term"
)

// An Algebra reads the terms of a store. Its methods panic with an error on terms that
// have no such reading.
type Algebra struct {
	*term.Store
	values    map[term.Term]Poly
	most      map[term.Term]*big.Int
	least     map[term.Term]*big.Int
	near      []term.Term // sums of which it is known what is cut off
	parts     map[term.Term][]field
	words     map[term.Term]place
	variables map[string]variable
	lets      map[variable]Poly
}

// New returns the algebra of a store.
func New(s *term.Store) *Algebra {
	a := &Algebra{
		Store: s, values: map[term.Term]Poly{}, most: map[term.Term]*big.Int{}, least: map[term.Term]*big.Int{}, parts: map[term.Term][]field{},
		words: map[term.Term]place{}, variables: map[string]variable{}, lets: map[variable]Poly{},
	}
	s.OnDrop(func() { *a = Algebra{} })
	return a
}

func (a *Algebra) variable(format string, args ...any) Poly {
	key := fmt.Sprintf(format, args...)
	v, ok := a.variables[key]
	if !ok {
		v = variable(len(a.variables))
		a.variables[key] = v
	}
	return single(v)
}

// Value returns a term as an integer from 0 to 2^width - 1.
func (a *Algebra) Value(t term.Term) Poly {
	if v, ok := a.values[t]; ok {
		return v
	}
	v := a.value(t)
	a.values[t] = v
	return v
}

func (a *Algebra) value(t term.Term) Poly {
	fields := a.fields(t)
	if len(fields) != 1 || fields[0] != a.whole(t) {
		v := Poly{}
		for _, f := range fields {
			v.addScaled(a.field(f), power(f.at))
		}
		return v
	}
	w := a.Width(t)
	switch a.Op(t) {
	case term.Const:
		return constant(new(big.Int).SetUint64(a.Imm(t)))
	case term.Sum:
		if v, ok := a.beside(t); ok {
			return v
		}
		s := a.sum(t)
		if cut, ok := a.cut(t); ok {
			return s.Minus(constant(cut))
		}
		return s.Add(a.variable("wraps %d", t), new(big.Int).Neg(power(w)))
	case term.Apply:
		if v, ok := a.apply(t); ok {
			return v
		}
	}
	return a.variable("term %d", t)
}

// sum returns what a sum is before it is cut to the width.
func (a *Algebra) sum(t term.Term) Poly {
	s := Poly{}
	s.add("", new(big.Int).SetUint64(a.Imm(t)))
	for i, arg := range a.Args(t) {
		s.addScaled(a.Value(term.Term(arg)), a.coef(t, i))
	}
	return s
}

// coef returns by what argument i of a sum is multiplied, as a number with a sign.
func (a *Algebra) coef(t term.Term, i int) *big.Int {
	by := new(big.Int).SetUint64(a.Coef(t, i))
	if w := a.Width(t); by.Bit(w-1) == 1 {
		by.Sub(by, power(w)) // a difference
	}
	return by
}

func (a *Algebra) apply(t term.Term) (Poly, bool) {
	args := a.Args(t)
	x, y := term.Term(args[0]), term.Term(args[min(1, len(args)-1)])
	w := a.Width(x)
	switch a.Func(t) {
	case term.Product:
		product := a.Value(x).Mul(a.Value(y))
		return product.Add(a.upper(x, y), new(big.Int).Neg(power(w))), true
	case term.ProductHigh:
		return a.upper(x, y), true
	case term.Product52:
		product := a.Value(x).Mul(a.Value(y))
		return product.Add(a.above52(x, y), new(big.Int).Neg(power(52))), true
	case term.Product52High:
		return a.above52(x, y), true
	case term.CarryOf:
		c := term.Term(args[2])
		sum := a.Add(a.Add(x, y), a.Extend(c, w))
		all := a.Value(x).Add(a.Value(y), big.NewInt(1)).Add(a.Value(c), big.NewInt(1)).Add(a.Value(sum), big.NewInt(-1))
		carry, err := all.shifted(w)
		if err != nil {
			panic(fmt.Errorf("a carry of %s: %w", a.Format(sum), err))
		}
		return carry, true
	}
	return nil, false
}

// upper returns the upper half of a product.
func (a *Algebra) upper(x, y term.Term) Poly {
	if new(big.Int).Mul(a.Most(x), a.Most(y)).Cmp(power(a.Width(x))) < 0 {
		return Poly{}
	}
	for _, t := range [2][2]term.Term{{x, y}, {y, x}} {
		if c, ok := a.IsConst(t[0]); ok { // the lower half is a sum
			all := a.Value(t[1]).Mul(constant(new(big.Int).SetUint64(c)))
			if v, err := all.Minus(a.Value(a.Scale(t[1], c))).shifted(a.Width(x)); err == nil {
				return v
			}
		}
	}
	return a.variable("upper half of %d and %d", min(x, y), max(x, y))
}

// above52 returns what is above the lower 52 bits of a product.
func (a *Algebra) above52(x, y term.Term) Poly {
	if new(big.Int).Mul(a.Most(x), a.Most(y)).Cmp(power(52)) < 0 {
		return Poly{}
	}
	return a.variable("%d times %d above 52", min(x, y), max(x, y))
}

// Number returns Σ 2^(shift·i)·words[i].
func (a *Algebra) Number(shift int, words ...term.Term) Poly {
	n := Poly{}
	for i, w := range words {
		n.addScaled(a.Value(w), power(shift*i))
	}
	return n
}

// Constant returns 2^k.
func Constant(k int) Poly { return constant(power(k)) }

// Minus returns p - q.
func (p Poly) Minus(q Poly) Poly { return p.Add(q, big.NewInt(-1)) }

// Plus returns p + q.
func (p Poly) Plus(q Poly) Poly { return p.Add(q, big.NewInt(1)) }

// Integer returns a known number.
func Integer(v *big.Int) Poly { return constant(v) }
