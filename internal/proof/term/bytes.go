// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// Bytes sets dst to the bytes of t: those of what t is made of where t only moves
// bytes, so that equal bytes have one name.
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

// ConstByte is a byte of a known value.
func ConstByte(v uint8) Byte { return Byte(v) << 3 }

// ByteValue returns the value of a known byte.
func (s *Store) ByteValue(b Byte) (uint8, bool) {
	t, _ := b.Of()
	return uint8(t), t < 256 // the first terms are the constants of 8 bits
}

// Gather returns the term of at most 8 bytes.
func (s *Store) Gather(b []Byte) Term {
	first, at := b[0].Of()
	size := int(s.nodes[first].width) / 8
	n := 0 // bytes of one term in turn, perhaps around its end
	for n < len(b) && b[n] == Byte(uint32(first)<<3|uint32((at+n)&(size-1))) {
		n++
	}
	switch {
	case n == len(b) && n == size:
		return s.Rot(first, 8*(size-at))
	case n == len(b) && at+n <= size && s.nodes[first].bitwise():
		return s.slice(first, at, n, s.Gather)
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

// slice returns a part of an operation on bits, which is the operation on parts.
func (s *Store) slice(t Term, at, size int, part func([]Byte) Term) Term {
	n := &s.nodes[t]
	result := s.Const(8*size, n.imm>>(8*at))
	for _, a := range s.args(n) {
		var bytes [8]Byte
		s.Bytes(bytes[:], Term(a))
		result = s.bitwise(n.op, result, part(bytes[at:at+size]))
	}
	return result
}

func (s *Store) makeJoin(b []Byte) Term {
	var args [8]uint32
	for i, x := range b {
		args[i] = uint32(x)
	}
	return s.intern(node{op: Join, width: uint8(8 * len(b))}, args[:len(b)], nil)
}

// Alone returns a byte as a term of 8 bits that is that byte of the same term, not
// an operation on bytes of others: for a substitution, after which it may be
// together with the others again.
func (s *Store) Alone(b Byte) Term {
	if t, _ := b.Of(); s.nodes[t].width == 8 {
		return t
	}
	return s.makeJoin([]Byte{b})
}

// Extend returns t with zeros above it.
func (s *Store) Extend(t Term, width int) Term {
	if s.Width(t) == width {
		return t
	}
	var b [8]Byte
	s.Bytes(b[:], t)
	return s.Gather(b[:width/8]) // the rest of b is the byte 0
}

// Low returns the lower bits of t.
func (s *Store) Low(t Term, width int) Term {
	var b [8]Byte
	s.Bytes(b[:], t)
	return s.Gather(b[:width/8])
}

// Same reports whether two bytes are equal: the same byte of the same term, or the
// same operation on bits of such bytes, whatever the width that it was done with.
func (s *Store) Same(a, b Byte) bool {
	if a == b || s.same[[2]Byte{a, b}] {
		return true
	}
	if s.some.Byte(a) != s.some.Byte(b) { // most that differ do so for some inputs
		return false
	}
	// Sums are seldom of another width here and there; to narrow them is the most work.
	if s.narrow(a, false) != s.narrow(b, false) && s.narrow(a, true) != s.narrow(b, true) {
		return false
	}
	s.same[[2]Byte{a, b}] = true
	return true
}

// narrow returns a byte as a term of 8 bits, whose sums have no bytes above it, if asked: what is above
// it plays no part, so that the sum of the lower bytes has it, too.
func (s *Store) narrow(b Byte, sums bool) Term {
	t, at := b.Of()
	switch n := &s.nodes[t]; {
	case n.bitwise():
		return s.slice(t, at, 1, func(b []Byte) Term { return s.narrow(b[0], sums) })
	case sums && n.op == Sum && 8*(at+1) < int(n.width):
		var bytes [8]Byte
		sum := s.lower(t, 8*(at+1))
		s.Bytes(bytes[:], sum)
		if bytes[at] != Byte(uint32(sum)<<3|uint32(at)) {
			return s.narrow(bytes[at], true)
		}
		b = bytes[at]
	}
	return s.Gather([]Byte{b})
}

// lower is Low, where the lower bits of a sum are the sum of lower bits.
func (s *Store) lower(t Term, width int) Term {
	var bytes [8]Byte
	s.Bytes(bytes[:], t)
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
