// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package isa

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// These are the carry, zero and signed-less flags.
const (
	CF = iota
	ZF
	LT
)

// Not returns the complement of a bit.
func Not(t *term.Store, bit term.Term) term.Term { return t.Xor(bit, t.Const(8, 1)) }

// A Condition returns the bit that a conditional instruction tests.
type Condition func(x *Instr) term.Term

func flag(i int) Condition { return func(x *Instr) term.Term { return x.Flag(i) } }

// Unless returns the opposite of c.
func Unless(c Condition) Condition {
	return func(x *Instr) term.Term { return Not(x.T, c(x)) }
}

// Conditions maps the names of conditions to their meanings.
var Conditions = NewTable(map[string]Condition{
	"CS B HS":  flag(CF),
	"CC AE LO": Unless(flag(CF)),
	"EQ E Z":   flag(ZF),
	"NE NZ":    Unless(flag(ZF)),
	"LT":       flag(LT),
	"GE":       Unless(flag(LT)),
	"LE":       func(x *Instr) term.Term { return x.T.Or(x.Flag(LT), x.Flag(ZF)) },
})

// Jump continues at the label in the last operand.
func Jump(x *Instr) { x.Next = x.Args[x.Last()].To }

// JumpIf returns a Meaning that jumps to the label if c holds.
func JumpIf(c Condition) Meaning {
	return func(x *Instr) {
		if x.Decide(c(x)) {
			Jump(x)
		}
	}
}

// Return ends the function.
func Return(x *Instr) { x.Done = true }

// Nothing is the meaning of NOP.
func Nothing(*Instr) {}

// Choose sets the last operand to a if bit is 1, else b.
func (x *Instr) Choose(bit, a, b term.Term) {
	if v, ok := x.Known(bit); ok {
		bit = x.T.Const(8, map[bool]uint64{true: 1}[v])
	}
	x.Set(x.Last(), x.T.Choose(bit, a, b))
}

// Move copies a word or a vector.
func Move(x *Instr) { x.Put(1, x.Get(0, max(x.N, x.Size))) }

// A Fold is an operation on two terms.
type Fold = func(t *term.Store, a, b term.Term) term.Term

// An Operation computes a result from a and b, and sets flags.
type Operation func(x *Instr, a, b term.Term) term.Term

// Plain returns an operation that preserves the flags.
func Plain(f Fold) Operation {
	return func(x *Instr, a, b term.Term) term.Term { return f(x.T, a, b) }
}

// Arithmetic returns a Meaning that sets the last operand to f(second, first).
func Arithmetic(f Operation) Meaning {
	return func(x *Instr) { x.Set(x.Last(), f(x, x.Value(1), x.Value(0))) }
}

// SetFlags sets carry and signed-less as given, and the zero flag from result.
func (x *Instr) SetFlags(result, carry, less term.Term) {
	x.Flags = machine.Flags{CF: carry, ZF: x.T.Zero(result), LT: less}
}

// Add returns a + b and sets the flags.
func Add(x *Instr, a, b term.Term) term.Term {
	r, less, w := x.T.Add(a, b), machine.Undefined, x.T.Width(b)
	if v, ok := x.T.IsConst(b); ok && v != 1<<(w-1) {
		less = x.T.Less(a, x.T.Const(w, -v)) // compare the sum without overflow
	}
	x.SetFlags(r, x.T.Carry(a, b, x.T.Const(8, 0)), less)
	return r
}

// AddCarry returns a + b plus the carry, and sets the flags.
func AddCarry(x *Instr, a, b term.Term) term.Term {
	c := x.Flag(CF)
	r := x.T.Add(x.T.Add(a, b), x.T.Extend(c, x.T.Width(a)))
	x.SetFlags(r, x.T.Carry(a, b, c), machine.Undefined)
	return r
}

// Sub returns a - b and sets the flags. CF is the borrow.
func Sub(x *Instr, a, b term.Term) term.Term {
	r := x.T.Sub(a, b)
	x.SetFlags(r, x.T.Borrow(a, b, x.T.Const(8, 0)), x.T.Less(a, b))
	return r
}

// Logic returns an operation that clears the carry.
func Logic(f Fold) Operation {
	return func(x *Instr, a, b term.Term) term.Term {
		r := f(x.T, a, b)
		x.SetFlags(r, x.T.Const(8, 0), machine.Undefined)
		return r
	}
}

// Amount returns the shift count that count represents, which must be known.
func (x *Instr) Amount(count term.Term) int {
	v, ok := x.State.Value(x.T.Low(count, 8))
	Refuse(!ok, "shifts by an unknown number of bits")
	return int(v)
}

// Shift returns an operation that shifts by a known count, preserving the flags.
func Shift(f func(t *term.Store, a term.Term, k int) term.Term) Operation {
	return func(x *Instr, a, by term.Term) term.Term { return f(x.T, a, x.Amount(by)&(8*x.N-1)) }
}

// RotateRight rotates a to the right, whereas term.Rot rotates to the left.
func RotateRight(t *term.Store, a term.Term, k int) term.Term { return t.Rot(a, -k) }

// Funnel returns 64 bits of upper:lower, starting at bit k.
func Funnel(t *term.Store, lower, upper term.Term, k int) term.Term {
	return t.Or(t.Shr(lower, k), t.Shl(upper, 64-k))
}

// SwapBytes reverses the bytes of a word.
func SwapBytes(x *Instr) {
	b := slices.Clone(x.Get(0, x.N))
	slices.Reverse(b)
	x.Put(1, b)
}
