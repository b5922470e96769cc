// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package nh

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// generateAVX2 writes nhAVX2 and nhPolyAVX2, which take two groups at a step. Of
// the eight instructions a stream and step, multiplications and shifts share two
// ports and additions may take any of three, so the three ports are filled
// evenly.
func generateAVX2(f *amd64.File) {
	generate(f, "nhAVX2", "nhAVX2 is nhGeneric for AVX2.", group, func(k *kernel) {
		m := operand.Mem{Base: k.msg}
		sums := zeroSums(k, k.YMM)
		k.CMPQ(k.rest, operand.U8(2*group))
		k.jump(k.JB, "group")

		k.Comment("Two groups.")
		k.Label(k.label("pair"))
		twoGroupsAVX2(k, sums, m)
		k.ADDQ(operand.U8(2*group), k.msg)
		k.ADDQ(operand.U8(group), k.k)
		k.SUBQ(operand.U8(2*group), k.rest)
		k.CMPQ(k.rest, operand.U8(2*group))
		k.jump(k.JAE, "pair")

		k.Label(k.label("group"))
		k.CMPQ(k.rest, operand.U8(group))
		k.jump(k.JB, "tail")
		k.Comment("One group, in the lower lanes; the upper ones add zeros.")
		l, h := k.halves()
		k.VMOVDQU(m, l.AsX())
		k.VMOVDQU(m.Offset(16), h.AsX())
		multiplyAVX2(k, sums, l.AsX(), h.AsX())
		k.ADDQ(operand.U8(group), k.msg)
		k.ADDQ(operand.U8(group/2), k.k)
		k.SUBQ(operand.U8(group), k.rest)
		k.jump(k.JZ, "sum")

		k.Label(k.label("tail"))
		k.TESTQ(k.rest, k.rest)
		k.jump(k.JNZ, "pad")
		k.TESTQ(k.bits, k.bits)
		k.jump(k.JNZ, "sum")
		k.Comment("Pad the last bytes, or an empty message, to a group on the stack.")
		k.Label(k.label("pad"))
		pad(k)
		k.LEAQ(k.scratch, k.msg)
		k.MOVQ(operand.U32(group), k.rest)
		k.jump(k.JMP, "group")

		k.Label(k.label("sum"))
		sumAVX2(k, sums)
	})

	doc := "nhPolyAVX2 is nhThenPoly for AVX2 and BMI2."
	generatePoly(f, "nhPolyAVX2", doc,
		func(k *polyKernel) []reg.VecVirtual { return zeroSums(&k.kernel, k.YMM) },
		func(k *polyKernel, sums []reg.VecVirtual, size int) {
			for at := 0; at < size; at += 2 * group {
				k.at = at / 2
				twoGroupsAVX2(&k.kernel, sums, operand.Mem{Base: k.msg, Disp: at})
			}
			k.at = 0
		},
		func(k *polyKernel, sums []reg.VecVirtual) { sumAVX2(&k.kernel, sums) })
}

// twoGroupsAVX2 adds the products of the two groups at m to the sums. A load of
// 16 bytes and one into the upper lane cost no shuffle.
func twoGroupsAVX2(k *kernel, sums []reg.VecVirtual, m operand.Mem) {
	l, h := k.halves()
	k.VMOVDQU(m, l.AsX())
	k.VMOVDQU(m.Offset(16), h.AsX())
	k.VINSERTI128(operand.U8(1), m.Offset(32), l, l)
	k.VINSERTI128(operand.U8(1), m.Offset(48), h, h)
	multiplyAVX2(k, sums, l, h)
}

// halves returns the registers L and H. They are the same throughout a function:
// avo does not know that a load of 16 bytes clears the upper lane, so it keeps
// every register that is loaded so from the function's beginning on.
func (k *kernel) halves() (l, h reg.VecVirtual) {
	if k.l == nil {
		k.l, k.h = k.YMM(), k.YMM()
	}
	return k.l, k.h
}

// multiplyAVX2 adds the products of the groups in l and h to the sums. If these
// are lower lanes only, so is everything else: an instruction that writes 128
// bits clears the lane above, which adds zeros to the sums.
func multiplyAVX2(k *kernel, sums []reg.VecVirtual, l, h reg.Register) {
	register := func() (wide reg.VecVirtual, op operand.Op) {
		wide = k.YMM()
		if l.Size() == 16 {
			return wide, wide.AsX()
		}
		return wide, wide
	}
	_, piece := register()
	k.VMOVDQU(k.pieces(0), piece)
	for s, sum := range sums {
		_, next := register()
		_, t := register()
		_, u := register()
		k.VMOVDQU(k.pieces(s+1), next)
		k.VPADDD(piece, l, t)
		k.VPADDD(next, h, u)
		even, product := register()
		k.VPMULUDQ(t, u, product)
		k.VPADDQ(even, sum, sum)
		k.VPSRLQ(operand.U8(32), t, t)
		k.VPSRLQ(operand.U8(32), u, u)
		odd, product := register()
		k.VPMULUDQ(t, u, product)
		k.VPADDQ(odd, sum, sum)
		piece = next
	}
}

// pad copies the last bytes of the message, fewer than a group, to the stack and
// puts zeros behind them.
func pad(k *kernel) {
	zero, at := k.XMM(), k.GP64()
	k.VPXOR(zero, zero, zero)
	k.VMOVDQU(zero, k.scratch)
	k.VMOVDQU(zero, k.scratch.Offset(16))
	k.XORQ(at, at)
	from := operand.Mem{Base: k.msg, Index: at, Scale: 1}
	to := k.scratch.Idx(at, 1)
	for _, n := range []int{16, 8, 4, 2, 1} {
		next := k.label(fmt.Sprintf("below%d_", n))
		k.TESTQ(operand.U32(n), k.rest)
		k.JZ(operand.LabelRef(next))
		switch n {
		case 16:
			x := k.XMM()
			k.VMOVDQU(from, x)
			k.VMOVDQU(x, to)
		case 8:
			x := k.GP64()
			k.MOVQ(from, x)
			k.MOVQ(x, to)
		case 4:
			x := k.GP32()
			k.MOVL(from, x)
			k.MOVL(x, to)
		case 2:
			x := k.GP16()
			k.MOVW(from, x)
			k.MOVW(x, to)
		case 1:
			x := k.GP8()
			k.MOVB(from, x)
			k.MOVB(x, to)
		}
		if n > 1 {
			k.ADDQ(operand.U8(n), at)
		}
		k.Label(next)
	}
}

// sumAVX2 adds up the lanes of each sum, adds the length, and stores.
func sumAVX2(k *kernel, sums []reg.VecVirtual) {
	k.Comment("Add up the lanes, two streams at a time, and the length.")
	bits := k.XMM()
	k.VMOVQ(k.bits, bits)
	k.VPUNPCKLQDQ(bits, bits, bits)
	for s := 0; s < len(sums); s += 2 {
		sum, t := sums[s], k.YMM()
		if s+1 < len(sums) {
			k.VPUNPCKHQDQ(sums[s+1], sum, t)
			k.VPUNPCKLQDQ(sums[s+1], sum, sum)
		} else {
			k.VPSHUFD(operand.U8(0x4e), sum, t)
		}
		k.VPADDQ(t, sum, sum)
		k.VEXTRACTI128(operand.U8(1), sum, t.AsX())
		k.VPADDQ(t.AsX(), sum.AsX(), sum.AsX())
		k.store(s, sum.AsX(), bits)
	}
}

// store adds the length to the sums of stream s and, if there is one, the next,
// and stores them.
func (k *kernel) store(s int, sum, bits operand.Op) {
	k.VPADDQ(bits, sum, sum)
	to := k.out.Offset(8 * s)
	if s+1 < k.streams {
		k.VMOVDQU(sum, to)
	} else {
		k.VMOVQ(sum, to)
	}
}
