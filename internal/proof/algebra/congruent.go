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
	parts, kept := []Poly{}, Poly{} // kept contains the monomials without such an input
	for _, m := range p {
		factors, own := Constant(0), ""
		for left := m.variables; left != ""; left = left[4:] {
			if is, ok := a.lets[left[:4]]; ok {
				factors = factors.Mul(is)
			} else {
				own += left[:4]
			}
		}
		if own == m.variables {
			kept = append(kept, m)
		} else {
			parts = append(parts, factors.by(monomial{own, m.times}))
		}
	}
	return total(append(parts, kept)...)
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

// Model returns values of the inputs that satisfy the congruences recorded by Let,
// modulo prime. It calls choose for each input that the congruences do not determine;
// choose must return a value within the input's bounds. Model returns an error if a
// value determined by a congruence is not within the input's bounds.
func (a *Algebra) Model(prime *big.Int, choose func(leaf term.Term) uint64) (model map[term.Term]uint64, err error) {
	model = map[term.Term]uint64{}
	values := &Algebra{lets: map[string]Poly{}}
	for u, variable := range a.variables {
		if u.kind == nothing {
			values.lets[variable] = Integer(named(u.name))
		}
	}
	give := func(variable string, v uint64) {
		model[a.first(variable).of], values.lets[variable] = v, Integer(word(v))
	}
	for _, variable := range slices.Sorted(maps.Keys(a.lets)) {
		// Limbs are variables that are subtracted. The rest of the polynomial determines them.
		var limbs, rest Poly
		for _, m := range a.lets[variable] {
			if _, known := values.lets[m.variables]; len(m.variables) == 4 && m.times.Sign() < 0 && !known {
				limbs = append(limbs, m)
			} else {
				rest = append(rest, m)
			}
		}
		for _, m := range rest {
			for left := m.variables; left != ""; left = left[4:] {
				if _, known := values.lets[left[:4]]; !known {
					give(left[:4], choose(a.first(left).of))
				}
			}
		}
		_, v, _ := values.reduced(rest).solved(prime)
		slices.SortStableFunc(limbs, func(x, y monomial) int { return x.times.Cmp(y.times) }) // largest factor first
		for _, limb := range limbs {
			by := new(big.Int).Neg(limb.times)
			q := new(big.Int).Div(v, by)
			if limit := word(a.Info(a.first(limb.variables).of).Max); q.Cmp(limit) > 0 {
				q = limit
			}
			v.Sub(v, by.Mul(by, q))
			give(limb.variables, q.Uint64())
		}
		if info := a.Info(a.first(variable).of); v.Cmp(word(info.Min)) < 0 || v.Cmp(word(info.Max)) > 0 {
			return nil, fmt.Errorf("%s would be %v, not from %#x to %#x", info.Name, v, info.Min, info.Max)
		}
		give(variable, v.Uint64())
	}
	return model, nil
}

// EvaluateKnown evaluates p, calling valueOf for the value of each term. If modeled is
// true, variables that stand for no term have the values that Model gives them;
// otherwise their values are missing. ok is false if a value is missing or contradicts
// an assumption of a (see Cases).
func (a *Algebra) EvaluateKnown(p Poly, modeled bool, valueOf func(term.Term) (uint64, bool)) (sum *big.Int, ok bool) {
	for _, f := range a.facts {
		if x, ok := valueOf(f.bit); !ok || (x != 0) != f.value {
			return nil, false // the values contradict the case
		}
	}
	ok = true
	number := func(t term.Term) *big.Int {
		x, known := valueOf(t)
		ok = ok && known
		return word(x)
	}
	sum = new(big.Int)
	for _, m := range p {
		product := new(big.Int).Set(m.times)
		for v := m.variables; v != "" && ok; v = v[4:] {
			u := a.first(v)
			ok = u.kind != nothing || modeled
			product.Mul(product, a.evaluated(u, number))
		}
		sum.Add(sum, product)
	}
	return sum, ok
}

func named(name string) *big.Int { return word(0x123456789abcdef + uint64(len(name))) }

func (a *Algebra) evaluated(u unknown, number func(term.Term) *big.Int) *big.Int {
	switch u.kind {
	case value:
		return number(u.of)
	case above:
		return new(big.Int).Rsh(number(u.of), uint(u.bit))
	case upper:
		return new(big.Int).Rsh(new(big.Int).Mul(number(u.of), number(u.and)), uint(u.bit))
	case nothing:
		return named(u.name)
	}
	// The kind is wraps: count how often the sum wraps around.
	all := word(a.Imm(u.of))
	for i, arg := range a.Args(u.of) {
		all.Add(all, new(big.Int).Mul(number(term.Term(arg)), a.coef(u.of, i)))
	}
	return all.Sub(all, number(u.of)).Rsh(all, uint(a.Width(u.of)))
}
