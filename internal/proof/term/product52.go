// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

import "math/bits"

const mask52 = 1<<52 - 1

// Mul52 returns the lower 52 bits of the product of the lower 52 bits of a and b.
func (s *Store) Mul52(a, b Term) Term { return s.mul52(Product52, a, b) }

// Mul52High returns the upper 52 bits of that product.
func (s *Store) Mul52High(a, b Term) Term { return s.mul52(Product52High, a, b) }

func (s *Store) mul52(f *Func, a, b Term) Term {
	m := s.Const(64, mask52)
	a, b = s.And(a, m), s.And(b, m)
	for _, t := range [2]Term{a, b} {
		if v, ok := s.IsConst(t); ok && v == 0 {
			return t
		}
	}
	return s.Apply(f, 64, 0, a, b)
}

// The operations of AVX-512 IFMA.
var (
	Product52 = &Func{Name: "mul52", Commutative: true, Eval: func(_ int, _ uint64, a []uint64) uint64 {
		return a[0] * a[1] & mask52
	}}
	Product52High = &Func{Name: "mul52hi", Commutative: true, Eval: func(_ int, _ uint64, a []uint64) uint64 {
		hi, lo := bits.Mul64(a[0], a[1])
		return hi<<12 | lo>>52
	}}
)
