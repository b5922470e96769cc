// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/term"
)

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
