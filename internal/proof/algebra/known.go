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
	sum = new(big.Int)
	for _, m := range p {
		product := new(big.Int).Set(m.times)
		for v := m.variables; v != ""; v = v[4:] {
			x, ok := a.numberKnown(a.first(v), modeled, valueOf)
			if !ok {
				return nil, false
			}
			product.Mul(product, x)
		}
		sum.Add(sum, product)
	}
	return sum, true
}

func named(name string) *big.Int { return word(0x123456789abcdef + uint64(len(name))) }

func (a *Algebra) numberKnown(u unknown, modeled bool, valueOf func(term.Term) (uint64, bool)) (*big.Int, bool) {
	if u.kind == nothing {
		return named(u.name), modeled
	}
	x, ok := valueOf(u.of)
	if !ok {
		return nil, false
	}
	switch u.kind {
	case value:
		return word(x), true
	case above:
		return word(x >> u.bit), true
	case upper:
		y, ok := valueOf(u.and)
		return new(big.Int).Rsh(new(big.Int).Mul(word(x), word(y)), uint(u.bit)), ok
	}
	// The kind is wraps: count how often the sum wraps around.
	all := word(a.Imm(u.of))
	for i, arg := range a.Args(u.of) {
		y, ok := valueOf(term.Term(arg))
		if !ok {
			return nil, false
		}
		all.Add(all, new(big.Int).Mul(word(y), a.coef(u.of, i)))
	}
	return all.Sub(all, word(x)).Rsh(all, uint(a.Width(u.of))), true
}
