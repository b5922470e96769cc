// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package isa

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A VectorOp computes a vector of len(dst) bytes from the sources, which may be parts of registers that dst
// is not, in the assembler's order.
type VectorOp func(x *Instr, dst []term.Byte, src [][]term.Byte)

// Vector is an operation on vectors of one size, after a constant if there is one.
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

// A memo has what an instruction made of its operands in the run before, at each
// turn of the loops around it. Runs for other lengths mostly do the same again.
type memo struct{ out, src []term.Byte }

const maxMemos = 64

// Lanes does the same in every lane of N bytes.
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

// Pairs is Lanes of two sources: in the assembler's order the operand that is subtracted comes first.
func Pairs(f Fold) Meaning {
	return Lanes(func(x *Instr, v []term.Term) term.Term { return f(x.T, v[1], v[0]) })
}

// ByConstant shifts every lane by the constant.
func ByConstant(f func(t *term.Store, a term.Term, k int) term.Term) Meaning {
	return Lanes(func(x *Instr, v []term.Term) term.Term { return f(x.T, v[0], int(x.Args[0].Imm)) })
}

// Bits is an operation on bits, whose instructions say nothing of lanes.
func Bits(f Fold) Meaning {
	return Vector(func(x *Instr, dst []term.Byte, src [][]term.Byte) {
		machine.Bitwise(x.T, func(a, b term.Term) term.Term { return f(x.T, a, b) }, dst, src[0], src[1])
	})
}

// Product is that of words of 32 bits, the lower halves of terms of 64 bits or terms of their own.
func Product(t *term.Store, a, b term.Term) term.Term {
	return t.Mul(t.Extend(t.Low(a, 32), 64), t.Extend(t.Low(b, 32), 64))
}

// A Source says where an element comes from: which source, and which of its elements there. The zero comes from a
// negative one. Number gives an element of a source that is a number, which must be known.
type Source func(x *Instr, i, count int, number func(src, i int) int) (src, element int)

// Pick is a shuffle of elements of n bytes, or of N if that is 0, in each group of bytes, or all of them if it is 0.
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

// Zip takes the elements of the lower (0) or the upper (1) halves of both sources in turn.
func Zip(half int) Source {
	return func(_ *Instr, i, count int, _ func(int, int) int) (int, int) { return 1 - i%2, (half*count + i) / 2 }
}

// Repeat fills each vector after the first operand with an element of it, of n bytes or of N if that is 0.
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
