// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package algebra reads terms as integers: each is a polynomial in the inputs and in
// unknowns that carries, shifts and products leave. So two numbers can be compared
// modulo a prime, by expansion alone.
package algebra

import (
	"fmt"
	"math/big"
)

// A Poly is a polynomial with integer coefficients. Its variables are strings of four
// bytes, and monomials are those of their variables, sorted.
type Poly map[string]*big.Int

// Integer returns a known number.
func Integer(v *big.Int) Poly {
	p := Poly{}
	p.add("", new(big.Int).Set(v))
	return p
}

// Constant returns 2^k.
func Constant(k int) Poly { return Integer(power(k)) }

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

// Minus returns p - q.
func (p Poly) Minus(q Poly) Poly { return p.Add(q, big.NewInt(-1)) }

// Plus returns p + q.
func (p Poly) Plus(q Poly) Poly { return p.Add(q, big.NewInt(1)) }

// Scaled returns 2^k·p.
func (p Poly) Scaled(k int) Poly { return Poly{}.Add(p, power(k)) }

// Power returns p^n.
func (p Poly) Power(n int) Poly {
	product := Constant(0)
	for range n {
		product = product.Mul(p)
	}
	return product
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

func power(k int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(k)) }

func word(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
