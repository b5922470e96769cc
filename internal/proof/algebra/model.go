// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

// Model returns values of the inputs for which all that Let has said holds modulo a prime, within their bounds. Unknowns,
// which are no inputs, are some numbers below 2^59, and inputs of which Let says nothing are what any returns, except for
// those of which multiples are subtracted, as of limbs.
func (a *Algebra) Model(prime *big.Int, any func(leaf term.Term) uint64) (model map[term.Term]uint64, err error) {
	model = map[term.Term]uint64{}
	values := &Algebra{lets: map[string]relation{}}
	is := map[string]unknown{}
	for u, variable := range a.variables {
		is[variable] = u
		if u.kind == nothing {
			values.lets[variable] = relation{is: Integer(word(0x123456789abcdef + uint64(len(u.name))))}
		}
	}
	give := func(variable string, v uint64) {
		model[is[variable].of], values.lets[variable] = v, relation{is: Integer(word(v))}
	}
	for _, variable := range slices.Sorted(maps.Keys(a.lets)) {
		let := a.lets[variable]
		limbs := a.limbs(let.is, values)
		for _, m := range slices.Sorted(maps.Keys(let.is)) {
			for ; m != ""; m = m[4:] {
				if _, known := values.lets[m[:4]]; !known && !slices.Contains(limbs, m[:4]) {
					give(m[:4], any(is[m[:4]].of))
				}
			}
		}
		rest := Poly{}
		for m, c := range let.is {
			if !slices.Contains(limbs, m) {
				rest[m] = c
			}
		}
		_, v, _ := values.reduced(rest).solved(prime)
		for _, limb := range limbs {
			by := new(big.Int).Neg(let.is[limb])
			q := new(big.Int).Div(v, by)
			if most := word(a.Info(is[limb].of).Max); q.Cmp(most) > 0 {
				q = most
			}
			v.Sub(v, by.Mul(by, q))
			give(limb, q.Uint64())
		}
		if info := a.Info(let.leaf); v.Cmp(word(info.Min)) < 0 || v.Cmp(word(info.Max)) > 0 {
			return nil, fmt.Errorf("%s would be %v, not from %#x to %#x", info.Name, v, info.Min, info.Max)
		}
		give(variable, v.Uint64())
	}
	return model, nil
}

// limbs returns the variables, without a value, of which multiples are subtracted, the largest one first.
func (a *Algebra) limbs(p Poly, values *Algebra) (list []string) {
	for m, c := range p {
		if _, known := values.lets[m]; len(m) == 4 && c.Sign() < 0 && !known {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(x, y string) int { return cmp.Or(p[x].Cmp(p[y]), cmp.Compare(x, y)) })
	return list
}
