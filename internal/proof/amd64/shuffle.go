// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Shuffles move bytes. In the assembler's order the second source of Intel's is
// the first.
func init() {
	instruction(vectorMeaning(0, 2, 1, false, plain(shuffleBytes)), "VPSHUFB")
	instruction(vectorMeaning(1, 1, 4, false, func(imm []uint64) vectorOp {
		return pick(16, 4, func(i int) (int, int) { return 0, int(imm[0]>>(2*i)) & 3 })
	}), "VPSHUFD")
	instruction(vectorMeaning(1, 1, 8, false, func(imm []uint64) vectorOp {
		return pick(32, 8, func(i int) (int, int) { return 0, int(imm[0]>>(2*i)) & 3 })
	}), "VPERMQ")
	for n, suffix := range map[int]string{4: "DQ", 8: "QDQ"} {
		half := 8 / n
		instruction(vectorMeaning(0, 2, n, false, plain(pick(16, n, func(i int) (int, int) { return 1 - i%2, i / 2 }))), "VPUNPCKL"+suffix)
		instruction(vectorMeaning(0, 2, n, false, plain(pick(16, n, func(i int) (int, int) { return 1 - i%2, half + i/2 }))), "VPUNPCKH"+suffix)
	}
	instruction(vectorMeaning(1, 2, 0, false, func(imm []uint64) vectorOp {
		return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
			for i := range dst {
				dst[i] = src[1-imm[0]>>(i/4)&1][i]
			}
		}
	}), "VPBLENDD")
	instruction(vectorMeaning(1, 2, 4, false, func(imm []uint64) vectorOp {
		return pick(16, 4, func(i int) (int, int) { return 1 - i/2, int(imm[0]>>(2*i)) & 3 })
	}), "VSHUFPS")
	instruction(vectorMeaning(1, 2, 8, false, shufpd), "VSHUFPD")
	instruction(vectorMeaning(1, 2, 4, false, shuffle128), "VSHUFI32X4")
	instruction(vectorMeaning(1, 2, 8, false, shuffle128), "VSHUFI64X2")
	instruction(vectorMeaning(1, 2, 0, false, perm128), "VPERM2I128")
	instruction(vectorMeaning(1, 1, 0, false, func(imm []uint64) vectorOp { return shiftBytes(-int(imm[0])) }), "VPSRLDQ")
	instruction(vectorMeaning(1, 1, 0, false, func(imm []uint64) vectorOp { return shiftBytes(int(imm[0])) }), "VPSLLDQ")
	instruction(insert(16), "VINSERTI128", "VINSERTI64X2")
	instruction(insert(32), "VINSERTI64X4")
	instruction(insertWord(8), "VPINSRQ")
	instruction(insertWord(4), "VPINSRD")
	instruction(extractWord(8), "VPEXTRQ")
	instruction(extractWord(4), "VPEXTRD")
	instruction(blendBySign, "VBLENDVPD")
	instruction(extract(16), "VEXTRACTI128", "VEXTRACTI64X2")
	instruction(extract(32), "VEXTRACTI64X4")
	instruction(vectorMeaning(0, 2, 4, true, plain(permuteTwo(4))), "VPERMT2D")
}

// pick is a shuffle in each group of bytes: from says of which source element i of
// n bytes comes, and which one it is there.
func pick(group, n int, from func(i int) (src, element int)) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		for g := 0; g < len(dst); g += group {
			for i := range group / n {
				j, e := from(i)
				copy(dst[g+i*n:g+i*n+n], src[j][g+e*n:])
			}
		}
	}
}

// shuffleBytes takes bytes by a vector of their numbers, which must be known.
func shuffleBytes(t *term.Store, dst []term.Byte, src [][]term.Byte) {
	for i := range dst {
		c, ok := t.ByteValue(src[0][i])
		switch {
		case !ok:
			machine.Fail("shuffles by something unknown")
		case c >= 0x80:
			dst[i] = term.ConstByte(0)
		default:
			dst[i] = src[1][i&^15+int(c&15)]
		}
	}
}

// permuteTwo takes elements of n bytes of two vectors, the destination and the first
// source; the second has their numbers.
func permuteTwo(n int) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		count := len(dst) / n
		for i := range count {
			number, ok := t.ByteValue(src[1][i*n])
			if !ok {
				machine.Fail("permutes by something unknown")
			}
			from := src[2]
			if int(number)&count != 0 {
				from = src[0]
			}
			e := int(number) & (count - 1)
			copy(dst[i*n:i*n+n], from[e*n:e*n+n])
		}
	}
}

// shufpd takes one bit of the constant for each element.
func shufpd(imm []uint64) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		for i := 0; i < len(dst)/8; i++ {
			e := i&^1 + int(imm[0]>>i&1)
			copy(dst[8*i:8*i+8], src[1-i%2][8*e:])
		}
	}
}

// shuffle128 takes two parts of 16 bytes of each source, one of 32 bytes.
func shuffle128(imm []uint64) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		parts := len(dst) / 16
		if parts < 2 {
			machine.Fail("no such form")
		}
		bits := parts / 2
		for i := range parts {
			e := int(imm[0]>>(bits*i)) & (parts - 1)
			copy(dst[16*i:16*i+16], src[1-i/(parts/2)][16*e:])
		}
	}
}

// perm128 takes any two of the four parts of 16 bytes, or zeros.
func perm128(imm []uint64) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		if len(dst) != 32 {
			machine.Fail("no such form")
		}
		for i := range 2 {
			c := int(imm[0] >> (4 * i))
			if c&8 != 0 {
				clear(dst[16*i : 16*i+16])
				continue
			}
			copy(dst[16*i:16*i+16], src[1-c>>1&1][16*(c&1):])
		}
	}
}

// shiftBytes moves the bytes of each 16 up, or down if by is negative.
func shiftBytes(by int) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		for i := range dst {
			dst[i] = term.ConstByte(0)
			if j := i%16 - by; 0 <= j && j < 16 {
				dst[i] = src[0][i&^15+j]
			}
		}
	}
}

// insert replaces one part of n bytes: constant, part, source, destination.
func insert(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isImm, vectorOrMem, isVector, isVector)
		part, src, old, dst := int(a[0].imm), a[1], a[2], a[3]
		if src.kind == vector && src.size != n || old.size != dst.size || dst.size <= n || part >= dst.size/n {
			machine.Fail("no such form")
		}
		return func(s *machine.State) {
			var out [64]term.Byte
			copy(out[:dst.size], old.bytes(s, dst.size))
			copy(out[part*n:], src.bytes(s, n))
			dst.setBytes(s, out[:dst.size])
		}
	}
}

// insertWord replaces one element of n bytes of 16: number, register or memory, source,
// destination.
func insertWord(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isImm, []kind{word, memory}, isVector, isVector)
		element, src, old, dst := int(a[0].imm), a[1], a[2], a[3]
		if old.size != 16 || dst.size != 16 || element >= 16/n {
			machine.Fail("no such form")
		}
		return func(s *machine.State) {
			var out [16]term.Byte
			copy(out[:], old.bytes(s, 16))
			if src.kind == word {
				copy(out[element*n:], s.Regs[src.at:src.at+n])
			} else {
				copy(out[element*n:], src.bytes(s, n))
			}
			dst.setBytes(s, out[:])
		}
	}
}

// extract takes one part of n bytes: constant, source, destination.
func extract(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isImm, isVector, vectorOrMem)
		part, src, dst := int(a[0].imm), a[1], a[2]
		if dst.kind == vector && dst.size != n || src.size <= n || part >= src.size/n {
			machine.Fail("no such form")
		}
		return func(s *machine.State) {
			dst.setBytes(s, append([]term.Byte(nil), src.bytes(s, src.size)[part*n:part*n+n]...))
		}
	}
}

// blendBySign takes, in each quadword, the second source where the mask, which comes first, is
// negative, else the third.
func blendBySign(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, isVector, isVector, isVector, isVector)
	return vectorMeaning(0, 3, 8, false, plain(machine.Lanes(8, func(t *term.Store, x []term.Term) term.Term {
		return t.Choose(t.Less(x[0], t.Const(64, 0)), x[1], x[2])
	})))(c, in, a)
}

// extractWord copies one of the elements of n bytes of a vector of 16.
func extractWord(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isImm, isVector, wordOrMem)
		if a[1].size != 16 {
			machine.Fail("no such form")
		}
		at := a[1].at + n*(int(a[0].imm)&(16/n-1))
		return func(s *machine.State) { a[2].set(s, s.Word(at, n)) }
	}
}
