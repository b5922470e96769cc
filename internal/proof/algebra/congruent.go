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

// Let records the assumption that leaf, an input of the function, is congruent to the
// polynomial p. The modulus is not recorded, because it is an argument of the methods
// that use the assumption, such as Congruent. The caller must make no other assumption
// about leaf, except for its bounds, and p must not contain inputs passed to Let. For
// example, p is r·r if leaf is an input that holds the square of r.
func (a *Algebra) Let(leaf term.Term, p Poly) {
	if a.Op(leaf) != term.Leaf {
		panic(fmt.Errorf("algebra: %s is no input", a.Format(leaf)))
	}
	for _, m := range a.Value(leaf) {
		a.lets[m.variables] = p
	}
}

// Changed reports whether an assumption recorded by Let mentions a leaf that u replaces.
func (a *Algebra) Changed(u *term.Substitution) (found bool) {
	look := a.Substitute(func(x term.Term) term.Term {
		found = found || u.Term(x) != x
		return x
	})
	for variable, is := range a.lets {
		for _, m := range append(Poly{{variable, one}}, is...) {
			for left := m.variables; left != ""; left = left[4:] {
				u := a.first(left)
				look.Term(u.of)
				look.Term(u.and)
			}
		}
	}
	return found
}

// Congruent reports whether x and y are provably congruent modulo modulus.
func (a *Algebra) Congruent(x, y Poly, modulus *big.Int) bool {
	for _, m := range a.reduced(x.Minus(y)) {
		if new(big.Int).Mod(m.times, modulus).Sign() != 0 {
			return false
		}
	}
	return true
}

// reduced replaces each input that was passed to Let with its polynomial.
func (a *Algebra) reduced(p Poly) Poly {
	parts := make([]Poly, len(p))
	for i, m := range p {
		parts[i] = Integer(m.times)
		for left := m.variables; left != ""; left = left[4:] {
			factor, ok := a.lets[left[:4]]
			if !ok {
				factor = Poly{{left[:4], one}}
			}
			parts[i] = parts[i].Mul(factor)
		}
	}
	return total(parts...)
}

// Holds checks the congruences for given values and solves those with one unknown.
func (a *Algebra) Holds(is func(term.Term) (uint64, bool), prime *big.Int) error {
	values := &Algebra{lets: map[string]Poly{}}
	for u, variable := range a.variables {
		if x, ok := is(u.of); ok && u.kind == value {
			values.lets[variable] = Integer(word(x))
		}
	}
	left := slices.Sorted(maps.Keys(a.lets))
	for len(left) > 0 {
		var later []string
		for _, variable := range left {
			unknown, v, ok := values.reduced(a.lets[variable].Minus(Poly{{variable, one}})).solved(prime)
			switch {
			case !ok:
				later = append(later, variable)
			case unknown != "":
				values.lets[unknown] = Integer(v)
			case v.Sign() != 0:
				return fmt.Errorf("%s is not congruent to what it stands for", a.Format(a.first(variable).of))
			}
		}
		if len(later) == len(left) {
			return fmt.Errorf("%s stands for what is not known", a.Format(a.first(left[0]).of))
		}
		left = later
	}
	return nil
}

// solved returns p's value or, if p is linear, p's root, modulo prime.
func (p Poly) solved(prime *big.Int) (unknown string, v *big.Int, ok bool) {
	v, by := new(big.Int), big.NewInt(1)
	for _, m := range p {
		switch {
		case m.variables == "":
			v.Set(m.times)
		case len(m.variables) > 4 || unknown != "" || by.ModInverse(new(big.Int).Neg(m.times), prime) == nil:
			return "", nil, false
		default:
			unknown = m.variables
		}
	}
	return unknown, v.Mod(v.Mul(v, by), prime), true
}
