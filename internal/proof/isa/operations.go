// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package isa

import (
	"cmp"
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

// Arithmetic returns a Meaning that sets the last operand to f(second, first).
func Arithmetic(f Operation) Meaning {
	return func(x *Instr) { x.Set(x.Last(), f(x, x.Value(1), x.Value(0))) }
}

// Plain is like Arithmetic, but preserves the flags.
func Plain(f Fold) Meaning {
	return Arithmetic(func(x *Instr, a, b term.Term) term.Term { return f(x.T, a, b) })
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
	machine.Refuse(!ok, "shifts by an unknown number of bits")
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

// A VectorOp computes dst from src, which is in the assembler's operand order.
type VectorOp func(x *Instr, dst []term.Byte, src [][]term.Byte)

// Vector returns a Meaning for instructions whose vector operands are all the same
// size. It sets the last operand, the destination, to the result of op on the source
// operands. A leading immediate is not passed to op. If the instruction also reads its
// destination, the old value is passed as the last argument.
func Vector(op VectorOp) Meaning {
	return func(x *Instr) {
		first, end := 0, x.Last()
		if x.Args[0].Kind == 'i' {
			first = 1
		}
		if x.inOut {
			end++
		}
		run := min(int(x.Visits()[x.PC]), maxMemos)
		for len(x.memos) <= run {
			x.memos = append(x.memos, memo{})
		}
		m := &x.memos[run]
		x.src = x.src[:0]
		for i := first; i < end; i++ {
			x.src = append(x.src, x.Get(i, x.Size)...)
		}
		if len(m.src) == 0 || !slices.Equal(m.src, x.src) {
			m.src, m.out = m.src[:0], slices.Grow(m.out, x.Size)[:x.Size] // op may fail
			op(x, m.out, slices.Collect(slices.Chunk(x.src, x.Size)))
			m.src = append(m.src, x.src...)
		}
		x.Put(x.Last(), m.out)
	}
}

// A memo caches the last operands and the last result of an instruction.
type memo struct{ out, src []term.Byte }

const maxMemos = 64

// Lanes returns a Meaning that applies f to lanes of N bytes.
func Lanes(f func(x *Instr, v []term.Term) term.Term) Meaning {
	return Vector(func(x *Instr, dst []term.Byte, src [][]term.Byte) {
		v := make([]term.Term, len(src))
		for i := 0; i < len(dst); i += x.N {
			for j := range src {
				v[j] = x.T.Gather(src[j][i : i+x.N])
			}
			x.T.Bytes(dst[i:i+x.N], f(x, v))
		}
	})
}

// Pairs is like Lanes, but calls f with the sources in reverse order.
func Pairs(f Fold) Meaning {
	return Lanes(func(x *Instr, v []term.Term) term.Term { return f(x.T, v[1], v[0]) })
}

// ByConstant returns a Meaning that shifts every lane by the constant operand.
func ByConstant(f func(t *term.Store, a term.Term, k int) term.Term) Meaning {
	return Lanes(func(x *Instr, v []term.Term) term.Term { return f(x.T, v[0], int(x.Args[0].Imm)) })
}

// Bits returns a Meaning that applies the bitwise operation f to two sources.
func Bits(f Fold) Meaning {
	return Vector(func(x *Instr, dst []term.Byte, src [][]term.Byte) {
		machine.Bitwise(x.T, func(a, b term.Term) term.Term { return f(x.T, a, b) }, dst, src[0], src[1])
	})
}

// Product multiplies the low 32 bits of a and b to 64 bits.
func Product(t *term.Store, a, b term.Term) term.Term {
	return t.Mul(t.Extend(t.Low(a, 32), 64), t.Extend(t.Low(b, 32), 64))
}

// A Source describes how an instruction rearranges elements. For element i of the count
// elements in the result, a Source returns the operand src and the element to copy. If
// src is negative, element i of the result becomes 0. x.Control reads operands.
type Source func(x *Instr, i, count int) (src, element int)

// Pick returns a Meaning for instructions that rearrange vector elements, such as
// shuffles. source selects the element to copy to each element of the result. n is the
// element size in bytes, or 0 if the instruction's name determines it. Elements stay
// within lanes of size bytes, or within the whole vector if size is 0.
func Pick(size, n int, source Source) Meaning {
	return Vector(func(x *Instr, dst []term.Byte, src [][]term.Byte) {
		size, n := cmp.Or(size, len(dst)), cmp.Or(n, x.N)
		clear(dst)
		for g := 0; g < len(dst); g += size {
			x.Control = func(j, i int) int {
				v, ok := x.T.ByteValue(src[j][g+i*n])
				machine.Refuse(!ok, "shuffles by a value that is not constant")
				return int(v)
			}
			for i := range size / n {
				if j, e := source(x, i, size/n); j >= 0 {
					copy(dst[g+i*n:g+i*n+n], src[j][g+e*n:])
				}
			}
		}
	})
}

// Zip interleaves the sources' lower halves or, if half is 1, upper halves.
func Zip(half int) Source {
	return func(_ *Instr, i, count int) (int, int) { return 1 - i%2, (half*count + i) / 2 }
}

// Repeat returns a Meaning for instructions that broadcast vector elements: element i
// of the source fills destination i. n is the element size in bytes, or 0 if the
// instruction's name determines it.
func Repeat(n int) Meaning {
	return func(x *Instr) {
		n := cmp.Or(n, x.N)
		b := x.Get(0, n*x.Last())
		for i := range x.Last() {
			x.Put(1+i, repeat(b[i*n:i*n+n], x.Size))
		}
	}
}

func repeat(b []term.Byte, size int) []term.Byte { return slices.Repeat(b, size/len(b)) }
