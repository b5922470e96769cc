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
	values := map[string]*big.Int{}
	for u, variable := range a.variables {
		if x, ok := is(u.of); ok && u.kind == value {
			values[variable] = word(x)
		}
	}
	left := slices.Sorted(maps.Keys(a.lets))
	for len(left) > 0 {
		var later []string
		for _, variable := range left {
			let := a.lets[variable]
			unknown, rest, ok := let.is.Minus(a.Value(let.leaf)).solved(values, prime)
			switch {
			case !ok:
				later = append(later, variable)
			case unknown != "":
				values[unknown] = rest
			case rest.Sign() != 0:
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

// solved returns what a polynomial is modulo a prime or, if there is one variable left that
// stands by itself, for which value of it the polynomial is 0.
func (p Poly) solved(values map[string]*big.Int, prime *big.Int) (unknown string, rest *big.Int, ok bool) {
	rest, by := new(big.Int), new(big.Int)
	for m, c := range p {
		product, open := new(big.Int).Set(c), ""
		for ; m != ""; m = m[4:] {
			if x := values[m[:4]]; x != nil {
				product.Mul(product, x)
				product.Mod(product, prime)
			} else {
				open += m[:4]
			}
		}
		switch {
		case open == "":
			rest.Add(rest, product)
		case len(open) == 4 && (unknown == "" || unknown == open):
			unknown = open
			by.Add(by, product)
		default:
			return "", nil, false
		}
	}
	if unknown != "" {
		if by.ModInverse(by, prime) == nil {
			return "", nil, false
		}
		rest.Mul(rest.Neg(rest), by)
	}
	return unknown, rest.Mod(rest, prime), true
}
