// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package algebra interprets terms as polynomials with integer coefficients, to check
// calculations modulo a prime. The variables stand for inputs, carries, and the results
// of shifts and multiplications. For example, the 64-bit sum of x and y is x + y -
// 2^64·c, where c is the carry. Start with [Algebra].
package algebra

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// A Poly is an immutable list of monomials with different variables, sorted by them.
type Poly []monomial

// A monomial is a product of variables and an integer coefficient.
type monomial struct {
	variables string   // a 4-byte identifier for each variable, in ascending order
	times     *big.Int // the coefficient, which is not 0
}

var one = big.NewInt(1)

// Integer returns a constant polynomial.
func Integer(v *big.Int) Poly { return sum([]monomial{{"", new(big.Int).Set(v)}}) }

// Constant returns 2^k.
func Constant(k int) Poly { return Integer(power(k)) }

// sum returns the sum of monomials. It sorts list.
func sum(list []monomial) (p Poly) {
	slices.SortFunc(list, func(x, y monomial) int { return strings.Compare(x.variables, y.variables) })
	for _, m := range list {
		if n := len(p) - 1; n >= 0 && p[n].variables == m.variables {
			m.times = new(big.Int).Add(p[n].times, m.times)
			p = p[:n]
		}
		if m.times.Sign() != 0 {
			p = append(p, m)
		}
	}
	return p
}

// total returns the sum of polynomials.
func total(list ...Poly) Poly { return sum(slices.Concat(list...)) }

// Plus returns p + q.
func (p Poly) Plus(q Poly) Poly { return total(p, q) }

// Minus returns p - q.
func (p Poly) Minus(q Poly) Poly { return p.Plus(q.times(big.NewInt(-1))) }

// Scaled returns 2^k·p.
func (p Poly) Scaled(k int) Poly { return p.times(power(k)) }

func (p Poly) times(by *big.Int) Poly { return p.Mul(Integer(by)) }

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
	products := make([]monomial, 0, len(p)*len(q))
	for _, x := range p {
		for _, y := range q {
			products = append(products, monomial{join(x.variables, y.variables), new(big.Int).Mul(x.times, y.times)})
		}
	}
	return sum(products)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	variables := slices.SortedFunc(slices.Chunk([]byte(a+b), 4), bytes.Compare)
	return string(slices.Concat(variables...))
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
