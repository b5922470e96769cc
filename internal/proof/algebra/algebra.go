// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/big"

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
