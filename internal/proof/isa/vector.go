// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package isa

import (
	"cmp"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

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
// src is negative, element i of the result becomes 0. For an instruction controlled by
// an operand, such as a shuffle, constant(src, i) returns the lowest byte of element i
// of operand src. If that byte is not a constant, the proof fails.
type Source func(x *Instr, i, count int, constant func(src, i int) int) (src, element int)

// Pick returns a Meaning for instructions that rearrange vector elements, such as
// shuffles. source selects the element to copy to each element of the result. n is the
// element size in bytes, or 0 if the instruction's name determines it. Elements stay
// within lanes of size bytes, or within the whole vector if size is 0.
func Pick(size, n int, source Source) Meaning {
	return Vector(func(x *Instr, dst []term.Byte, src [][]term.Byte) {
		size, n := cmp.Or(size, len(dst)), cmp.Or(n, x.N)
		clear(dst)
		for g := 0; g < len(dst); g += size {
			constant := func(j, i int) int {
				v, ok := x.T.ByteValue(src[j][g+i*n])
				Refuse(!ok, "shuffles by a value that is not constant")
				return int(v)
			}
			for i := range size / n {
				if j, e := source(x, i, size/n, constant); j >= 0 {
					copy(dst[g+i*n:g+i*n+n], src[j][g+e*n:])
				}
			}
		}
	})
}

// Zip interleaves the sources' lower halves or, if half is 1, upper halves.
func Zip(half int) Source {
	return func(_ *Instr, i, count int, _ func(int, int) int) (int, int) { return 1 - i%2, (half*count + i) / 2 }
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
