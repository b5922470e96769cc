// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package isa

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A VectorOp computes dst from the sources, which are in the assembler's order. A
// source may be part of a register, but never overlaps dst.
type VectorOp func(x *Instr, dst []term.Byte, src [][]term.Byte)

// Vector returns the meaning of an operation on vectors of one size. If the instruction
// has a constant, the constant is the first operand.
func Vector(op VectorOp) Meaning {
	return func(x *Instr) {
		first, end := 0, x.Last()
		if x.Args[0].Kind == 'i' {
			first = 1
		}
		if x.inOut {
			end++
		}
		turn := min(int(x.Visits()[x.PC]), maxMemos)
		for len(x.memos) <= turn {
			x.memos = append(x.memos, memo{})
		}
		m := &x.memos[turn]
		x.src = x.src[:0]
		same := len(m.out) > 0
		for i := first; i < end; i++ {
			b, at := x.Get(i, x.Size), (i-first)*x.Size
			x.src = append(x.src, b)
			same = same && slices.Equal(m.src[at:at+x.Size], b)
		}
		if !same {
			op(x, x.out[:x.Size], x.src)
			m.src, m.out = m.src[:0], append(m.out[:0], x.out[:x.Size]...)
			for _, b := range x.src {
				m.src = append(m.src, b...)
			}
		}
		x.Put(x.Last(), m.out)
	}
}

// A memo contains the operands and the result of an instruction in the previous run.
// Each iteration of the surrounding loops has its own memo. Runs at different lengths
// usually repeat the same computation, so the result can be reused.
type memo struct{ out, src []term.Byte }

const maxMemos = 64

// Lanes returns the meaning of an instruction that applies f to each N-byte lane.
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

// Pairs returns the meaning of an instruction that applies f to the lanes of two
// sources. The second source in the assembler's order is the first argument of f,
// because the assembler puts a subtrahend first.
func Pairs(f Fold) Meaning {
	return Lanes(func(x *Instr, v []term.Term) term.Term { return f(x.T, v[1], v[0]) })
}

// ByConstant shifts every lane by the constant operand.
func ByConstant(f func(t *term.Store, a term.Term, k int) term.Term) Meaning {
	return Lanes(func(x *Instr, v []term.Term) term.Term { return f(x.T, v[0], int(x.Args[0].Imm)) })
}

// Bits returns the meaning of an instruction that applies the bitwise operation f to
// two sources. The lane size does not matter.
func Bits(f Fold) Meaning {
	return Vector(func(x *Instr, dst []term.Byte, src [][]term.Byte) {
		machine.Bitwise(x.T, func(a, b term.Term) term.Term { return f(x.T, a, b) }, dst, src[0], src[1])
	})
}

// Product returns the 64-bit product of two 32-bit words. a and b are 32-bit terms, or
// 64-bit terms whose low halves are multiplied.
func Product(t *term.Store, a, b term.Term) term.Term {
	return t.Mul(t.Extend(t.Low(a, 32), 64), t.Extend(t.Low(b, 32), 64))
}

// A Source returns the position from which a shuffle takes element i: the index of a
// source and the index of an element in that source. A negative source index selects
// zero. The function number returns an element of a source as a number. The element
// must be constant.
type Source func(x *Instr, i, count int, number func(src, i int) int) (src, element int)

// Pick returns the meaning of a shuffle of n-byte elements within each group of bytes.
// If n is 0, elements have N bytes. If group is 0, the whole vector is one group.
func Pick(group, n int, from Source) Meaning {
	return Vector(func(x *Instr, dst []term.Byte, src [][]term.Byte) {
		group, n := group, n
		if group == 0 {
			group = len(dst)
		}
		if n == 0 {
			n = x.N
		}
		clear(dst)
		for g := 0; g < len(dst); g += group {
			number := func(j, i int) int {
				v, ok := x.T.ByteValue(src[j][g+i*n])
				if !ok {
					machine.Fail("shuffles by something unknown")
				}
				return int(v)
			}
			for i := range group / n {
				if j, e := from(x, i, group/n, number); j >= 0 {
					copy(dst[g+i*n:g+i*n+n], src[j][g+e*n:])
				}
			}
		}
	})
}

// Zip interleaves the lower (0) or the upper (1) halves of both sources.
func Zip(half int) Source {
	return func(_ *Instr, i, count int, _ func(int, int) int) (int, int) { return 1 - i%2, (half*count + i) / 2 }
}

// Repeat returns the meaning of an instruction that fills each vector after the first
// operand with copies of one n-byte element. If n is 0, elements have N bytes.
func Repeat(n int) Meaning {
	return func(x *Instr) {
		n := n
		if n == 0 {
			n = x.N
		}
		b := x.Get(0, n*x.Last())
		for i := range x.Last() {
			x.Put(1+i, repeat(b[i*n:i*n+n], x.Size))
		}
	}
}

func repeat(b []term.Byte, size int) []term.Byte { return slices.Repeat(b, size/len(b)) }
