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

// rows maps instruction families to rows. The longest matching prefix wins. The operand
// order is the reverse of Intel's.
var rows = isa.NewTable(map[string]isa.Row{
	"MOV":             {"wmi wm", isa.Move},
	"MOVBLZX MOVBQZX": {"wm w", extend(1)},
	"MOVWLZX MOVWQZX": {"wm w", extend(2)},
	"KMOVB":           {"wk wk", extend(1)},
	"KMOVQ":           {"wk wk", extend(8)},
	"LEAQ":            {"m w", func(x *instr) { x.Set(1, x.Address(&x.Args[0])) }},
	"ADD":             {"wmi wm wm", isa.Arithmetic(isa.Add)},
	"ADC":             {"wmi wm wm", isa.Arithmetic(isa.AddCarry)},
	"SUB":             {"wmi wm wm", isa.Arithmetic(isa.Sub)},
	"AND":             {"wmi wm wm", and},
	"OR":              {"wmi wm wm", isa.Arithmetic(isa.Logic((*term.Store).Or))},
	"XOR":             {"wmi wm wm", isa.Arithmetic(isa.Logic((*term.Store).Xor))},
	// The operands of CMP are in the order of the subtraction.
	"CMP":  {"wmi wmi", func(x *instr) { isa.Sub(x, x.Value(0), x.Value(1)) }},
	"TEST": {"wmi wmi", func(x *instr) { isa.Logic((*term.Store).And)(x, x.Value(0), x.Value(1)) }},
	"INC":  {"wm wm", step(1)},
	"DEC":  {"wm wm", step(^uint64(0))},
	"NEG":  {"wm wm", func(x *instr) { x.Set(1, isa.Sub(x, x.T.Const(8*x.N, 0), x.Value(0))) }},
	"CMOVQ": {"wm w", func(x *instr) { // CMOVQ reads memory even if the condition is false
		x.Choose(conditions[x.Name[len("CMOVQ"):]](x), x.Value(0), x.Value(1))
	}},

	"SHLQ":  {"ic wm wm", isa.Arithmetic(shift((*term.Store).Shl))},
	"SHRQ":  {"ic wm wm", isa.Arithmetic(shift((*term.Store).Shr))},
	"SHLQ3": {"i w w w", doubleShift(func(t *term.Store, in, a term.Term, k int) term.Term { return isa.Funnel(t, in, a, 64-k) })},
	"SHRQ3": {"i w w w", doubleShift(func(t *term.Store, in, a term.Term, k int) term.Term { return isa.Funnel(t, a, in, k) })},
	"SHLXQ": {"w wm w", isa.Arithmetic(isa.Shift((*term.Store).Shl))},
	"SHRXQ": {"w wm w", isa.Arithmetic(isa.Shift((*term.Store).Shr))},
	// Rotations preserve ZF, but here it becomes undefined like the other flags.
	"ROL":  {"i wm wm", undefined(isa.Arithmetic(isa.Shift((*term.Store).Rot)))},
	"ROR":  {"i wm wm", undefined(isa.Arithmetic(isa.Shift(isa.RotateRight)))},
	"BZHI": {"w wm w", isa.Arithmetic(keepLow)},

	"MULQ":   {"wm", undefined(multiply)},
	"IMULQ":  {"wm w w", undefined(isa.Plain((*term.Store).Mul))},
	"IMUL3Q": {"i wm w", undefined(isa.Plain((*term.Store).Mul))},
	"MULX":   {"wm w w", multiplyApart},
	"BSWAP":  {"w w", isa.SwapBytes},

	"NOP": {"", func(*instr) {}},
	// A prefetch never faults. The cache reveals its address, which must be public.
	"PREFETCHT0 PREFETCHT1": {"m", func(x *instr) { x.Shown(x.Address(&x.Args[0])) }},
	"RET":                   {"", func(x *instr) { x.Done = true }},
	"JMP":                   {"l", isa.Jump},
	"J":                     {"l", isa.JumpIf(func(x *instr) term.Term { return conditions[x.Name[1:]](x) })},

	"VMOVDQ": {"vm vm", isa.Move},
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
		machine.Refuse(x.Legacy && x.Args[0].At != vectors, "mask operand must be X0")
		return x.T.Choose(x.T.Less(v[0], x.T.Const(64, 0)), v[1], v[2])
	})},
	"VAESENC":          {"vm v v", isa.Vector(encrypt)},
	"VAESKEYGENASSIST": {"i vm v", isa.Vector(assist)},

	"VPSHUFB": {"vm v v", isa.Pick(16, 1, func(x *instr, i, _ int) (int, int) {
		c := x.Control(0, i)
		return 1 - 2*(c>>7), c & 15
	})},
	"VPSHUFD":  {"i vm v", isa.Pick(16, 4, func(x *instr, i, _ int) (int, int) { return 0, field(x, 2, i) })},
	"VPERMQ":   {"i vm v", isa.Pick(32, 8, func(x *instr, i, _ int) (int, int) { return 0, field(x, 2, i) })},
	"VSHUFPS":  {"i vm v v", isa.Pick(16, 4, func(x *instr, i, _ int) (int, int) { return 1 - i/2, field(x, 2, i) })},
	"VSHUFPD":  {"i vm v v", isa.Pick(0, 8, func(x *instr, i, _ int) (int, int) { return 1 - i%2, i&^1 + field(x, 1, i) })},
	"VPBLENDD": {"i vm v v", isa.Pick(0, 4, func(x *instr, i, _ int) (int, int) { return 1 - field(x, 1, i), i })},
	"VPUNPCKL": {"vm v v", isa.Pick(16, 0, isa.Zip(0))},
	"VPUNPCKH": {"vm v v", isa.Pick(16, 0, isa.Zip(1))},
	"VPSLLDQ":  {"i vm v", isa.Pick(16, 1, shiftBytes(-1))},
	"VPSRLDQ":  {"i vm v", isa.Pick(16, 1, shiftBytes(1))},
	// These select 16-byte parts of both sources.
	"VSHUFI32X4 VSHUFI64X2": {"i vm v v", isa.Pick(0, 16, func(x *instr, i, count int) (int, int) {
		return 1 - i/(count/2), field(x, count/2, i)
	})},
	"VPERM2I128": {"i vm v v", isa.Pick(0, 16, func(x *instr, i, _ int) (int, int) {
		c := field(x, 4, i)
		return 1 - c>>1&1 - 2*(c>>3), c & 1
	})},
	// The second source contains the indices.
	"VPERMT2": {"vm v d", isa.Pick(0, 0, func(x *instr, i, count int) (int, int) {
		c := x.Control(1, i)
		return map[bool]int{true: 0, false: 2}[c&count != 0], c & (count - 1)
	})},
})

type instr = isa.Instr

var conditions = isa.NewTable(isa.Conditions, map[string]isa.Condition{"HI A": above, "LS BE": isa.Unless(above)})

// above returns !CF & !ZF, as a single comparison if possible.
func above(x *instr) term.Term {
	t, carry, zero := x.T, x.Flag(isa.CF), x.Flag(isa.ZF)
	if t.Op(carry) == term.Apply && t.Func(carry) == term.BorrowOf {
		a, b, in := term.Term(t.Args(carry)[0]), term.Term(t.Args(carry)[1]), term.Term(t.Args(carry)[2])
		if in == t.Const(8, 0) && zero == t.Zero(t.Sub(a, b)) {
			return t.Borrow(b, a, in)
		}
	}
	return isa.Not(t, t.Or(carry, zero))
}

func extend(n int) isa.Meaning {
	return func(x *instr) {
		var b [8]term.Byte
		copy(b[:], x.Get(0, n))
		x.Put(1, b[:])
	}
}

// and also recognizes the AND that aligns the frame's address.
func and(x *instr) {
	if o := &x.Args[2]; x.N == 8 && x.Args[0].Kind == 'i' && o.Kind == 'w' && -x.Args[0].Imm <= 4096 {
		if base, ok := x.AlignDown(x.Value(1), int64(-x.Args[0].Imm)); ok {
			x.Set(2, base)
			x.UndefineFlags()
			return
		}
	}
	isa.Arithmetic(isa.Logic((*term.Store).And))(x)
}

// step returns a Meaning that adds a constant and preserves the carry.
func step(by uint64) isa.Meaning {
	return func(x *instr) {
		r := x.T.AddConst(x.Value(0), by)
		x.SetFlags(r, x.Flags[isa.CF], machine.Undefined)
		x.Set(1, r)
	}
}

// undefined marks all flags undefined after f.
func undefined(f isa.Meaning) isa.Meaning {
	return func(x *instr) {
		f(x)
		x.UndefineFlags()
	}
}

// shift leaves all flags except ZF undefined, unless it shifts by 0.
func shift(f func(*term.Store, term.Term, int) term.Term) isa.Operation {
	return func(x *instr, a, by term.Term) term.Term {
		k := x.Amount(by) & (8*x.N - 1)
		r := f(x.T, a, k)
		if k != 0 {
			x.SetFlags(r, machine.Undefined, machine.Undefined)
		}
		return r
	}
}

func doubleShift(f func(t *term.Store, in, a term.Term, k int) term.Term) isa.Meaning {
	return func(x *instr) {
		in := x.Value(1)
		by := func(t *term.Store, a term.Term, k int) term.Term { return f(t, in, a, k) }
		x.Set(3, shift(by)(x, x.Value(2), x.Value(0)))
	}
}

// keepLow returns a with all bits except the lowest ones cleared.
func keepLow(x *instr, a, bits term.Term) term.Term {
	if n := x.Amount(bits); n < 64 {
		a = x.T.And(a, x.T.Const(64, 1<<n-1))
	}
	x.SetFlags(a, machine.Undefined, machine.Undefined)
	return a
}

// multiply sets DX:AX to AX · src.
func multiply(x *instr) {
	a, b := x.Word(ax, 8), x.Value(0)
	x.SetWord(ax, x.T.Mul(a, b))
	x.SetWord(dx, x.T.MulHigh(a, b))
}

// multiplyApart sets hi:lo to DX · src and preserves the flags.
func multiplyApart(x *instr) {
	a, b := x.Word(dx, 8), x.Value(0)
	x.Set(1, x.T.Mul(a, b))
	x.Set(2, x.T.MulHigh(a, b)) // if both destinations are the same register, it gets the high half
}

// field returns the constant operand's i-th field of the given width.
func field(x *instr, bits, i int) int { return int(x.Args[0].Imm) >> (bits * i) & (1<<bits - 1) }

// shiftBytes shifts 16-byte groups down, or up if sign is -1.
func shiftBytes(sign int) isa.Source {
	return func(x *instr, i, count int) (int, int) {
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
	inner := x.T.Xor
	switch x.Args[0].Imm {
	case 0xff:
		for i := range dst {
			dst[i] = term.ConstByte(0xff)
		}
		return
	case 0x78:
		inner = x.T.And
	case 0x96:
	default:
		machine.Fail("unsupported instruction form")
	}
	machine.Bitwise(x.T, inner, dst, src[1], src[0]) // first, because two opposite shifts form a rotation
	machine.Bitwise(x.T, x.T.Xor, dst, dst, src[2])
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

// expand spreads consecutive source elements over the selected destination elements.
func expand(x *instr) {
	machine.Refuse(x.Mask == nil || x.Broadcast, "unsupported instruction form")
	out := make([]term.Byte, x.Size)
	var to []int
	for i := 0; i < x.Size; i += x.N {
		if wanted(x, i/x.N) {
			to = append(to, i)
		}
	}
	in := x.Get(0, x.N*len(to))
	for i, at := range to {
		copy(out[at:at+x.N], in[i*x.N:])
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
	machine.Refuse(x.Args[0].Imm != 1 && x.Args[0].Imm != 5, "unsupported instruction form")
	less := x.T.Borrow(a, b, x.T.Const(8, 0))
	if x.Args[0].Imm == 5 {
		return isa.Not(x.T, less)
	}
	return less
}

func insert(n int) isa.Meaning {
	return func(x *instr) {
		n, i := cmp.Or(n, x.N), int(x.Args[0].Imm)
		out := slices.Clone(x.Get(2, cmp.Or(x.Size, 16)))
		machine.Refuse((i+1)*n > len(out) || n == len(out), "unsupported instruction form")
		copy(out[i*n:], x.Get(1, n))
		x.Put(3, out)
	}
}

func extract(n int) isa.Meaning {
	return func(x *instr) {
		n, i := cmp.Or(n, x.N), int(x.Args[0].Imm)
		machine.Refuse((i+1)*n > x.Args[1].Size || n == x.Args[1].Size, "unsupported instruction form")
		x.Put(2, x.Get(1, (i+1)*n)[i*n:])
	}
}

func zeroUpper(x *instr) {
	for i := range 16 {
		x.SetBytes(vectors+64*i+16, 48, nil)
	}
	x.Dirty = false
}
