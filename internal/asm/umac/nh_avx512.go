// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

func generateAVX512(f *amd64.File) {
	doc := "nhAVX512 is nhGeneric for AVX-512 F, BW, DQ and VL, with BMI2."
	generate(f, "nhAVX512", doc, false, chunkAVX512)

	doc = "nhPolyAVX512 is nhPolyGeneric for AVX-512 F, BW, DQ and VL, with BMI2."
	generatePoly(f, "nhPolyAVX512", doc, false, wholeAVX512)
}

func chunkAVX512(k *kernel) {
	sums := zeroSums(k, k.ZMM)
	k.CMPQ(k.rest, U32(4*group))
	k.jump(k.JB, "tail")

	k.Comment("Four groups.")
	k.Label(k.label("four"))
	fourGroupsAVX512(k, sums, Mem{Base: k.msg})
	k.ADDQ(U32(4*group), k.msg)
	k.ADDQ(U32(4*group/2), k.k)
	k.SUBQ(U32(4*group), k.rest)
	k.CMPQ(k.rest, U32(4*group))
	k.jump(k.JAE, "four")

	k.Label(k.label("tail"))
	k.TESTQ(k.rest, k.rest)
	k.jump(k.JNZ, "masked")
	k.TESTQ(k.bits, k.bits)
	k.jump(k.JNZ, "sum")
	k.Label(k.label("masked"))
	multiplyTail(k, sums, Mem{Base: k.msg})

	k.Label(k.label("sum"))
	sumAVX512(k, sums)
}

var wholeAVX512 = wholeOf(func(k *kernel) VecVirtual { return k.ZMM() }, 4*group, fourGroupsAVX512, sumAVX512)

func fourGroupsAVX512(k *kernel, sums []VecVirtual, m Mem) {
	m0, m1 := k.ZMM(), k.ZMM()
	k.VMOVDQU64(m, m0)
	k.VMOVDQU64(m.Offset(64), m1)
	multiplyAVX512(k, sums, m0, m1, nil)
}

// multiplyTail emits code that adds NH products of the remaining bytes to sums.
func multiplyTail(k *kernel, sums []VecVirtual, m Mem) {
	k.Comment("Process the last bytes, padded with zeros. Omit the products of empty groups.")
	ones, n := k.GP64(), k.GP64()
	front, back, groups := k.K(), k.K(), k.K()
	k.MOVQ(I32(-1), ones)
	k.BZHIQ(k.rest, ones, n)
	k.KMOVQ(n, front)
	zero := k.GP64()
	k.XORQ(zero, zero)
	k.MOVQ(k.rest, n)
	k.SUBQ(U8(64), n)
	k.CMOVQCS(zero, n)
	k.BZHIQ(n, ones, n)
	k.KMOVQ(n, back)
	k.Comment("Each group has two quadwords of a register, so the mask has 2*max(1, ceil(rest/32)) bits.")
	k.LEAQ(Mem{Base: k.rest, Disp: group - 1}, n)
	k.SHRQ(U8(5), n)
	k.CMPQ(n, U8(1))
	k.ADCQ(U8(0), n)
	k.ADDQ(n, n)
	k.BZHIQ(n, ones, n)
	k.KMOVB(n.As32(), groups)

	// At most 127 bytes remain, which fit in m0 and m1.
	m0, m1 := k.ZMM(), k.ZMM()
	k.VMOVDQU8_Z(m, front, m0)
	k.VMOVDQU8_Z(m.Offset(64), back, m1)
	multiplyAVX512(k, sums, m0, m1, groups)
}

// multiplyAVX512 emits code that adds the products of four groups.
func multiplyAVX512(k *kernel, sums []VecVirtual, m0, m1 VecVirtual, groups Op) {
	// If groups is not nil, it masks the products to add.
	multiply := func(t, u, product VecVirtual) {
		if groups == nil {
			k.VPMULUDQ(t, u, product)
		} else {
			k.VPMULUDQ_Z(t, u, groups, product)
		}
	}
	l, h := k.ZMM(), k.ZMM()
	k.VSHUFI64X2(U8(0x88), m1, m0, l)
	k.VSHUFI64X2(U8(0xdd), m1, m0, h)
	piece := k.piece(0, k.ZMM())
	for s, sum := range sums {
		t, u, product := k.ZMM(), k.ZMM(), k.ZMM()
		next := k.piece(s+1, k.ZMM())
		k.VPADDD(piece, l, t)
		k.VPADDD(next, h, u)
		multiply(t, u, product)
		k.VPADDQ(product, sum, sum)
		k.VPSRLQ(U8(32), t, t)
		k.VPSRLQ(U8(32), u, u)
		product = k.ZMM()
		multiply(t, u, product)
		k.VPADDQ(product, sum, sum)
		piece = next
	}
}

// sumAVX512 is sumAVX2 for 512-bit vectors.
func sumAVX512(k *kernel, sums []VecVirtual) {
	k.Comment("Add the lanes, two streams at a time, and the length.")
	bits := k.XMM()
	k.VPBROADCASTQ(k.bits, bits)
	for s := 0; s < len(sums); s += 2 {
		sum, t := sums[s], k.ZMM()
		if s+1 < len(sums) {
			k.VPUNPCKHQDQ(sums[s+1], sum, t)
			k.VPUNPCKLQDQ(sums[s+1], sum, sum)
		} else {
			k.VPSHUFD(U8(0x4e), sum, t)
		}
		k.VPADDQ(t, sum, sum)
		k.VEXTRACTI64X4(U8(1), sum, t.AsY())
		k.VPADDQ(t.AsY(), sum.AsY(), sum.AsY())
		k.VEXTRACTI64X2(U8(1), sum.AsY(), t.AsX())
		k.VPADDQ(t.AsX(), sum.AsX(), sum.AsX())
		k.store(s, sum.AsX(), bits)
	}
}
