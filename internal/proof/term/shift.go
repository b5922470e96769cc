// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// Rot returns t rotated left by k bits.
func (s *Store) Rot(t Term, k int) Term {
	n := &s.nodes[t]
	width := int(n.width)
	k &= width - 1
	if n.op == Rot {
		return s.Rot(Term(s.args(n)[0]), k+int(n.imm))
	}
	switch {
	case k == 0:
		return t
	case n.op == Const:
		return s.Const(width, n.imm<<k|n.imm>>(width-k))
	}
	return s.intern(node{op: Rot, width: n.width, imm: uint64(k)}, []uint32{uint32(t)}, nil)
}

// Shl returns t << k.
func (s *Store) Shl(t Term, k int) Term { return s.shift(Shl, t, k) }

// Shr returns t >> k, filled with zeros.
func (s *Store) Shr(t Term, k int) Term { return s.shift(Shr, t, k) }

func (s *Store) shift(op Op, t Term, k int) Term {
	n := &s.nodes[t]
	width := int(n.width)
	constant := func(v uint64) Term { return s.Const(width, fold(op, v, uint64(k))) }
	inner := func() Term { return Term(s.args(n)[0]) }
	switch {
	case k >= width:
		return s.Const(width, 0)
	case k == 0:
		return t
	case n.op == Const:
		return constant(n.imm)
	case (n.op == Shl || n.op == Shr) && n.op != op && int(n.imm) == k:
		return s.And(inner(), constant(mask(width)))
	case n.op == And && n.count == 1:
		return s.And(s.shift(op, inner(), k), constant(n.imm))
	case op == Shl && n.op == Sum && (k%8 != 0 || n.public): // represent lengths as multiples, and data as bytes
		return s.Scale(t, 1<<k)
	case op == Shr && n.op == Sum && n.marked:
		if r, ok := s.quotient(t, k); ok {
			return r
		}
	}
	if k%8 == 0 && (op == Shr || n.op != Leaf || !n.marked) { // unless a length is scaled
		var b [24]Byte // the bytes of t between zeros
		s.Bytes(b[8:], t)
		at := 8 + k/8
		if op == Shl {
			at = 8 - k/8
		}
		return s.Gather(b[at:][:width/8])
	}
	return s.intern(node{op: op, width: n.width, imm: uint64(k)}, []uint32{uint32(t)}, nil)
}

// rotation recognizes a | b as a rotation composed of two shifts.
func (s *Store) rotation(a, b Term) (Term, bool) {
	if s.nodes[a].op == Shr {
		a, b = b, a
	}
	if y := &s.nodes[b]; y.op == Shr {
		x, k := Term(s.args(y)[0]), int(y.width)-int(y.imm)
		if s.Shl(x, k) == a {
			return s.Rot(x, k), true
		}
	}
	return 0, false
}

// quotient returns t / 2^k if 2^k divides the coefficients of the sum.
func (s *Store) quotient(t Term, k int) (Term, bool) {
	n := &s.nodes[t]
	upper, coefs := n.imm, make([]uint64, n.count)
	args := make([]Term, n.count)
	for i, a := range s.args(n) {
		leaf := &s.nodes[a]
		if leaf.op != Leaf || s.leaves[leaf.imm].Max >= 1<<24 || s.coefs(n)[i] >= 1<<24 || s.coefs(n)[i]&mask(k) != 0 {
			return 0, false
		}
		args[i], coefs[i] = Term(a), s.coefs(n)[i]>>k
		upper += s.coefs(n)[i] * s.leaves[leaf.imm].Max
	}
	if n.width != 64 || n.imm >= 1<<48 || upper >= 1<<56 {
		return 0, false
	}
	return s.Linear(64, n.imm>>k, args, coefs), true
}
