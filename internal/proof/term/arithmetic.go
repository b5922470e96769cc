// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

import (
	"math/bits"
	"slices"
	"sync"
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

// Apply returns f applied to terms. It evaluates constants.
func (s *Store) Apply(f *Func, width int, imm uint64, terms ...Term) Term {
	args, known := make([]uint32, 0, 8), true
	for _, t := range terms {
		args, known = append(args, uint32(t)), known && s.Op(t) == Const
	}
	if known {
		values := make([]uint64, len(terms))
		for i, t := range terms {
			values[i] = s.Imm(t)
		}
		return s.Const(width, f.Eval(width, imm, values))
	}
	if f.Commutative {
		slices.Sort(args)
	}
	fn := slices.Index(s.funcs, f)
	if fn < 0 {
		fn = len(s.funcs)
		s.funcs = append(s.funcs, f)
	}
	return s.intern(node{op: Apply, fn: uint8(fn), width: uint8(width), imm: imm}, args, nil)
}

// Mul returns a·b modulo 2^width.
func (s *Store) Mul(a, b Term) Term {
	if c, ok := s.IsConst(a); ok {
		return s.Scale(b, c)
	}
	if c, ok := s.IsConst(b); ok {
		return s.Scale(a, c)
	}
	return s.Apply(Product, s.Width(a), 0, a, b)
}

// MulHigh returns the upper half of the product of a and b.
func (s *Store) MulHigh(a, b Term) Term { return s.Apply(ProductHigh, s.Width(a), 0, a, b) }

// Carry returns the carry of a+b+c. c must be 0 or 1.
func (s *Store) Carry(a, b, c Term) Term { return s.Apply(CarryOf, 8, uint64(s.Width(a)), a, b, c) }

// Borrow returns the borrow of a-b-c. c must be 0 or 1.
func (s *Store) Borrow(a, b, c Term) Term { return s.Apply(BorrowOf, 8, uint64(s.Width(a)), a, b, c) }

// Zero returns 1 if t is 0, and 0 otherwise, in 8 bits.
func (s *Store) Zero(t Term) Term { return s.Apply(IsZero, 8, 0, t) }

// Less returns 1 if a < b as signed numbers, and 0 otherwise.
func (s *Store) Less(a, b Term) Term { return s.Apply(SignedLess, 8, uint64(s.Width(a)), a, b) }

// Choose returns a if c is 1 and b if c is 0.
func (s *Store) Choose(c, a, b Term) Term {
	v, known := s.IsConst(c)
	switch width := s.Width(a); {
	case known && v == 1:
		return a
	case known:
		return b
	case a == s.Const(width, 1) && b == s.Const(width, 0):
		return s.Extend(c, width)
	default:
		return s.Apply(Choice, width, 0, c, a, b)
	}
}

// The values of imm are widths of operands. Eval need not truncate its result.
var (
	Product = &Func{Name: "mul", Commutative: true, Eval: func(_ int, _ uint64, a []uint64) uint64 {
		return a[0] * a[1]
	}}
	ProductHigh = &Func{Name: "mulhi", Commutative: true, Eval: func(w int, _ uint64, a []uint64) uint64 {
		hi, lo := bits.Mul64(a[0], a[1])
		return hi<<(64-w) | lo>>w
	}}
	CarryOf = &Func{Name: "carry", Eval: func(_ int, w uint64, a []uint64) uint64 {
		sum, c := bits.Add64(a[0], a[1], a[2])
		return c | sum>>w
	}}
	BorrowOf = &Func{Name: "borrow", Eval: func(_ int, _ uint64, a []uint64) uint64 {
		_, c := bits.Sub64(a[0], a[1], a[2])
		return c
	}}
	IsZero = &Func{Name: "zero", Eval: func(_ int, _ uint64, a []uint64) uint64 {
		return number(a[0] == 0)
	}}
	SignedLess = &Func{Name: "less", Eval: func(_ int, w uint64, a []uint64) uint64 {
		return number(int64(a[0]<<(64-w)) < int64(a[1]<<(64-w)))
	}}
	Choice = &Func{Name: "choose", Eval: func(_ int, _ uint64, a []uint64) uint64 {
		return a[1+number(a[0] != 1)]
	}}
	MaskOf = &Func{Name: "mask", Eval: func(_ int, _ uint64, a []uint64) (m uint64) {
		for i, bit := range a {
			m |= bit << i
		}
		return m
	}}
)

// number returns 1 for true and 0 for false.
func number(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Mul52 returns the low half of the 104-bit product, as in VPMADD52LUQ.
func (s *Store) Mul52(a, b Term) Term {
	m := s.Const(64, 1<<52-1)
	return s.And(s.Mul(s.And(a, m), s.And(b, m)), m)
}

// Mul52High returns the high half of the 104-bit product, as in VPMADD52HUQ.
func (s *Store) Mul52High(a, b Term) Term {
	m := s.Const(64, 1<<52-1)
	a, b = s.And(a, m), s.And(b, m)
	return s.Or(s.Shl(s.MulHigh(a, b), 12), s.Shr(s.Mul(a, b), 52))
}

// Mask packs bits into a byte, lowest first. Missing bits are 0.
func (s *Store) Mask(bits []Term) Term {
	var all [8]Term // the term 0 is the constant 0
	copy(all[:], bits)
	return s.Apply(MaskOf, 8, 0, all[:]...)
}

// MaskBit returns bit i of b. ok is false unless b is a constant or was returned by
// Mask.
func (s *Store) MaskBit(b Byte, i int) (bit Term, ok bool) {
	if v, known := s.ByteValue(b); known {
		return s.Const(8, uint64(v>>i&1)), true
	}
	t, _ := b.Of()
	if n := &s.nodes[t]; n.op == Apply && s.Func(t) == MaskOf {
		return Term(s.args(n)[i]), true
	}
	return 0, false
}

// These functions implement AES (FIPS 197, section 5.1). A column is 4 bytes.
var (
	SubByte   = &Func{Name: "subbyte", Eval: func(_ int, _ uint64, a []uint64) uint64 { return uint64(sBoxes()[uint8(a[0])]) }}
	MixColumn = &Func{Name: "mixcolumn", Eval: func(_ int, _ uint64, a []uint64) uint64 {
		var out uint64
		for i := range 4 {
			b := func(j int) uint8 { return uint8(a[0] >> (8 * ((i + j) % 4))) }
			out |= uint64(times(b(0), 2)^times(b(1), 3)^b(2)^b(3)) << (8 * i)
		}
		return out
	}}
)

// times multiplies in the AES field, GF(2^8).
func times(a, b uint8) (p uint8) {
	for ; b != 0; b >>= 1 {
		if b&1 == 1 {
			p ^= a
		}
		a = a<<1 ^ a>>7*0x1b
	}
	return p
}

// sBoxes applies the affine map to each byte's inverse, a^254.
var sBoxes = sync.OnceValue(func() *[256]uint8 {
	var table [256]uint8
	for a := range table {
		inverse := uint8(1)
		for range 254 {
			inverse = times(inverse, uint8(a))
		}
		table[a] = 0x63
		for i := range 5 {
			table[a] ^= bits.RotateLeft8(inverse, i)
		}
	}
	return &table
})

// SubBytes sets dst to the S-box of each byte of src.
func (s *Store) SubBytes(dst, src []Byte) {
	for i := range src {
		s.Bytes(dst[i:i+1], s.Apply(SubByte, 8, 0, s.Gather(src[i:i+1])))
	}
}

// MixColumns sets dst to MixColumn of each column of src.
func (s *Store) MixColumns(dst, src []Byte) {
	for i := 0; i < len(src); i += 4 {
		s.Bytes(dst[i:i+4], s.Apply(MixColumn, 32, 0, s.Gather(src[i:i+4])))
	}
}

// ShiftRows rotates row i of the state left by i bytes (section 5.1.2).
func ShiftRows(dst, src []Byte) {
	for i := range 16 {
		dst[i] = src[(i+4*(i%4))%16]
	}
}
