// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

import (
	"math/bits"
	"slices"
)

type part struct {
	term uint32
	coef uint64
}

// Add returns a + b.
func (s *Store) Add(a, b Term) Term { return s.cached(Sum, a, b, s.add) }

// Sub returns a - b.
func (s *Store) Sub(a, b Term) Term { return s.cached(difference, a, b, s.add) }

func (s *Store) add(op Op, a, b Term) Term {
	by := uint64(1)
	if op == difference {
		by = ^uint64(0)
	}
	return s.Linear(s.Width(a), 0, []Term{a, b}, []uint64{1, by})
}

// AddConst returns t + c.
func (s *Store) AddConst(t Term, c uint64) Term {
	return s.Linear(s.Width(t), c, []Term{t}, []uint64{1})
}

// Scale returns t · c.
func (s *Store) Scale(t Term, c uint64) Term {
	return s.Linear(s.Width(t), 0, []Term{t}, []uint64{c})
}

// Linear returns constant + Σ coefs[i]·terms[i] modulo 2^width in normal form.
func (s *Store) Linear(width int, constant uint64, terms []Term, coefs []uint64) Term {
	parts := s.parts[:0]
	for i, t := range terms {
		n, c := &s.nodes[t], coefs[i]
		if int(n.width) != width {
			panic("term: summands of different widths")
		}
		switch n.op {
		case Const:
			constant += c * n.imm
		case Sum:
			constant += c * n.imm
			for j, a := range s.args(n) {
				parts = append(parts, part{a, c * s.coefs(n)[j]})
			}
		case Shl:
			parts = append(parts, part{s.args(n)[0], c << n.imm})
		default:
			parts = append(parts, part{uint32(t), c})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return int(a.term) - int(b.term) })
	args, factors := s.sumOf[:0], s.times[:0]
	for _, p := range parts {
		if last := len(args) - 1; last >= 0 && args[last] == p.term {
			p.coef += factors[last]
			args, factors = args[:last], factors[:last]
		}
		if p.coef &= mask(width); p.coef != 0 {
			args, factors = append(args, p.term), append(factors, p.coef)
		}
	}
	s.parts, s.sumOf, s.times = parts, args, factors
	constant &= mask(width)
	switch {
	case len(args) == 0:
		return s.Const(width, constant)
	case len(args) == 1 && constant == 0 && bits.OnesCount64(factors[0]) == 1:
		return s.Shl(Term(args[0]), bits.TrailingZeros64(factors[0]))
	}
	return s.intern(node{op: Sum, width: uint8(width), imm: constant}, args, factors)
}
