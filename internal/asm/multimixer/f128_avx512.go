// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// generateAVX512 emits sumAVX512, which processes four blocks at once, one per lane.
func generateAVX512(f *amd64.File) {
	even, odd := pairs(f, "pairs02", 0, 2), pairs(f, "pairs13", 1, 3)
	k := &avx512{kernel: newKernel(f, "sumAVX512", "sumAVX512 is digestGeneric for AVX-512 F.")}
	k.even, k.odd = k.ZMM(), k.ZMM()
	k.VMOVDQU64(even, k.even)
	k.VMOVDQU64(odd, k.odd)
	for i := range k.sums {
		k.sums[i] = k.ZMM()
		k.VPXORQ(k.sums[i], k.sums[i], k.sums[i])
	}
	m, key := Mem{Base: k.msg}, Mem{Base: k.key}
	k.CMPQ(k.n, U32(4*block))
	k.JB(LabelRef("tail"))

	k.Comment("Four blocks.")
	k.Label("four")
	w0, w1 := k.ZMM(), k.ZMM()
	k.VMOVDQU64(m, w0)
	k.VMOVDQU64(m.Offset(2*block), w1)
	k.VPADDD(key, w0, w0)
	k.VPADDD(key.Offset(2*block), w1, w1)
	k.multiply(w0, w1)
	k.advance(4*block, "four")

	k.Label("tail")
	k.TESTQ(k.n, k.n)
	k.JZ(LabelRef("sum"))
	k.Comment("One to three blocks. Zeros replace the other blocks, so their products are zero.")
	// The loads have no masks, because masked loads would stall after recent stores.
	w0, w1 = k.ZMM(), k.ZMM()
	k.VPXORQ(w0, w0, w0)
	k.VPXORQ(w1, w1, w1)
	k.TESTQ(U32(2*block), k.n)
	k.JZ(LabelRef("one"))
	k.VMOVDQU64(m, w0)
	k.VPADDD(key, w0, w0)
	k.ADDQ(U32(2*block), k.msg)
	k.ADDQ(U32(2*block), k.key)
	k.TESTQ(U32(block), k.n)
	k.JZ(LabelRef("last"))
	k.Label("one")
	k.VMOVDQU(m, w1.AsY())
	k.VPADDD(key, w1.AsY(), w1.AsY())
	k.Label("last")
	k.multiply(w0, w1)

	k.Label("sum")
	k.add()
}

type avx512 struct {
	*kernel
	even, odd VecVirtual // VPERMT2D controls that multiply uses

	// sums[0:2] accumulate the products x·y, and sums[2:4] the products u·v.
	sums [4]VecVirtual
}

// pairs emits a VPERMT2D index vector that selects words i and j.
func pairs(f *amd64.File, name string, i, j uint32) Mem {
	var order []uint32
	for b := uint32(0); b < 4*8; b += 8 {
		order = append(order, b+i, b+4+i, b+j, b+4+j)
	}
	return amd64.Table(f, name, order...)
}

// multiply emits code that adds each block's eight products to the accumulators.
func (k *avx512) multiply(w0, w1 VecVirtual) {
	// M_i has x_i in its low half and y_i in its high half:
	//
	//	m02 = M_0, M_2        m13 = M_1, M_3
	m02, m13 := k.ZMM(), w0
	k.VMOVDQA64(w0, m02) // needs no execution port
	k.VPERMT2D(w1, k.even, m02)
	k.VPERMT2D(w1, k.odd, m13)

	// A_i = M_i + M_{i+1} + M_{i+2}, with separate sums of low and high halves, has u_i in
	// its low half and v_{i+3} in its high half:
	//
	//	t   = m02 + m13
	//	a20 = swapped t + m02 = A_2, A_0
	//	a13 = swapped t + m13 = A_1, A_3
	t, a20, a13 := k.ZMM(), k.ZMM(), k.ZMM()
	k.VPADDD(m02, m13, t)
	k.VPSHUFD(U8(rotate2), t, t)
	k.VPADDD(m02, t, a20)
	k.VPADDD(m13, t, a13)

	multiply := func(a, b, sum VecVirtual) {
		product := k.ZMM()
		k.VPMULUDQ(a, b, product)
		k.VPADDQ(product, sum, sum)
	}
	shifted := func(a VecVirtual) VecVirtual {
		to := k.ZMM()
		k.VPSRLQ(U8(32), a, to)
		return to
	}
	// VPMULUDQ multiplies only low halves, so shift each y_i and v_i down:
	//
	//	m02 and m02 shifted           x_0·y_0, x_2·y_2
	//	m13 and m13 shifted           x_1·y_1, x_3·y_3
	//	a20 and a13 swapped, shifted  u_2·v_2, u_0·v_0
	//	a13 and a20 shifted           u_1·v_1, u_3·v_3
	multiply(m02, shifted(m02), k.sums[0])
	multiply(m13, shifted(m13), k.sums[1])
	v20 := k.ZMM()
	k.VPSHUFD(U8(rotate3), a13, v20)
	multiply(a20, v20, k.sums[2])
	multiply(a13, shifted(a20), k.sums[3])
}

func (k *avx512) add() {
	k.Comment("Order the products, two per lane.")
	z01, z23, z45, z67 := k.ZMM(), k.ZMM(), k.ZMM(), k.ZMM()
	k.VPUNPCKLQDQ(k.sums[1], k.sums[0], z01)
	k.VPUNPCKHQDQ(k.sums[1], k.sums[0], z23)
	k.VSHUFPD(U8(0b01010101), k.sums[3], k.sums[2], z45)
	k.VSHUFPD(U8(0b10101010), k.sums[3], k.sums[2], z67)

	k.Comment("Add the lanes of each pair of products: four to two, then two to one.")
	addHalves := func(low, high uint8, a, b VecVirtual) VecVirtual {
		l, h := k.ZMM(), k.ZMM()
		k.VSHUFI64X2(U8(low), b, a, l)
		k.VSHUFI64X2(U8(high), b, a, h)
		k.VPADDQ(l, h, h)
		return h
	}
	z0123, z4567 := addHalves(0x44, 0xee, z01, z23), addHalves(0x44, 0xee, z45, z67)
	z, upper := addHalves(0x88, 0xdd, z0123, z4567), k.ZMM()
	k.VEXTRACTI64X4(U8(1), z, upper.AsY())
	k.store(z, 0)
	k.store(upper, 32)
	k.VZEROUPPER()
	k.RET()
}
