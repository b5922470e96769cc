// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// Bytes stores the bytes of t in dst, least significant first. Bytes that t copies from
// other terms are those terms' Bytes, for example if t is a rotation by whole bytes.
func (s *Store) Bytes(dst []Byte, t Term) {
	n := &s.nodes[t]
	switch {
	case n.op == Join:
		for i, a := range s.args(n) {
			dst[i] = Byte(a)
		}
	case n.op == Const:
		for i := range int(n.width) / 8 {
			dst[i] = ConstByte(uint8(n.imm >> (8 * i)))
		}
	case n.op == Rot && n.imm%8 == 0:
		size, by := int(n.width)/8, int(n.imm)/8
		for i := range size {
			dst[(i+by)%size] = Byte(s.args(n)[0]<<3 | uint32(i))
		}
	default:
		for i := range int(n.width) / 8 {
			dst[i] = Byte(uint32(t)<<3 | uint32(i))
		}
	}
}

func (s *Store) bytes(t Term) (b [8]Byte) {
	s.Bytes(b[:], t)
	return b
}

// ConstByte returns a constant byte.
func ConstByte(v uint8) Byte { return Byte(v) << 3 }

// ByteValue returns the value of a constant byte.
func (s *Store) ByteValue(b Byte) (uint8, bool) {
	t, _ := b.Of()
	return uint8(t), t < 256 // the first terms are the 8-bit constants
}

// Gather combines up to 8 bytes into a term, least significant first.
func (s *Store) Gather(b []Byte) Term {
	first, at := b[0].Of()
	size := int(s.nodes[first].width) / 8
	n := 0 // number of consecutive bytes of one term, possibly wrapping around
	for n < len(b) && b[n] == Byte(uint32(first)<<3|uint32((at+n)%size)) {
		n++
	}
	switch {
	case n == len(b) && n == size:
		return s.Rot(first, 8*(size-at))
	case n == len(b) && at+n <= size && s.nodes[first].bitwise():
		return s.slice(first, at, n, func(a Term) Term { return s.part(a, at, n) })
	}
	var v uint64
	for i, x := range b {
		c, ok := s.ByteValue(x)
		if !ok {
			return s.makeJoin(b)
		}
		v |= uint64(c) << (8 * i)
	}
	return s.Const(8*len(b), v)
}

func (n *node) bitwise() bool { return n.op == Xor || n.op == And || n.op == Or }

// slice applies the bitwise operation t to the size-byte parts of its operands.
func (s *Store) slice(t Term, at, size int, part func(Term) Term) Term {
	n := &s.nodes[t]
	result := s.Const(8*size, n.imm>>(8*at))
	for _, a := range s.args(n) {
		result = s.bitwise(n.op, result, part(Term(a)))
	}
	return result
}

// part returns bytes [at, at+size) of t. Bytes beyond the width of t are 0.
func (s *Store) part(t Term, at, size int) Term {
	b := s.bytes(t)
	return s.Gather(b[at : at+size])
}

func (s *Store) makeJoin(b []Byte) Term {
	var args [8]uint32
	for i, x := range b {
		args[i] = uint32(x)
	}
	return s.intern(node{op: Join, width: uint8(8 * len(b))}, args[:len(b)], nil)
}

// Alone returns b as an 8-bit term.
func (s *Store) Alone(b Byte) Term {
	if t, _ := b.Of(); s.nodes[t].width == 8 {
		return t
	}
	return s.makeJoin([]Byte{b})
}

// Extend returns t extended with zeros to width bits.
func (s *Store) Extend(t Term, width int) Term {
	if s.Width(t) == width {
		return t
	}
	return s.part(t, 0, width/8)
}

// Low returns the lowest width bits of t.
func (s *Store) Low(t Term, width int) Term { return s.part(t, 0, width/8) }

// Same reports whether a and b are provably equal.
func (s *Store) Same(a, b Byte) bool {
	switch {
	case a == b:
		return true
	case s.some.Byte(a) != s.some.Byte(b): // unequal bytes rarely have equal values for pseudorandom inputs
		return false
	case s.same[[2]Byte{a, b}]:
		return true
	}
	// Narrowing sums is the slowest step and seldom needed.
	if s.narrow(a, false) != s.narrow(b, false) && s.narrow(a, true) != s.narrow(b, true) {
		return false
	}
	s.same[[2]Byte{a, b}] = true
	return true
}

// narrow returns b as an 8-bit term and, if requested, narrows sums.
func (s *Store) narrow(b Byte, sums bool) Term {
	t, at := b.Of()
	switch n := &s.nodes[t]; {
	case n.bitwise():
		return s.slice(t, at, 1, func(a Term) Term { return s.narrow(s.bytes(a)[at], sums) })
	case sums && n.op == Sum && 8*(at+1) < int(n.width):
		sum := s.lower(t, 8*(at+1))
		if b = s.bytes(sum)[at]; b != Byte(uint32(sum)<<3|uint32(at)) {
			return s.narrow(b, sums)
		}
	}
	return s.Gather([]Byte{b})
}

// lower is like Low, but also narrows the operands of a sum.
func (s *Store) lower(t Term, width int) Term {
	bytes := s.bytes(t)
	of, at := bytes[0].Of()
	n := &s.nodes[of]
	if n.op != Sum || at != 0 {
		return s.Low(t, width)
	}
	for i, b := range bytes[:width/8] {
		if b != bytes[0]+Byte(i) {
			return s.Low(t, width)
		}
	}
	low := make([]Term, n.count)
	for i, a := range s.args(n) {
		low[i] = s.lower(Term(a), width)
	}
	return s.Linear(width, n.imm, low, s.coefs(n))
}
