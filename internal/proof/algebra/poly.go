// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package algebra interprets terms as polynomials with integer coefficients, to check
// calculations modulo a prime. The variables stand for inputs, carries, and the results
// of shifts and multiplications. For example, the 64-bit sum of x and y is x + y -
// 2^64·c, where c is the carry. Start with [Algebra].
package algebra

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"
)

// A Poly is an immutable, sorted list of monomials.
type Poly []monomial

// A monomial is a product of variables and an integer coefficient.
type monomial struct {
	variables string   // a 4-byte identifier for each variable
	times     *big.Int // the coefficient
}

// order compares degrees first, so that multiplying by a monomial preserves the order.
func order(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

var one = big.NewInt(1)

// Integer returns a constant polynomial.
func Integer(v *big.Int) Poly {
	if v.Sign() == 0 {
		return nil
	}
	return Poly{{"", new(big.Int).Set(v)}}
}

// Constant returns 2^k.
func Constant(k int) Poly { return Integer(power(k)) }

func total(list []Poly) Poly {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	half := len(list) / 2
	return total(list[:half]).Plus(total(list[half:]))
}

func (p Poly) by(m monomial) Poly {
	if m.times.Sign() == 0 {
		return nil
	}
	product := make(Poly, len(p))
	same := m.times.Cmp(one) == 0
	for i, x := range p {
		product[i] = monomial{join(x.variables, m.variables), x.times}
		if !same {
			product[i].times = new(big.Int).Mul(x.times, m.times)
		}
	}
	return product
}

func (p Poly) times(by *big.Int) Poly {
	if by.Cmp(one) == 0 {
		return p
	}
	return p.by(monomial{"", by})
}

// Plus returns p + q.
func (p Poly) Plus(q Poly) Poly {
	switch {
	case len(p) == 0:
		return q
	case len(q) == 0:
		return p
	}
	sum := make(Poly, 0, len(p)+len(q))
	for len(p) > 0 && len(q) > 0 {
		switch c := order(p[0].variables, q[0].variables); {
		case c < 0:
			sum, p = append(sum, p[0]), p[1:]
		case c > 0:
			sum, q = append(sum, q[0]), q[1:]
		default:
			if c := new(big.Int).Add(p[0].times, q[0].times); c.Sign() != 0 {
				sum = append(sum, monomial{p[0].variables, c})
			}
			p, q = p[1:], q[1:]
		}
	}
	return append(append(sum, p...), q...)
}

// Add returns p + by·q.
func (p Poly) Add(q Poly, by *big.Int) Poly { return p.Plus(q.times(by)) }

// Minus returns p - q.
func (p Poly) Minus(q Poly) Poly { return p.Add(q, big.NewInt(-1)) }

// Scaled returns 2^k·p.
func (p Poly) Scaled(k int) Poly { return p.times(power(k)) }

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
	if len(p) < len(q) {
		p, q = q, p
	}
	products := make([]Poly, len(q))
	for i, m := range q {
		products[i] = p.by(m)
	}
	return total(products)
}

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

// Known returns the value of p if p has no variables.
func (p Poly) Known() (v *big.Int, ok bool) {
	if len(p) == 0 {
		return new(big.Int), true
	}
	return p[0].times, len(p) == 1 && p[0].variables == ""
}

// shifted returns p / 2^k if it has integer coefficients.
func (p Poly) shifted(k int) (Poly, error) {
	out := make(Poly, len(p))
	for i, m := range p {
		if m.times.TrailingZeroBits() < uint(k) {
			return nil, fmt.Errorf("a coefficient %s is no multiple of 2^%d", m.times, k)
		}
		out[i] = monomial{m.variables, new(big.Int).Rsh(m.times, uint(k))}
	}
	return out, nil
}

func power(k int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(k)) }

func word(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
