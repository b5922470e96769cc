// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// What is done in every lane, bit by bit, and AES. In the assembler's order the operand that is
// subtracted comes first.
func init() {
	type fold = func(t *term.Store, a, b term.Term) term.Term
	pair := func(f fold) func(*term.Store, []term.Term) term.Term {
		return func(t *term.Store, x []term.Term) term.Term { return f(t, x[1], x[0]) }
	}
	for suffix, n := range map[string]int{"D": 4, "Q": 8} {
		two := func(f fold) meaning { return vectorMeaning(0, 2, n, false, plain(machine.Lanes(n, pair(f)))) }
		instruction(two((*term.Store).Add), "VPADD"+suffix)
		instruction(two((*term.Store).Sub), "VPSUB"+suffix)
		by := func(f func(t *term.Store, x term.Term, k int) term.Term) meaning {
			return vectorMeaning(1, 1, n, false, func(imm []uint64) vectorOp {
				return machine.Lanes(n, func(t *term.Store, x []term.Term) term.Term { return f(t, x[0], int(imm[0])) })
			})
		}
		instruction(by((*term.Store).Shl), "VPSLL"+suffix)
		instruction(by((*term.Store).Shr), "VPSRL"+suffix)
		instruction(by((*term.Store).Rot), "VPROL"+suffix)
		instruction(by(func(t *term.Store, x term.Term, k int) term.Term { return t.Rot(x, -k) }), "VPROR"+suffix)
	}
	instruction(vectorMeaning(0, 2, 4, false, plain(machine.Lanes(4, pair(equal)))), "VPCMPEQD")
	instruction(vectorMeaning(0, 2, 8, false, plain(machine.Lanes(8, pair(multiply32)))), "VPMULUDQ")
	xor, and, or := plain(machine.Bits((*term.Store).Xor)), plain(machine.Bits((*term.Store).And)), plain(machine.Bits((*term.Store).Or))
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
	for name, f := range map[string]func(t *term.Store, a, b term.Term) term.Term{
		"VPMADD52LUQ": (*term.Store).Mul52, "VPMADD52HUQ": (*term.Store).Mul52High,
	} {
		instruction(vectorMeaning(0, 2, 8, true, plain(machine.Lanes(8, func(t *term.Store, x []term.Term) term.Term {
			return t.Add(x[2], f(t, x[0], x[1]))
		}))), name)
	}
	instruction(vectorMeaning(1, 2, 8, false, func(imm []uint64) vectorOp {
		k := int(imm[0] & 63)
		return machine.Lanes(8, func(t *term.Store, x []term.Term) term.Term { return t.Or(t.Shr(x[1], k), t.Shl(x[0], 64-k)) })
	}), "VPSHRDQ")
	instruction(vectorMeaning(0, 2, 0, false, plain(encrypt(true))), "VAESENC")
	instruction(vectorMeaning(0, 2, 0, false, plain(encrypt(false))), "VAESENCLAST")
	instruction(vectorMeaning(1, 1, 0, false, assist), "VAESKEYGENASSIST")
}

// equal is all ones where a == b.
func equal(t *term.Store, a, b term.Term) term.Term {
	if a == b {
		return t.Const(t.Width(a), ^uint64(0))
	}
	bit := t.Zero(t.Xor(a, b))
	return t.Sub(t.Const(t.Width(a), 0), t.Extend(bit, t.Width(a)))
}

// multiply32 is the product of the lower halves.
func multiply32(t *term.Store, a, b term.Term) term.Term {
	return t.Mul(t.Extend(t.Low(a, 32), 64), t.Extend(t.Low(b, 32), 64))
}

// ternary is any operation on three bits: bit 4a+2b+c of the constant is the result
// for bits a of the destination, b of the second source and c of the first.
func ternary(imm []uint64) vectorOp {
	switch imm[0] {
	case 0xff:
		return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
			for i := range dst {
				dst[i] = term.ConstByte(0xff)
			}
		}
	case 0x96:
		return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
			machine.Bitwise(t, t.Xor, dst, src[2], src[1])
			machine.Bitwise(t, t.Xor, dst, dst, src[0])
		}
	}
	return machine.Lanes(8, func(t *term.Store, x []term.Term) term.Term {
		sum := t.Const(64, 0)
		for i := range 8 {
			if imm[0]>>i&1 == 0 {
				continue
			}
			product := t.Const(64, ^uint64(0))
			for j, bit := range x {
				if i>>j&1 == 0 {
					bit = t.Not(bit)
				}
				product = t.And(product, bit)
			}
			sum = t.Or(sum, product)
		}
		return sum
	})
}

// encrypt is a round of AES of each 16 bytes of the second source; the first is the round
// key. The last round mixes no columns.
func encrypt(mix bool) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		for i := 0; i < len(dst); i += 16 {
			var x [16]term.Byte
			term.ShiftRows(x[:], src[1][i:i+16])
			t.SubBytes(x[:], x[:])
			if mix {
				t.MixColumns(x[:], x[:])
			}
			machine.Bitwise(t, t.Xor, dst[i:i+16], x[:], src[0][i:i+16])
		}
	}
}

// assist is what key schedules need of the second and the fourth word: the S-box of its
// bytes, and that rotated to the right by 8 bits with a constant.
func assist(imm []uint64) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		if len(dst) != 16 {
			machine.Fail("no such form")
		}
		for i := 0; i < 16; i += 8 {
			t.SubBytes(dst[i:i+4], src[0][i+4:i+8])
			x := t.Rot(t.Gather(dst[i:i+4]), -8)
			t.Bytes(dst[i+4:i+8], t.Xor(x, t.Const(32, imm[0])))
		}
	}
}
