// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// MaskOf puts eight bits together, each a term of 8 bits that is 0 or 1.
var MaskOf = &Func{Name: "mask", Eval: func(_ int, _ uint64, a []uint64) (m uint64) {
	for i, bit := range a {
		m |= bit << i
	}
	return m
}}

// Mask returns the byte that bits make, from the lowest one; what is missing is 0.
func (s *Store) Mask(bits []Term) Term {
	var all [8]Term // the term 0 is the constant 0
	copy(all[:], bits)
	return s.Apply(MaskOf, 8, 0, all[:]...)
}

// MaskBit returns bit i of a byte, if the byte is known or was made by Mask.
func (s *Store) MaskBit(b Byte, i int) (bit Term, ok bool) {
	if v, known := s.constant(b); known {
		return s.Const(8, uint64(v>>i&1)), true
	}
	t, _ := b.of()
	if n := &s.nodes[t]; n.op == Apply && s.Func(t) == MaskOf {
		return Term(s.args(n)[i]), true
	}
	return 0, false
}
