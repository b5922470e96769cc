// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

var words = map[string]isa.Row{
	"MOVD":              {"wia w|m w|w m", isa.Move},
	"MOVWU MOVHU MOVBU": {"m w|w m", isa.Move},
	"MOVW MOVH MOVB":    {"w m", isa.Move}, // loads of these sizes extend the sign, which no kernel needs
	"FMOVQ":             {"m f|f m", isa.Move},
	"FMOVD":             {"wm f|f m", isa.Move},
	"LDP LDPW":          {"m w w", loadPair},
	"FLDPQ":             {"m f f", loadPair},
	"STP STPW":          {"w w m", storePair},
	"FSTPQ":             {"f f m", storePair},

	"ADD ADDW": {"swi w w", silent((*term.Store).Add)},
	"ADDS":     {"swi w w", isa.Arithmetic(isa.Add)},
	"ADC":      {"w w w", addCarry},
	"ADCS":     {"w w w", isa.Arithmetic(isa.AddCarry)},
	"SUB":      {"swi w w", silent((*term.Store).Sub)},
	"SUBS":     {"swi w w", isa.Arithmetic(sub)},
	"AND":      {"swi w w", silent((*term.Store).And)},
	"ORR":      {"swi w w", silent((*term.Store).Or)},
	"EOR EORW": {"swi w w", silent((*term.Store).Xor)},
	"MUL":      {"w w w", silent((*term.Store).Mul)},
	"UMULH":    {"w w w", silent((*term.Store).MulHigh)},
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

	"NOP":                         {"", isa.Nothing},
	"RET":                         {"", isa.Return},
	"B":                           {"l", isa.Jump},
	"BHS BLO BEQ BNE BLT BGE BLE": {"l", isa.JumpIf(func(x *isa.Instr) term.Term { return condition(x, x.Name[1:]) })},
	"CBZ":                         {"w l", isa.JumpIf(zero)},
	"CBNZ":                        {"w l", isa.JumpIf(isa.Unless(zero))},
	"TBZ":                         {"i w l", isa.JumpIf(isa.Unless(bit))},
	"TBNZ":                        {"i w l", isa.JumpIf(bit)},
}

func condition(x *isa.Instr, name string) term.Term {
	if isa.Conditions[name] == nil {
		machine.Fail("unsupported condition %s", name)
	}
	return isa.Conditions[name](x)
}

func zero(x *isa.Instr) term.Term { return x.T.Zero(x.Value(0)) }

func bit(x *isa.Instr) term.Term {
	return x.T.Low(x.T.And(x.T.Shr(x.Value(1), int(x.Args[0].Imm&63)), x.T.Const(64, 1)), 8)
}

// sub subtracts. Unlike isa.Sub, it sets the carry if there is no borrow.
func sub(x *isa.Instr, a, b term.Term) term.Term {
	r := isa.Sub(x, a, b)
	x.Flags[isa.CF] = isa.Not(x.T, x.Flags[isa.CF])
	return r
}

func silent(f isa.Fold) isa.Meaning { return isa.Arithmetic(isa.Plain(f)) }

func addCarry(x *isa.Instr) {
	flags := x.Flags
	isa.Arithmetic(isa.AddCarry)(x)
	x.Flags = flags
}

func loadPair(x *isa.Instr) {
	if x.Args[1].At == x.Args[2].At {
		machine.Fail("loads two values into one register")
	}
	b := x.Get(0, 2*x.N)
	x.Put(1, b[:x.N])
	x.Put(2, b[x.N:])
}

func storePair(x *isa.Instr) { x.Put(2, slices.Concat(x.Get(0, x.N), x.Get(1, x.N))) }

// field extracts bits. Operands are first bit, source, number of bits and destination.
func field(x *isa.Instr) {
	from, bits := int(x.Args[0].Imm), int(x.Args[2].Imm)
	if from < 0 || bits < 1 || from+bits > 64 {
		machine.Fail("unsupported instruction form")
	}
	x.Set(3, x.T.And(x.T.Shr(x.Value(1), from), x.T.Const(64, ^uint64(0)>>(64-bits))))
}
