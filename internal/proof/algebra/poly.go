// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package algebra reads terms as integers: each is a polynomial in the inputs and in
// unknowns that carries, shifts and products leave. So two numbers can be compared
// modulo a prime, by expansion alone.
package algebra

import (
	"encoding/binary"
	"fmt"
	"math/big"
)

// A variable is an unknown integer, by its number.
type variable uint32

// A Poly is a polynomial with integer coefficients: monomials are the sorted numbers
// of their variables, four bytes each.
type Poly map[string]*big.Int

func constant(v *big.Int) Poly {
	p := Poly{}
	if v.Sign() != 0 {
		p[""] = v
	}
	return p
}

func single(v variable) Poly {
	return Poly{string(binary.BigEndian.AppendUint32(nil, uint32(v))): big.NewInt(1)}
}

// addScaled adds a multiple of q to p, which it changes, and whose coefficients are its own.
func (p Poly) addScaled(q Poly, by *big.Int) {
	for m, c := range q {
		p.add(m, new(big.Int).Mul(c, by))
	}
}

// add adds c times a monomial to p.
func (p Poly) add(m string, c *big.Int) {
	old, ok := p[m]
	if ok {
		c = old.Add(old, c)
	}
	switch {
	case c.Sign() == 0:
		delete(p, m)
	case !ok:
		p[m] = c
	}
}

// Add returns p + by·q.
func (p Poly) Add(q Poly, by *big.Int) Poly {
	sum := Poly{}
	sum.addScaled(p, big.NewInt(1))
	sum.addScaled(q, by)
	return sum
}

// Mul returns p·q.
func (p Poly) Mul(q Poly) Poly {
	product := Poly{}
	for a, x := range p {
		for b, y := range q {
			product.add(join(a, b), new(big.Int).Mul(x, y))
		}
	}
	return product
}

// join returns the monomial that is the product of two.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	out := make([]byte, 0, 64)
	for a != "" && b != "" {
		if a[:4] <= b[:4] {
			out, a = append(out, a[:4]...), a[4:]
		} else {
			out, b = append(out, b[:4]...), b[4:]
		}
	}
	out = append(append(out, a...), b...)
	return string(out)
}

// shifted returns p / 2^k, if that has integer coefficients.
func (p Poly) shifted(k int) (Poly, error) {
	out := Poly{}
	for m, c := range p {
		if c.TrailingZeroBits() < uint(k) {
			return nil, fmt.Errorf("a coefficient %s is no multiple of 2^%d", c, k)
		}
		out[m] = new(big.Int).Rsh(c, uint(k))
	}
	return out, nil
}

// Divisible reports whether every coefficient is a multiple of the modulus: then the
// polynomial is one for all values of its variables.
func (p Poly) Divisible(modulus *big.Int) bool {
	for _, c := range p {
		if new(big.Int).Mod(c, modulus).Sign() != 0 {
			return false
		}
	}
	return true
}

func power(k int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(k)) }
