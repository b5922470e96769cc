// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

// A relation is what Let has said of an input.
type relation struct {
	leaf term.Term
	is   Poly
}

// Let says that an input of which nothing is known but bounds is congruent to p, in which
// no such input occurs. So it may be said of limbs that they are a power of something: the
// lowest limb is that power less the other limbs.
func (a *Algebra) Let(leaf term.Term, p Poly) {
	if a.Op(leaf) != term.Leaf {
		panic(fmt.Errorf("algebra: %s is no input", a.Format(leaf)))
	}
	for variable := range a.Value(leaf) {
		a.lets[variable] = relation{leaf, p}
	}
}

// Congruent reports whether two numbers are congruent for all values of all unknowns, and
// of the inputs that Let says nothing of: whether all coefficients are multiples of the modulus.
func (a *Algebra) Congruent(x, y Poly, modulus *big.Int) bool {
	for _, c := range a.reduced(x.Minus(y)) {
		if new(big.Int).Mod(c, modulus).Sign() != 0 {
			return false
		}
	}
	return true
}

// reduced replaces what Let has said.
func (a *Algebra) reduced(p Poly) Poly {
	sum := Poly{}
	for m, c := range p {
		rest, product := "", Constant(0)
		for ; m != ""; m = m[4:] {
			if let, ok := a.lets[m[:4]]; ok {
				product = product.Mul(let.is)
			} else {
				rest += m[:4]
			}
		}
		for with, d := range product {
			sum.add(join(rest, with), new(big.Int).Mul(c, d))
		}
	}
	return sum
}

// Holds checks that inputs with these values are what Let says, modulo a prime. An unknown is
// what a relation says in which it stands by itself.
func (a *Algebra) Holds(is func(term.Term) (uint64, bool), prime *big.Int) error {
	values := &Algebra{lets: map[string]relation{}}
	for u, variable := range a.variables {
		if x, ok := is(u.of); ok && u.kind == value {
			values.lets[variable] = relation{is: Integer(word(x))}
		}
	}
	left := slices.Sorted(maps.Keys(a.lets))
	for len(left) > 0 {
		var later []string
		for _, variable := range left {
			let := a.lets[variable]
			unknown, v, ok := values.reduced(let.is.Minus(a.Value(let.leaf))).solved(prime)
			switch {
			case !ok:
				later = append(later, variable)
			case unknown != "":
				values.lets[unknown] = relation{is: Integer(v)}
			case v.Sign() != 0:
				return fmt.Errorf("%s is not congruent to what it stands for", a.Format(let.leaf))
			}
		}
		if len(later) == len(left) {
			return fmt.Errorf("%s stands for what is not known", a.Format(a.lets[left[0]].leaf))
		}
		left = later
	}
	return nil
}

// solved returns what a polynomial is modulo a prime or, if there is one variable in it that
// stands by itself, for which value of it the polynomial is 0.
func (p Poly) solved(prime *big.Int) (unknown string, v *big.Int, ok bool) {
	v, by := new(big.Int), big.NewInt(1)
	for m, c := range p {
		switch {
		case m == "":
			v.Set(c)
		case len(m) > 4 || unknown != "" || by.ModInverse(new(big.Int).Neg(c), prime) == nil:
			return "", nil, false
		default:
			unknown = m
		}
	}
	return unknown, v.Mod(v.Mul(v, by), prime), true
}
