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
	variables map[string]variable
}

// New returns the algebra of a store.
func New(s *term.Store) *Algebra {
	return &Algebra{s, map[term.Term]Poly{}, map[term.Term]*big.Int{}, map[string]variable{}}
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
	w := a.Width(t)
	switch a.Op(t) {
	case term.Const:
		return constant(new(big.Int).SetUint64(a.Imm(t)))
	case term.Sum, term.Shl:
		s, least, most := a.sum(t)
		if least.Sign() >= 0 && most.Cmp(power(w)) < 0 {
			return s
		}
		return s.Add(a.variable("wraps %d", t), new(big.Int).Neg(power(w)))
	case term.Shr:
		return a.above(term.Term(a.Args(t)[0]), int(a.Imm(t)))
	case term.And:
		if v, ok := a.masked(t); ok {
			return v
		}
	case term.Join:
		if u, from, bits, ok := a.slice(t); ok {
			return a.above(u, from).Add(a.above(u, from+bits), new(big.Int).Neg(power(bits)))
		}
	case term.Apply:
		if v, ok := a.apply(t); ok {
			return v
		}
	}
	return a.variable("term %d", t)
}

// sum returns what a sum or a shift to the left is before it is cut to the width, and its
// bounds.
func (a *Algebra) sum(t term.Term) (s Poly, least, most *big.Int) {
	w := a.Width(t)
	s, least, most = Poly{}, new(big.Int), new(big.Int)
	add := func(of term.Term, by *big.Int) {
		s.addScaled(a.Value(of), by)
		bound := new(big.Int).Mul(a.Most(of), by)
		if by.Sign() < 0 {
			least.Add(least, bound)
		} else {
			most.Add(most, bound)
		}
	}
	if a.Op(t) == term.Shl {
		add(term.Term(a.Args(t)[0]), power(int(a.Imm(t))))
		return s, least, most
	}
	fixed := new(big.Int).SetUint64(a.Imm(t))
	s.addScaled(constant(fixed), big.NewInt(1))
	least.Add(least, fixed)
	most.Add(most, fixed)
	for i, arg := range a.Args(t) {
		by := new(big.Int).SetUint64(a.Coef(t, i))
		if by.Bit(w-1) == 1 {
			by.Sub(by, power(w)) // a difference
		}
		add(term.Term(arg), by)
	}
	return s, least, most
}

// above returns t / 2^k, rounded down.
func (a *Algebra) above(t term.Term, k int) Poly {
	switch {
	case k == 0:
		return a.Value(t)
	case new(big.Int).Rsh(a.Most(t), uint(k)).Sign() == 0:
		return Poly{}
	}
	if a.Op(t) == term.Shr {
		return a.above(term.Term(a.Args(t)[0]), k+int(a.Imm(t)))
	}
	if u, from, bits, ok := a.slice(t); ok && (u != t || from != 0) {
		return a.above(u, from+k).Add(a.above(u, from+bits), new(big.Int).Neg(power(bits-k)))
	}
	return a.variable("term %d above %d", t, k)
}

// slice returns the term of which t is some consecutive bits, if it is that, with
// zeros above.
func (a *Algebra) slice(t term.Term) (of term.Term, from, bits int, ok bool) {
	if a.Op(t) != term.Join {
		return t, 0, a.Width(t), false
	}
	args := a.Args(t)
	of, first := term.Byte(args[0]).Of()
	n := 0
	for ; n < len(args); n++ {
		if u, at := term.Byte(args[n]).Of(); u != of || at != first+n {
			break
		}
	}
	for _, rest := range args[n:] {
		if v, known := a.ByteValue(term.Byte(rest)); !known || v != 0 {
			return t, 0, 0, false
		}
	}
	return of, 8 * first, 8 * n, true
}

// masked returns the value of the bits of a term that a constant leaves, if they are
// consecutive.
func (a *Algebra) masked(t term.Term) (Poly, bool) {
	args, mask := a.Args(t), new(big.Int).SetUint64(a.Imm(t))
	if len(args) != 1 {
		return nil, false
	}
	low := int(mask.TrailingZeroBits())
	high := mask.BitLen()
	if new(big.Int).Sub(power(high), power(low)).Cmp(mask) != 0 {
		return nil, false
	}
	u := term.Term(args[0])
	v := Poly{}
	v.addScaled(a.above(u, low), power(low))
	v.addScaled(a.above(u, high), new(big.Int).Neg(power(high)))
	return v, true
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
	return a.variable("upper half of %d and %d", min(x, y), max(x, y))
}

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
	switch a.Op(t) {
	case term.Const:
		return new(big.Int).SetUint64(a.Imm(t))
	case term.Leaf:
		if info := a.Info(t); info.Max > 0 {
			return new(big.Int).SetUint64(info.Max)
		}
	case term.Sum, term.Shl:
		if _, least, most := a.sum(t); least.Sign() >= 0 {
			return most
		}
	case term.Shr:
		return new(big.Int).Rsh(a.Most(term.Term(a.Args(t)[0])), uint(a.Imm(t)))
	case term.And:
		if args := a.Args(t); len(args) == 1 {
			mask := new(big.Int).SetUint64(a.Imm(t))
			if m := a.Most(term.Term(args[0])); m.Cmp(mask) < 0 {
				return m
			}
			return mask
		}
	case term.Join:
		if u, from, bits, ok := a.slice(t); ok {
			m := new(big.Int).Rsh(a.Most(u), uint(from))
			if limit := new(big.Int).Sub(power(bits), big.NewInt(1)); m.Cmp(limit) > 0 {
				m = limit
			}
			return m
		}
	case term.Apply:
		args := a.Args(t)
		switch a.Func(t) {
		case term.Product, term.ProductHigh:
			m := new(big.Int).Mul(a.Most(term.Term(args[0])), a.Most(term.Term(args[1])))
			if a.Func(t) == term.ProductHigh {
				m.Rsh(m, uint(a.Width(t)))
			}
			return m
		case term.CarryOf, term.BorrowOf, term.IsZero, term.SignedLess:
			return big.NewInt(1)
		}
	}
	return nil
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
