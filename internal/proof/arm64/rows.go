// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"cmp"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// rows maps instructions to rows.
var rows = isa.NewTable(map[string]isa.Row{
	"MOVD":              {"wia w|m w|w m", isa.Move},
	"MOVWU MOVHU MOVBU": {"m w|w m", isa.Move},
	"MOVW MOVH MOVB":    {"w m", isa.Move}, // loads of these sizes extend the sign, which no kernel needs
	"FMOVQ":             {"m f|f m", isa.Move},
	"FMOVD":             {"wm f|f m", isa.Move},
	"LDP LDPW":          {"m w w", loadPair},
	"FLDPQ":             {"m f f", loadPair},
	"STP STPW":          {"w w m", storePair},
	"FSTPQ":             {"f f m", storePair},

	"ADD ADDW": {"swi w w", isa.Plain((*term.Store).Add)},
	"ADDS":     {"swi w w", isa.Arithmetic(isa.Add)},
	"ADC":      {"w w w", addCarry},
	"ADCS":     {"w w w", isa.Arithmetic(isa.AddCarry)},
	"SUB":      {"swi w w", isa.Plain((*term.Store).Sub)},
	"SUBS":     {"swi w w", isa.Arithmetic(sub)},
	"AND":      {"swi w w", isa.Plain((*term.Store).And)},
	"ORR":      {"swi w w", isa.Plain((*term.Store).Or)},
	"EOR EORW": {"swi w w", isa.Plain((*term.Store).Xor)},
	"MUL":      {"w w w", isa.Plain((*term.Store).Mul)},
	"UMULH":    {"w w w", isa.Plain((*term.Store).MulHigh)},
	"LSL":      {"wi w w", isa.Arithmetic(isa.Shift((*term.Store).Shl))},
	"LSR":      {"wi w w", isa.Arithmetic(isa.Shift((*term.Store).Shr))},
	"RORW":     {"wi w w", isa.Arithmetic(isa.Shift(isa.RotateRight))},
	"CMP":      {"swi w", func(x *isa.Instr) { sub(x, x.Value(1), x.Value(0)) }},
	"TST":      {"swi w", func(x *isa.Instr) { isa.Logic((*term.Store).And)(x, x.Value(1), x.Value(0)) }},
	// operands: bit number, low word, high word, destination
	"EXTR": {"i w w w", func(x *isa.Instr) {
		x.Set(3, isa.Funnel(x.T, x.Value(1), x.Value(2), int(x.Args[0].Imm&63)))
	}},
	"CSEL": {"n w w w", func(x *isa.Instr) { x.Choose(condition(x, x.Args[0].Name), x.Value(1), x.Value(2)) }},
	"UBFX": {"i w i w", field},
	// The operands of x·y + z are in the order x, z, y.
	"MADD":     {"w w w w", func(x *isa.Instr) { x.Set(3, x.T.Add(x.Value(1), x.T.Mul(x.Value(0), x.Value(2)))) }},
	"REV REVW": {"w w", isa.SwapBytes},

	"NOP":                         {"", func(*isa.Instr) {}},
	"RET":                         {"", func(x *isa.Instr) { x.Done = true }},
	"B":                           {"l", isa.Jump},
	"BHS BLO BEQ BNE BLT BGE BLE": {"l", isa.JumpIf(func(x *isa.Instr) term.Term { return condition(x, x.Name[1:]) })},
	"CBZ":                         {"w l", isa.JumpIf(zero)},
	"CBNZ":                        {"w l", isa.JumpIf(isa.Unless(zero))},
	"TBZ":                         {"i w l", isa.JumpIf(isa.Unless(bit))},
	"TBNZ":                        {"i w l", isa.JumpIf(bit)},

	"VMOV":  {"v v|w e|e w", isa.Move},
	"VMOVI": {"i v", isa.Repeat(0)},
	"VDUP":  {"we v", duplicate},
	"VLD1R": {"m v", structure(1, isa.Repeat(0))},
	"VLD2R": {"m v v", structure(1, isa.Repeat(0))},
	"VLD4R": {"m v v v v", structure(1, isa.Repeat(0))},
	"VLD2":  {"m v v", structure(0, loadApart)},

	"VADD":  {"v v v", isa.Pairs((*term.Store).Add)},
	"VSUB":  {"v v v", isa.Pairs((*term.Store).Sub)},
	"VEOR":  {"v v v", isa.Bits((*term.Store).Xor)},
	"VAND":  {"v v v", isa.Bits((*term.Store).And)},
	"VORR":  {"v v v", isa.Bits((*term.Store).Or)},
	"VUSHR": {"i v v", byConstant(false, func(t *term.Store, v []term.Term, k int) term.Term { return t.Shr(v[0], k) })},
	"VSHL":  {"i v v", byConstant(true, func(t *term.Store, v []term.Term, k int) term.Term { return t.Shl(v[0], k) })},
	"VUSRA": {"i v d", byConstant(false, func(t *term.Store, v []term.Term, k int) term.Term { return t.Add(v[1], t.Shr(v[0], k)) })},
	// VSRI and VSLI preserve the destination's bits that the shift leaves free.
	"VSRI": {"i v d", byConstant(false, func(t *term.Store, v []term.Term, k int) term.Term {
		w := t.Width(v[0])
		return t.Or(t.Shr(v[0], k), t.And(v[1], t.Const(w, ^(^uint64(0)>>(64-w)>>k))))
	})},
	"VSLI": {"i v d", byConstant(true, func(t *term.Store, v []term.Term, k int) term.Term {
		return t.Or(t.Shl(v[0], k), t.And(v[1], t.Const(t.Width(v[0]), 1<<k-1)))
	})},
	"VADDP":                 {"v v v", isa.Vector(addPairs)},
	"VUMULL VUMLAL VUMLAL2": {"ue u v", multiply},
	"VXTN":                  {"u v", narrowed},
	"VSHRN":                 {"i u v", narrowed},
	"AESE":                  {"v d", isa.Vector(encrypt)},
	"AESMC": {"v v", isa.Vector(func(x *isa.Instr, dst []term.Byte, src [][]term.Byte) {
		x.T.MixColumns(dst, src[0])
	})},
	"VZIP1":  {"v v v", isa.Pick(0, 0, isa.Zip(0))},
	"VZIP2":  {"v v v", isa.Pick(0, 0, isa.Zip(1))},
	"VUZP1":  {"v v v", isa.Pick(0, 0, unzip(0))},
	"VUZP2":  {"v v v", isa.Pick(0, 0, unzip(1))},
	"VTRN1":  {"v v v", isa.Pick(0, 0, transpose(0))},
	"VTRN2":  {"v v v", isa.Pick(0, 0, transpose(1))},
	"VREV64": {"v v", reverse(8)},
	"VREV32": {"v v", reverse(4)},
	// VEXT extracts from the second source followed by the first.
	"VEXT": {"i v v v", isa.Pick(0, 1, func(x *isa.Instr, i, count int) (int, int) {
		at := i + int(x.Args[0].Imm)
		return 1 - at/count, at % count
	})},
	"VTBL": {"v v v", isa.Pick(0, 1, func(x *isa.Instr, i, count int) (int, int) {
		c := x.Control(0, i)
		return 1 - 2*min(c/count, 1), c % count
	})},
})

func condition(x *isa.Instr, name string) term.Term {
	machine.Refuse(isa.Conditions[name] == nil, "unsupported condition %s", name)
	return isa.Conditions[name](x)
}

func zero(x *isa.Instr) term.Term { return x.T.Zero(x.Value(0)) }

func bit(x *isa.Instr) term.Term {
	return x.T.Low(x.T.And(x.T.Shr(x.Value(1), int(x.Args[0].Imm&63)), x.T.Const(64, 1)), 8)
}

// sub returns a - b and sets the flags. If there is no borrow, it sets the carry to 1.
func sub(x *isa.Instr, a, b term.Term) term.Term {
	r := isa.Sub(x, a, b)
	x.Flags[isa.CF] = isa.Not(x.T, x.Flags[isa.CF])
	return r
}

func addCarry(x *isa.Instr) {
	flags := x.Flags
	isa.Arithmetic(isa.AddCarry)(x)
	x.Flags = flags
}

func loadPair(x *isa.Instr) {
	machine.Refuse(x.Args[1].At == x.Args[2].At, "loads two values into one register")
	b := x.Get(0, 2*x.N)
	x.Put(1, b[:x.N])
	x.Put(2, b[x.N:])
}

func storePair(x *isa.Instr) { x.Put(2, slices.Concat(x.Get(0, x.N), x.Get(1, x.N))) }

// field extracts bits. Operands are first bit, source, number of bits and destination.
func field(x *isa.Instr) {
	from, bits := int(x.Args[0].Imm), int(x.Args[2].Imm)
	machine.Refuse(from < 0 || bits < 1 || from+bits > 64, "unsupported instruction form")
	x.Set(3, x.T.And(x.T.Shr(x.Value(1), from), x.T.Const(64, ^uint64(0)>>(64-bits))))
}

// unzip selects the even elements or, if odd is 1, the odd ones.
func unzip(odd int) isa.Source {
	return func(_ *isa.Instr, i, count int) (int, int) {
		return 1 - (2*i+odd)/count, (2*i + odd) % count
	}
}

// transpose interleaves even elements or, if odd is 1, odd ones.
func transpose(odd int) isa.Source {
	return func(_ *isa.Instr, i, _ int) (int, int) { return 1 - i%2, i - i%2 + odd }
}

func reverse(group int) isa.Meaning {
	return isa.Pick(group, 0, func(x *isa.Instr, i, count int) (int, int) {
		machine.Refuse(count < 2, "unsupported instruction form")
		return 0, count - 1 - i
	})
}

func duplicate(x *isa.Instr) {
	machine.Refuse(x.Args[0].Kind == 'e' && x.Args[0].Lane != x.N, "unsupported instruction form")
	isa.Repeat(0)(x)
}

// structure requires consecutive vectors and a post-increment by the number of bytes.
// It loads the given number of elements for each vector, or whole vectors if it is 0.
func structure(elements int, f isa.Meaning) isa.Meaning {
	return func(x *isa.Instr) {
		size := cmp.Or(elements*x.N, x.Size) * x.Last()
		by := map[bool]int{true: size}[x.PostIndex]
		machine.Refuse(x.PreIndex || x.Args[0].Imm != uint64(by), "unsupported instruction form")
		for i, o := range x.Args[1:] {
			machine.Refuse(o.At-vectors != (x.Args[1].At-vectors+16*i)%512, "vector registers must be consecutive")
		}
		f(x)
	}
}

// loadApart loads elements alternately into two vectors.
func loadApart(x *isa.Instr) {
	var out [2][]term.Byte
	for i, b := range slices.Collect(slices.Chunk(x.Get(0, 2*x.Size), x.N)) {
		out[i%2] = append(out[i%2], b...)
	}
	x.Put(1, out[0])
	x.Put(2, out[1])
}

// byConstant returns a Meaning that shifts every lane by an encodable constant.
func byConstant(left bool, f func(t *term.Store, v []term.Term, k int) term.Term) isa.Meaning {
	return isa.Lanes(func(x *isa.Instr, v []term.Term) term.Term {
		k, bits := x.Args[0].Imm, uint64(8*x.N)
		machine.Refuse(k > bits || left && k == bits || !left && k == 0, "shift by %d is out of range", k)
		return f(x.T, v, int(k))
	})
}

func addPairs(x *isa.Instr, dst []term.Byte, src [][]term.Byte) {
	n, both := x.N, slices.Concat(src[1], src[0])
	for i := 0; i < len(dst); i += n {
		x.T.Bytes(dst[i:i+n], x.T.Add(x.T.Gather(both[2*i:2*i+n]), x.T.Gather(both[2*i+n:2*i+2*n])))
	}
}

// multiply computes 64-bit products of words. VUMLAL adds them to the destination.
func multiply(x *isa.Instr) {
	half, a, b, dst := 8, &x.Args[1], &x.Args[0], &x.Args[2]
	if strings.HasSuffix(x.Name, "2") {
		half = 16
	}
	wrong := a.Size != half || a.Lane != 4 || b.Lane != 4 || b.Kind == 'v' && b.Size != half || dst.Lane != 8
	machine.Refuse(wrong, "unsupported instruction form")
	var out [16]term.Byte
	for i := range 2 {
		at, by := half-8+4*i, b.At
		if b.Kind == 'v' {
			by += at
		}
		r := isa.Product(x.T, x.Word(a.At+at, 4), x.Word(by, 4))
		if strings.HasPrefix(x.Name, "VUMLAL") {
			r = x.T.Add(x.Word(dst.At+8*i, 8), r)
		}
		x.T.Bytes(out[8*i:8*i+8], r)
	}
	x.Put(2, out[:])
}

// narrowed stores each lane's low half, after an optional right shift.
func narrowed(x *isa.Instr) {
	k, src, dst := 0, &x.Args[x.Last()-1], &x.Args[x.Last()]
	if x.Args[0].Kind == 'i' {
		k = int(x.Args[0].Imm)
	}
	machine.Refuse(src.Lane != 8 || dst.Lane != 4 || dst.Size != 8, "unsupported instruction form")
	var out [8]term.Byte
	for i := range 2 {
		x.T.Bytes(out[4*i:4*i+4], x.T.Low(x.T.Shr(x.Word(src.At+8*i, 8), k), 32))
	}
	x.Put(x.Last(), out[:])
}

func encrypt(x *isa.Instr, dst []term.Byte, src [][]term.Byte) {
	var b [16]term.Byte
	machine.Bitwise(x.T, x.T.Xor, b[:], src[0], src[1])
	term.ShiftRows(dst, b[:])
	x.T.SubBytes(dst, dst)
}
