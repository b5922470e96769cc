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
	s.parts = parts
	slices.SortFunc(parts, func(a, b part) int { return int(a.term) - int(b.term) })
	var out int
	for _, p := range parts {
		if out > 0 && parts[out-1].term == p.term {
			parts[out-1].coef = (parts[out-1].coef + p.coef) & mask(width)
		} else {
			parts[out] = part{p.term, p.coef & mask(width)}
			out++
		}
		if parts[out-1].coef == 0 {
			out--
		}
	}
	return s.sum(width, constant&mask(width), parts[:out])
}

func (s *Store) sum(width int, constant uint64, parts []part) Term {
	if len(parts) == 0 {
		return s.Const(width, constant)
	}
	if p := parts[0]; len(parts) == 1 && constant == 0 && p.coef&(p.coef-1) == 0 {
		return s.Shl(Term(p.term), bits.TrailingZeros64(p.coef))
	}
	s.sumOf, s.times = s.sumOf[:0], s.times[:0]
	for _, p := range parts {
		s.sumOf, s.times = append(s.sumOf, p.term), append(s.times, p.coef)
	}
	return s.intern(node{op: Sum, width: uint8(width), imm: constant}, s.sumOf, s.times)
}
