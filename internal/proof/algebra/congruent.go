// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"encoding/binary"
	"fmt"
	"math/big"

	"github.com/unimac/unimac/internal/proof/term"
)

// Unknown returns an unknown integer that belongs to no term, by its name.
func (a *Algebra) Unknown(name string) Poly { return a.variable("unknown %s", name) }

// Let says that an input of which nothing is known but bounds is congruent to p, in which
// no such input occurs. So it may be said of limbs that they are a power of something: the
// lowest limb is that power less the other limbs.
func (a *Algebra) Let(leaf term.Term, p Poly) {
	if a.Op(leaf) != term.Leaf {
		panic(fmt.Errorf("algebra: %s is no input", a.Format(leaf)))
	}
	for m := range a.Value(leaf) {
		a.lets[variable(binary.BigEndian.Uint32([]byte(m)))] = p
	}
}

// Congruent reports whether two numbers are congruent for all values of all unknowns, and
// of the inputs that Let says nothing of.
func (a *Algebra) Congruent(x, y Poly, modulus *big.Int) bool {
	for _, c := range a.reduced(x.Minus(y), modulus) {
		if new(big.Int).Mod(c, modulus).Sign() != 0 {
			return false
		}
	}
	return true
}

// reduced replaces what Let has said.
func (a *Algebra) reduced(p Poly, modulus *big.Int) Poly {
	sum := Poly{}
	for m, c := range p {
		var rest []byte
		product := Poly(nil)
		for i := 0; i < len(m); i += 4 {
			q, ok := a.lets[variable(binary.BigEndian.Uint32([]byte(m[i:])))]
			switch {
			case !ok:
				rest = append(rest, m[i:i+4]...)
			case product == nil:
				product = q
			default:
				product = product.Mul(q)
			}
		}
		if product == nil {
			product = Constant(0)
		}
		for with, d := range product {
			sum.add(join(string(rest), with), new(big.Int).Mul(c, d))
		}
	}
	for m, c := range sum {
		if c.Mod(c, modulus); c.Sign() == 0 {
			delete(sum, m)
		}
	}
	return sum
}

// Power returns p^n.
func (p Poly) Power(n int) Poly {
	product := Constant(0)
	for range n {
		product = product.Mul(p)
	}
	return product
}

// Scaled returns 2^k·p.
func (p Poly) Scaled(k int) Poly {
	q := Poly{}
	q.addScaled(p, power(k))
	return q
}

// AtMost returns an error if a term may be above a bound.
func (a *Algebra) AtMost(t term.Term, bound uint64) error {
	if most := a.Most(t); most.Cmp(new(big.Int).SetUint64(bound)) > 0 {
		return fmt.Errorf("may be %#x, more than %#x", most, bound)
	}
	return nil
}
