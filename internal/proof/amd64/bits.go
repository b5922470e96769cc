// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	xor, and, or := plain(bitwise((*term.Store).Xor)), plain(bitwise((*term.Store).And)), plain(bitwise((*term.Store).Or))
	instruction(vectorMeaning(0, 2, 0, false, xor), "VPXOR")
	instruction(vectorMeaning(0, 2, 4, false, xor), "VPXORD")
	instruction(vectorMeaning(0, 2, 8, false, xor), "VPXORQ")
	instruction(vectorMeaning(0, 2, 0, false, and), "VPAND")
	instruction(vectorMeaning(0, 2, 8, false, and), "VPANDQ")
	instruction(vectorMeaning(0, 2, 0, false, or), "VPOR")
	instruction(vectorMeaning(0, 2, 4, false, or), "VPORD")
	instruction(vectorMeaning(0, 2, 8, false, or), "VPORQ")
	instruction(vectorMeaning(1, 2, 4, true, ternary), "VPTERNLOGD")
	instruction(vectorMeaning(1, 2, 8, true, ternary), "VPTERNLOGQ")
}

func bitwise(f func(*term.Store, term.Term, term.Term) term.Term) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		machine.Bitwise(t, func(a, b term.Term) term.Term { return f(t, a, b) }, dst, src[0], src[1])
	}
}

// ternary is any operation on three bits: bit 4a+2b+c of the constant is the result
// for bits a of the destination, b of the second source and c of the first.
func ternary(imm []uint64) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		c, b, a := src[0], src[1], src[2]
		if imm[0] == 0xff {
			for i := range dst {
				dst[i] = term.ConstByte(0xff)
			}
			return
		}
		if imm[0] == 0x96 {
			bitwise((*term.Store).Xor)(t, dst, [][]term.Byte{a, b})
			bitwise((*term.Store).Xor)(t, dst, [][]term.Byte{dst, c})
			return
		}
		var sum, product [64]term.Byte
		for i := range len(dst) {
			sum[i] = term.ConstByte(0)
		}
		n := len(dst)
		for i := range 8 {
			if imm[0]>>i&1 == 0 {
				continue
			}
			for j := range n {
				product[j] = term.ConstByte(0xff)
			}
			for j, x := range [][]term.Byte{c, b, a} {
				f := (*term.Store).And
				if i>>j&1 == 0 {
					f = func(t *term.Store, a, b term.Term) term.Term { return t.And(a, t.Not(b)) }
				}
				bitwise(f)(t, product[:n], [][]term.Byte{append([]term.Byte(nil), product[:n]...), x})
			}
			bitwise((*term.Store).Or)(t, sum[:n], [][]term.Byte{append([]term.Byte(nil), sum[:n]...), product[:n]})
		}
		copy(dst, sum[:n])
	}
}
