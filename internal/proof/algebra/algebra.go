// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package algebra interprets terms as polynomials with integer coefficients, to check
// calculations modulo a prime. The variables stand for inputs, carries, and the results
// of shifts and multiplications. For example, the 64-bit sum of x and y is x + y -
// 2^64·c, where c is the carry. Start with [Algebra].
package algebra

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/big"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/term"
)

// An Algebra interprets terms as polynomials. Methods panic if this is impossible.
type Algebra struct {
	*term.Store
	values    map[term.Term]Poly
	spans     map[term.Term]span
	near      []term.Term // sums for which the truncated part is known
	parts     map[term.Term][]field
	variables map[unknown]string
	unknowns  []unknown       // indexed by variable
	lets      map[string]Poly // recorded by Let; indexed by variable
	facts     []fact          // facts of the case selected by Cases
}

// New returns an Algebra for a store.
func New(s *term.Store) *Algebra {
	a := &Algebra{
		Store: s, values: map[term.Term]Poly{}, spans: map[term.Term]span{}, parts: map[term.Term][]field{},
		variables: map[unknown]string{}, lets: map[string]Poly{},
	}
	s.OnDrop(func() { *a = Algebra{} })
	return a
}

type unknown struct {
	kind
	of, and term.Term
	bit     int
	name    string
}

type kind int

const (
	value   kind = iota // the value of a term
	wraps               // the number of times a sum wraps around
	above               // the bits of a term from some bit on
	upper               // the bits of a product from some bit on
	nothing             // an integer that has only a name and belongs to no term
)

func (a *Algebra) variable(u unknown) Poly {
	v, ok := a.variables[u]
	if !ok {
		v = string(binary.BigEndian.AppendUint32(nil, uint32(len(a.variables))))
		a.variables[u], a.unknowns = v, append(a.unknowns, u)
	}
	return Poly{{v, one}}
}

// first returns the unknown that the first of variables represents.
func (a *Algebra) first(variables string) unknown {
	return a.unknowns[binary.BigEndian.Uint32([]byte(variables[:4]))]
}

// Unknown returns the unknown integer with the given name, which no term represents.
func (a *Algebra) Unknown(name string) Poly { return a.variable(unknown{kind: nothing, name: name}) }

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
	if fields, ok := a.fields(t); ok {
		var sum Poly
		for _, f := range fields {
			low, high := a.above(f.of, f.from), a.above(f.of, f.from+f.bits)
			sum = sum.Plus(low.Minus(high.Scaled(f.bits)).Scaled(f.at))
		}
		return sum
	}
	switch a.Op(t) {
	case term.Const:
		return Integer(word(a.Imm(t)))
	case term.Sum:
		if v, ok := a.offsetValue(t); ok {
			return v
		}
		s := a.sum(t)
		if cut, ok := a.cut(t); ok {
			return s.Minus(Integer(cut))
		}
		return s.Minus(a.variable(unknown{kind: wraps, of: t}).Scaled(a.Width(t)))
	case term.Apply:
		if v, ok := a.apply(t); ok {
			return v
		}
	}
	return a.variable(unknown{kind: value, of: t})
}

func (a *Algebra) sum(t term.Term) Poly {
	parts := []Poly{Integer(word(a.Imm(t)))}
	for i, arg := range a.Args(t) {
		parts = append(parts, a.Value(term.Term(arg)).times(a.coef(t, i)))
	}
	return total(parts...)
}

func (a *Algebra) coef(t term.Term, i int) *big.Int {
	by := word(a.Coef(t, i))
	if w := a.Width(t); by.Bit(w-1) == 1 {
		by.Sub(by, power(w)) // a factor that subtracts
	}
	return by
}

func (a *Algebra) apply(t term.Term) (Poly, bool) {
	args := a.Args(t)
	x, y := term.Term(args[0]), term.Term(args[min(1, len(args)-1)])
	w := a.Width(x)
	switch a.Func(t) {
	case term.Product:
		return a.Value(x).Mul(a.Value(y)).Minus(a.upper(x, y).Scaled(w)), true
	case term.ProductHigh:
		return a.upper(x, y), true
	case term.CarryOf:
		c := term.Term(args[2])
		sum := a.Add(a.Add(x, y), a.Extend(c, w))
		all := a.Value(x).Plus(a.Value(y)).Plus(a.Value(c)).Minus(a.Value(sum))
		carry, err := all.shifted(w)
		if err != nil {
			panic(fmt.Errorf("a carry of %s: %w", a.Format(sum), err))
		}
		return carry, true
	}
	return nil, false
}

// upper returns the upper half of x·y.
func (a *Algebra) upper(x, y term.Term) Poly {
	w := a.Width(x)
	if new(big.Int).Mul(a.UpperBound(x), a.UpperBound(y)).BitLen() <= w {
		return nil
	}
	for _, t := range [2][2]term.Term{{x, y}, {y, x}} {
		if c, ok := a.IsConst(t[0]); ok { // the lower half is represented as a sum
			all := a.Value(t[1]).times(word(c))
			if v, err := all.Minus(a.Value(a.Scale(t[1], c))).shifted(w); err == nil {
				return v
			}
		}
	}
	return a.variable(unknown{kind: upper, of: min(x, y), and: max(x, y), bit: w})
}

// Hash returns a hash of p that does not depend on variable numbering.
func (a *Algebra) Hash(p Poly, of func(term.Term) uint64) (h uint64) {
	for _, x := range p {
		product := uint64(1)
		for m := x.variables; m != ""; m = m[4:] {
			u := a.first(m)
			v := fnv.New64()
			fmt.Fprint(v, u.kind, u.bit, u.name)
			if u.kind != nothing {
				fmt.Fprint(v, of(u.of)+of(u.and))
			}
			product *= v.Sum64() | 1
		}
		v := fnv.New64()
		fmt.Fprint(v, product, x.times)
		h += v.Sum64()
	}
	return h
}

// Number returns Σ 2^(shift·i)·words[i].
func (a *Algebra) Number(shift int, words ...term.Term) (sum Poly) {
	for i, w := range words {
		sum = sum.Plus(a.Value(w).Scaled(shift * i))
	}
	return sum
}

// A Poly is an immutable list of monomials with different variables, sorted by them.
type Poly []monomial

// A monomial is a product of variables and an integer coefficient.
type monomial struct {
	variables string   // a 4-byte identifier for each variable, in ascending order
	times     *big.Int // the coefficient, which is not 0
}

var one = big.NewInt(1)

// Integer returns a constant polynomial.
func Integer(v *big.Int) Poly {
	if v.Sign() == 0 {
		return nil
	}
	return Poly{{"", new(big.Int).Set(v)}}
}

// Constant returns 2^k.
func Constant(k int) Poly { return Integer(power(k)) }

// total returns the sum of polynomials. It changes list.
func total(list ...Poly) Poly {
	for list = append(list, nil); len(list) > 1; {
		list = append(list[2:], list[0].Plus(list[1])) // balances the lengths of the summands
	}
	return list[0]
}

// Plus returns p + q.
func (p Poly) Plus(q Poly) Poly {
	sum := make(Poly, 0, len(p)+len(q))
	for len(p) > 0 && len(q) > 0 {
		switch order := strings.Compare(p[0].variables, q[0].variables); {
		case order < 0:
			sum, p = append(sum, p[0]), p[1:]
		case order > 0:
			sum, q = append(sum, q[0]), q[1:]
		default:
			if times := new(big.Int).Add(p[0].times, q[0].times); times.Sign() != 0 {
				sum = append(sum, monomial{p[0].variables, times})
			}
			p, q = p[1:], q[1:]
		}
	}
	return append(append(sum, p...), q...)
}

// Minus returns p - q.
func (p Poly) Minus(q Poly) Poly { return p.Plus(q.times(big.NewInt(-1))) }

// Scaled returns 2^k·p.
func (p Poly) Scaled(k int) Poly { return p.times(power(k)) }

func (p Poly) times(by *big.Int) Poly { return p.Mul(Integer(by)) }

// Power returns p^n.
func (p Poly) Power(n int) Poly {
	product := Constant(0)
	for range n {
		product = product.Mul(p)
	}
	return product
}

// Mul returns p·q.
func (p Poly) Mul(q Poly) Poly {
	if len(p) > len(q) {
		p, q = q, p
	}
	parts := make([]Poly, len(p))
	for i, m := range p {
		parts[i] = q.by(m)
	}
	return total(parts...)
}

// by returns p·m.
func (p Poly) by(m monomial) Poly {
	product := make(Poly, len(p))
	for i, x := range p {
		product[i] = monomial{join(x.variables, m.variables), new(big.Int).Mul(x.times, m.times)}
	}
	if m.variables != "" { // the order may have changed
		slices.SortFunc(product, func(x, y monomial) int { return strings.Compare(x.variables, y.variables) })
	}
	return product
}

func join(a, b string) string {
	sorted := make([]byte, 0, 64)
	for a != "" && b != "" {
		if a[:4] > b[:4] {
			a, b = b, a
		}
		sorted, a = append(sorted, a[:4]...), a[4:]
	}
	return string(sorted) + a + b
}

// Known returns the value of p if p has no variables.
func (p Poly) Known() (v *big.Int, ok bool) {
	if len(p) == 0 {
		return new(big.Int), true
	}
	return p[0].times, len(p) == 1 && p[0].variables == ""
}

// shifted returns p / 2^k if it has integer coefficients.
func (p Poly) shifted(k int) (Poly, error) {
	out := make(Poly, len(p))
	for i, m := range p {
		if m.times.TrailingZeroBits() < uint(k) {
			return nil, fmt.Errorf("a coefficient %s is no multiple of 2^%d", m.times, k)
		}
		out[i] = monomial{m.variables, new(big.Int).Rsh(m.times, uint(k))}
	}
	return out, nil
}

func power(k int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(k)) }

func word(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
