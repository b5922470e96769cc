// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"cmp"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// vectorRows lists vector instructions, whose operand order is the reverse of Intel's.
var vectorRows = map[string]isa.Row{
	"VMOVDQ": {"vm vm", moveVector},
	// VMOVQ and VMOVD clear the rest of the destination.
	"VMOVQ VMOVD":                    {"x xwm|wm x", isa.Move},
	"VPBROADCAST":                    {"wxm v", isa.Repeat(0)},
	"VBROADCASTI128 VBROADCASTI32X4": {"m v", isa.Repeat(16)},
	"VZEROUPPER":                     {"", zeroUpper},
	"VPEXPAND":                       {"vm v", expand},
	"VINSERTI128 VINSERTI64X2":       {"i xm v v", insert(16)},
	"VINSERTI64X4":                   {"i ym v v", insert(32)},
	"VPINSR":                         {"i wm x x", insert(0)},
	"VEXTRACTI128 VEXTRACTI64X2":     {"i v xm", extract(16)},
	"VEXTRACTI64X4":                  {"i z ym", extract(32)},
	"VPEXTR":                         {"i x wm", extract(0)},

	"VPADD":    {"vm v v", isa.Pairs((*term.Store).Add)},
	"VPSUB":    {"vm v v", isa.Pairs((*term.Store).Sub)},
	"VPMULUDQ": {"vm v v", isa.Pairs(isa.Product)},
	"VPCMPEQ":  {"vm v v", isa.Pairs(equal)},
	"VPCMPU":   {"i vm v k", compareMask(compare)},
	"VPTESTM": {"vm v k", compareMask(func(x *instr, a, b term.Term) term.Term {
		return isa.Not(x.T, x.T.Zero(x.T.And(a, b)))
	})},
	"VPSLL":       {"i vm v", isa.ByConstant((*term.Store).Shl)},
	"VPSRL":       {"i vm v", isa.ByConstant((*term.Store).Shr)},
	"VPROL":       {"i vm v", isa.ByConstant((*term.Store).Rot)},
	"VPROR":       {"i vm v", isa.ByConstant(isa.RotateRight)},
	"VPXOR":       {"vm v v", isa.Bits((*term.Store).Xor)},
	"VPAND":       {"vm v v", isa.Bits((*term.Store).And)},
	"VPOR":        {"vm v v", isa.Bits((*term.Store).Or)},
	"VPTERNLOG":   {"i vm v d", isa.Vector(ternary)},
	"VPMADD52LUQ": {"vm v d", multiplyAdd((*term.Store).Mul52)},
	"VPMADD52HUQ": {"vm v d", multiplyAdd((*term.Store).Mul52High)},
	"VPSHRDQ": {"i vm v v", isa.Lanes(func(x *instr, v []term.Term) term.Term {
		return isa.Funnel(x.T, v[1], v[0], int(x.Args[0].Imm&63))
	})},
	// VBLENDVPD selects the second operand where the first one is negative.
	"VBLENDVPD": {"v v v v", isa.Lanes(func(x *instr, v []term.Term) term.Term {
		if x.Legacy && x.Args[0].At != vectors {
			machine.Fail("mask operand must be X0")
		}
		return x.T.Choose(x.T.Less(v[0], x.T.Const(64, 0)), v[1], v[2])
	})},
	"VAESENC":          {"vm v v", isa.Vector(encrypt)},
	"VAESKEYGENASSIST": {"i vm v", isa.Vector(assist)},

	"VPSHUFB": {"vm v v", isa.Pick(16, 1, func(x *instr, i, _ int, number numbers) (int, int) {
		c := number(0, i)
		return 1 - 2*(c>>7), c & 15
	})},
	"VPSHUFD":  {"i vm v", isa.Pick(16, 4, func(x *instr, i, _ int, _ numbers) (int, int) { return 0, field(x, 2, i) })},
	"VPERMQ":   {"i vm v", isa.Pick(32, 8, func(x *instr, i, _ int, _ numbers) (int, int) { return 0, field(x, 2, i) })},
	"VSHUFPS":  {"i vm v v", isa.Pick(16, 4, func(x *instr, i, _ int, _ numbers) (int, int) { return 1 - i/2, field(x, 2, i) })},
	"VSHUFPD":  {"i vm v v", isa.Pick(0, 8, func(x *instr, i, _ int, _ numbers) (int, int) { return 1 - i%2, i&^1 + field(x, 1, i) })},
	"VPBLENDD": {"i vm v v", isa.Pick(0, 4, func(x *instr, i, _ int, _ numbers) (int, int) { return 1 - field(x, 1, i), i })},
	"VPUNPCKL": {"vm v v", isa.Pick(16, 0, isa.Zip(0))},
	"VPUNPCKH": {"vm v v", isa.Pick(16, 0, isa.Zip(1))},
	"VPSLLDQ":  {"i vm v", isa.Pick(16, 1, shiftBytes(-1))},
	"VPSRLDQ":  {"i vm v", isa.Pick(16, 1, shiftBytes(1))},
	// These select 16-byte parts of both sources.
	"VSHUFI32X4 VSHUFI64X2": {"i vm v v", isa.Pick(0, 16, func(x *instr, i, count int, _ numbers) (int, int) {
		return 1 - i/(count/2), field(x, count/2, i)
	})},
	"VPERM2I128": {"i vm v v", isa.Pick(0, 16, func(x *instr, i, _ int, _ numbers) (int, int) {
		c := field(x, 4, i)
		return 1 - c>>1&1 - 2*(c>>3), c & 1
	})},
	// The second source contains the indices.
	"VPERMT2": {"vm v d", isa.Pick(0, 0, func(_ *instr, i, count int, number numbers) (int, int) {
		c := number(1, i)
		return map[bool]int{true: 0, false: 2}[c&count != 0], c & (count - 1)
	})},
}

type numbers = func(src, i int) int

// field returns the constant operand's i-th field of the given width.
func field(x *instr, bits, i int) int { return int(x.Args[0].Imm) >> (bits * i) & (1<<bits - 1) }

// shiftBytes shifts 16-byte groups down, or up if sign is -1.
func shiftBytes(sign int) isa.Source {
	return func(x *instr, i, count int, _ numbers) (int, int) {
		if at := i + sign*int(x.Args[0].Imm); 0 <= at && at < count {
			return 0, at
		}
		return -1, 0
	}
}

// multiplyAdd returns a Meaning that adds f of the sources to the destination.
func multiplyAdd(f isa.Fold) isa.Meaning {
	return isa.Lanes(func(x *instr, v []term.Term) term.Term { return x.T.Add(v[2], f(x.T, v[0], v[1])) })
}

func equal(t *term.Store, a, b term.Term) term.Term {
	return t.Sub(t.Const(t.Width(a), 0), t.Extend(t.Zero(t.Xor(a, b)), t.Width(a)))
}

// ternary supports only those bit functions that kernels use.
func ternary(x *instr, dst []term.Byte, src [][]term.Byte) {
	switch x.Args[0].Imm {
	case 0xff:
		for i := range dst {
			dst[i] = term.ConstByte(0xff)
		}
	case 0x96:
		machine.Bitwise(x.T, x.T.Xor, dst, src[1], src[0]) // first operands shifted in opposite directions: together, they form a rotation
		machine.Bitwise(x.T, x.T.Xor, dst, dst, src[2])
	case 0x78:
		machine.Bitwise(x.T, x.T.And, dst, src[1], src[0])
		machine.Bitwise(x.T, x.T.Xor, dst, dst, src[2])
	default:
		machine.Fail("unsupported instruction form")
	}
}

// encrypt applies one AES round. The round keys are the first source.
func encrypt(x *instr, dst []term.Byte, src [][]term.Byte) {
	t := x.T
	for i := 0; i < len(dst); i += 16 {
		var b [16]term.Byte
		term.ShiftRows(b[:], src[1][i:i+16])
		t.SubBytes(b[:], b[:])
		if !strings.HasSuffix(x.Name, "LAST") {
			t.MixColumns(b[:], b[:])
		}
		machine.Bitwise(t, t.Xor, dst[i:i+16], b[:], src[0][i:i+16])
	}
}

func assist(x *instr, dst []term.Byte, src [][]term.Byte) {
	t := x.T
	for i := 0; i < 16; i += 8 {
		t.SubBytes(dst[i:i+4], src[0][i+4:i+8])
		rotated := t.Rot(t.Gather(dst[i:i+4]), -8)
		t.Bytes(dst[i+4:i+8], t.Xor(rotated, t.Const(32, x.Args[0].Imm)))
	}
}

// moveVector copies a vector. It accesses only memory that the mask selects.
func moveVector(x *instr) {
	has := func(i int) bool { return wanted(x, i/x.N) }
	switch {
	case x.Mask != nil && x.Args[1].Kind == 'm':
		x.Store(x.Get(0, x.Size), x.Address(&x.Args[1]), has)
	case x.Mask != nil && x.Args[0].Kind == 'm':
		b := make([]term.Byte, x.Size)
		x.Load(b, x.Address(&x.Args[0]), has)
		x.Put(1, b)
	default:
		x.Put(1, x.Get(0, x.Size))
	}
}

// expand spreads consecutive source elements over the selected destination elements.
func expand(x *instr) {
	if x.Mask == nil || x.Broadcast {
		machine.Fail("unsupported instruction form")
	}
	out := make([]term.Byte, x.Size)
	var to []int
	for i := 0; i < x.Size; i += x.N {
		if wanted(x, i/x.N) {
			to = append(to, i)
		}
	}
	if len(to) > 0 {
		in := x.Get(0, x.N*len(to))
		for i, at := range to {
			copy(out[at:at+x.N], in[i*x.N:])
		}
	}
	x.Put(1, out)
}

// compareMask returns a Meaning that stores the results of f in a mask.
func compareMask(f func(x *instr, a, b term.Term) term.Term) isa.Meaning {
	return func(x *instr) {
		var bits []term.Term
		b, a := x.Get(x.Last()-2, x.Size), x.Get(x.Last()-1, x.Size)
		for i := 0; i < x.Size; i += x.N {
			bits = append(bits, f(x, x.T.Gather(a[i:i+x.N]), x.T.Gather(b[i:i+x.N])))
		}
		x.Set(x.Last(), x.T.Extend(x.T.Mask(bits), 64))
	}
}

// compare compares unsigned numbers. Constant 1 selects less, 5 not less.
func compare(x *instr, a, b term.Term) term.Term {
	less := x.T.Borrow(a, b, x.T.Const(8, 0))
	switch x.Args[0].Imm {
	case 1:
		return less
	case 5:
		return isa.Not(x.T, less)
	}
	machine.Fail("unsupported instruction form")
	return 0
}

func insert(n int) isa.Meaning {
	return func(x *instr) {
		n, i := cmp.Or(n, x.N), int(x.Args[0].Imm)
		out := slices.Clone(x.Get(2, cmp.Or(x.Size, 16)))
		if (i+1)*n > len(out) || n == len(out) {
			machine.Fail("unsupported instruction form")
		}
		copy(out[i*n:], x.Get(1, n))
		x.Put(3, out)
	}
}

func extract(n int) isa.Meaning {
	return func(x *instr) {
		n, i := cmp.Or(n, x.N), int(x.Args[0].Imm)
		if size := x.Args[1].Size; (i+1)*n > size || n == size {
			machine.Fail("unsupported instruction form")
		}
		x.Put(2, x.Get(1, (i+1)*n)[i*n:])
	}
}

func zeroUpper(x *instr) {
	for i := range 16 {
		x.SetBytes(vectors+64*i+16, 48, nil)
	}
	x.Dirty = false
}
