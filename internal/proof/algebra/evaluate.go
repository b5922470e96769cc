// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/term"
)

// named returns the number that Model assigns to an unknown that belongs to no term.
func named(name string) *big.Int { return word(0x123456789abcdef + uint64(len(name))) }

// Evaluate returns the value of a polynomial for numbers of terms.
func (a *Algebra) Evaluate(p Poly, number func(term.Term) uint64) *big.Int {
	unknowns := map[string]unknown{}
	for u, variable := range a.variables {
		unknowns[variable] = u
	}
	sum := new(big.Int)
	for _, m := range p {
		product := new(big.Int).Set(m.times)
		for left := m.variables; left != ""; left = left[4:] {
			product.Mul(product, a.number(unknowns[left[:4]], number))
		}
		sum.Add(sum, product)
	}
	return sum
}

// number returns the value of an unknown.
func (a *Algebra) number(u unknown, number func(term.Term) uint64) *big.Int {
	if u.kind == nothing {
		return named(u.name)
	}
	v := word(number(u.of))
	switch u.kind {
	case above:
		v.Rsh(v, uint(u.bit))
	case upper:
		v.Rsh(v.Mul(v, word(number(u.and))), uint(u.bit))
	case wraps:
		s := word(a.Imm(u.of))
		for i, arg := range a.Args(u.of) {
			s.Add(s, new(big.Int).Mul(word(number(term.Term(arg))), a.coef(u.of, i)))
		}
		return s.Rsh(s.Sub(s, v), uint(a.Width(u.of)))
	}
	return v
}
