// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

// Holds checks that inputs with these values are what Let says, modulo a prime. An unknown is
// what a relation says in which it stands by itself.
func (a *Algebra) Holds(value func(term.Term) (uint64, bool), prime *big.Int) error {
	values := map[variable]*big.Int{}
	names := map[variable]string{}
	for name, v := range a.variables {
		names[v] = name
		var t term.Term
		if _, err := fmt.Sscanf(name, "term %d", &t); err == nil && fmt.Sprintf("term %d", t) == name {
			if x, ok := value(t); ok {
				values[v] = new(big.Int).SetUint64(x)
			}
		}
	}
	left := slices.Sorted(maps.Keys(a.lets))
	for len(left) > 0 {
		var later []variable
		for _, v := range left {
			unknown, rest, ok := a.lets[v].Minus(single(v)).solved(values, prime)
			switch {
			case !ok:
				later = append(later, v)
			case unknown != nil:
				values[*unknown] = rest
			case rest.Sign() != 0:
				return fmt.Errorf("%s is not congruent to what it stands for", a.described(names[v]))
			}
		}
		if len(later) == len(left) {
			return fmt.Errorf("%s stands for what is not known", a.described(names[left[0]]))
		}
		left = later
	}
	return nil
}

// described is the name of an input.
func (a *Algebra) described(variable string) string {
	var t term.Term
	if _, err := fmt.Sscanf(variable, "term %d", &t); err != nil {
		return variable
	}
	return a.Format(t)
}

// solved returns what a polynomial is modulo a prime or, if there is one variable left that
// stands by itself, for which value of it the polynomial is 0.
func (p Poly) solved(values map[variable]*big.Int, prime *big.Int) (unknown *variable, rest *big.Int, ok bool) {
	rest, by := new(big.Int), new(big.Int)
	for m, c := range p {
		product := new(big.Int).Set(c)
		var open []variable
		for i := 0; i < len(m); i += 4 {
			v := variable(binary.BigEndian.Uint32([]byte(m[i:])))
			if x := values[v]; x != nil {
				product.Mul(product, x)
				product.Mod(product, prime)
			} else {
				open = append(open, v)
			}
		}
		switch {
		case len(open) == 0:
			rest.Add(rest, product)
		case len(open) == 1 && (unknown == nil || *unknown == open[0]):
			unknown = &open[0]
			by.Add(by, product)
		default:
			return nil, nil, false
		}
	}
	rest.Mod(rest, prime)
	if unknown == nil {
		return nil, rest, true
	}
	inverse := new(big.Int).ModInverse(by.Mod(by, prime), prime)
	if inverse == nil {
		return nil, nil, false
	}
	rest.Neg(rest)
	return unknown, rest.Mod(rest.Mul(rest, inverse), prime), true
}
