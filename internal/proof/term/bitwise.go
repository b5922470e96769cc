// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

import "math/bits"

// Xor returns a ^ b.
func (s *Store) Xor(a, b Term) Term { return s.cached(Xor, a, b, s.bitwise) }

// And returns a & b.
func (s *Store) And(a, b Term) Term { return s.cached(And, a, b, s.bitwise) }

// Or returns a | b.
func (s *Store) Or(a, b Term) Term { return s.cached(Or, a, b, s.bitwise) }

// Not returns ^a.
func (s *Store) Not(a Term) Term { return s.Xor(a, s.Const(s.Width(a), ^uint64(0))) }

func neutral(op Op, width int) uint64 {
	if op == And {
		return mask(width)
	}
	return 0
}

// fold returns a op b, which may have bits beyond the width of the operands.
func fold(op Op, a, b uint64) uint64 {
	switch op {
	case Xor:
		return a ^ b
	case And:
		return a & b
	case Or:
		return a | b
	case Shl:
		return a << b
	}
	return a >> b
}

// bitwise returns a op b in normal form: flattened, sorted, with constants combined.
func (s *Store) bitwise(op Op, a, b Term) Term {
	width := s.Width(a)
	if s.Width(b) != width {
		panic("term: operands of different widths")
	}
	if t, ok := s.byBytes(op, a, b); ok {
		return t
	}
	imm := neutral(op, width)
	var operands [2][]uint32
	for i, t := range [2]Term{a, b} {
		switch n := &s.nodes[t]; n.op {
		case Const:
			imm = fold(op, imm, n.imm)
		case op:
			imm = fold(op, imm, n.imm)
			operands[i] = s.args(n)
		default:
			operands[i] = []uint32{uint32(t)}
		}
	}
	args := merge(op, make([]uint32, 0, 32), operands[0], operands[1])
	switch {
	case len(args) == 0, op == Or && imm == mask(width), op == And && imm == 0:
		return s.Const(width, imm)
	case len(args) == 1 && op == And:
		return s.masked(Term(args[0]), imm)
	case len(args) == 1 && imm == 0:
		return Term(args[0])
	case len(args) == 1 && op == Xor:
		if t, ok := s.rotated(op, Term(args[0]), s.Const(width, imm)); ok {
			return t
		}
	case len(args) == 2 && imm == 0 && op != And:
		if t, ok := s.rotation(Term(args[0]), Term(args[1])); ok {
			return t
		}
		if t, ok := s.rotated(op, Term(args[0]), Term(args[1])); ok {
			return t
		}
	}
	return s.intern(node{op: op, width: uint8(width), imm: imm}, args, nil)
}

// rotated rewrites rot(sum, k) op b as rot(sum op rot(b, -k), k).
func (s *Store) rotated(op Op, a, b Term) (Term, bool) {
	sum := func(t Term) bool {
		n := &s.nodes[t]
		return n.op == Rot && s.nodes[s.args(n)[0]].op == Sum
	}
	if !sum(a) || sum(b) && s.nodes[b].imm < s.nodes[a].imm {
		a, b = b, a
	}
	if other := s.nodes[b].op; !sum(a) || other != Rot && other != Const {
		return 0, false
	}
	n := s.nodes[a]
	k := int(n.imm)
	return s.Rot(s.bitwise(op, Term(s.args(&n)[0]), s.Rot(b, -k)), k), true
}

// merge appends two sorted lists of operands to args. Equal operands of XOR cancel.
func merge(op Op, args, x, y []uint32) []uint32 {
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			args, x = append(args, x[0]), x[1:]
		case x[0] > y[0]:
			args, y = append(args, y[0]), y[1:]
		case op == Xor:
			x, y = x[1:], y[1:]
		default:
			x = x[1:]
		}
	}
	return append(append(args, x...), y...)
}

// byBytes applies op byte by byte if this does not create new terms.
func (s *Store) byBytes(op Op, a, b Term) (Term, bool) {
	if x, y := s.nodes[a].op, s.nodes[b].op; x != Join && y != Join && x != Const && y != Const {
		return 0, false
	}
	x, y, size := s.bytes(a), s.bytes(b), s.Width(a)/8
	for i := range size {
		if _, known := s.ByteValue(y[i]); known {
			x[i], y[i] = y[i], x[i]
		}
		c, known := s.ByteValue(x[i])
		d, both := s.ByteValue(y[i])
		switch {
		case known && both:
			x[i] = ConstByte(uint8(fold(op, uint64(c), uint64(d))))
		case known && uint64(c) == neutral(op, 8):
			x[i] = y[i]
		case known && (op == And && c == 0 || op == Or && c == 0xff):
		case x[i] == y[i] && op == Xor:
			x[i] = ConstByte(0)
		case x[i] == y[i]:
		default:
			return 0, false
		}
	}
	return s.Gather(x[:size]), true
}

// masked returns t & imm. Neither may be 0.
func (s *Store) masked(t Term, imm uint64) Term {
	width := s.Width(t)
	n := &s.nodes[t]
	if low, ok := s.lowest(t); ok && imm < 1<<low {
		return s.Const(width, n.imm&imm)
	}
	if s.possibleBits(t, maxDepth)&^imm == 0 {
		return t
	}
	if low := ^imm & mask(width); n.op == Sum && n.public && low&(low+1) == 0 && n.imm&^low != 0 {
		// This rounds a length down. Move the constant multiple out of the mask.
		by := n.imm &^ low
		return s.AddConst(s.masked(s.AddConst(t, -by), imm), by)
	}
	return s.intern(node{op: And, width: uint8(width), imm: imm}, []uint32{uint32(t)}, nil)
}

// lowest returns the number of low bits of a sum that are constant.
func (s *Store) lowest(t Term) (n int, ok bool) {
	if s.nodes[t].op != Sum {
		return 0, false
	}
	n = 63
	for _, c := range s.coefs(&s.nodes[t]) {
		n = min(n, bits.TrailingZeros64(c))
	}
	return n, true
}

const maxDepth = 4

// possibleBits returns a mask of all bits of t that may be set.
func (s *Store) possibleBits(t Term, depth int) uint64 {
	n := &s.nodes[t]
	if depth == 0 && n.op != Const {
		return mask(int(n.width))
	}
	switch n.op {
	case Const:
		return n.imm
	case Leaf:
		return mask(bits.Len64(s.leaves[n.imm].Max))
	case Join:
		var m uint64
		for i, a := range s.args(n) {
			of, at := Byte(a).Of()
			m |= s.possibleBits(of, depth-1) >> (8 * at) & 0xff << (8 * i)
		}
		return m
	case Xor, And, Or:
		m, op := n.imm, n.op
		if op == Xor {
			op = Or
		}
		for _, a := range s.args(n) {
			m = fold(op, m, s.possibleBits(Term(a), depth-1))
		}
		return m
	case Sum: // for example, a sum shifted left
		low, _ := s.lowest(t)
		return mask(int(n.width))&^mask(low) | n.imm&mask(low)
	case Shl, Shr:
		return fold(n.op, s.possibleBits(Term(s.args(n)[0]), depth-1), n.imm) & mask(int(n.width))
	}
	return mask(int(n.width))
}

// Rot returns t rotated left by k bits.
func (s *Store) Rot(t Term, k int) Term {
	n := &s.nodes[t]
	width := int(n.width)
	k = (k%width + width) % width
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
