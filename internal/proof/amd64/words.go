// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

var words = map[string]isa.Row{
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
	"IMULQ":  {"wm w w", undefined(isa.Arithmetic(isa.Plain((*term.Store).Mul)))},
	"IMUL3Q": {"i wm w", undefined(isa.Arithmetic(isa.Plain((*term.Store).Mul)))},
	"MULX":   {"wm w w", multiplyApart},
	"BSWAP":  {"w w", isa.SwapBytes},

	"NOP": {"", isa.Nothing},
	// A prefetch never faults. The cache reveals its address, which must be public.
	"PREFETCHT0 PREFETCHT1": {"m", func(x *instr) { x.Shown(x.Address(&x.Args[0])) }},
	"RET":                   {"", isa.Return},
	"JMP":                   {"l", isa.Jump},
	"J":                     {"l", isa.JumpIf(func(x *instr) term.Term { return conditions[x.Name[1:]](x) })},
}

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
