// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// generateAVX2 emits sumAVX2, which processes two blocks at once, one per lane.
func generateAVX2(f *amd64.File) {
	k := &avx2{kernel: newKernel(f, "sumAVX2", "sumAVX2 is digestGeneric for AVX2.")}
	for i := range k.sums {
		k.sums[i] = k.YMM()
		k.VPXOR(k.sums[i], k.sums[i], k.sums[i])
	}
	m, key := Mem{Base: k.msg}, Mem{Base: k.key}
	k.CMPQ(k.n, U32(2*block))
	k.JB(LabelRef("one"))

	k.Comment("Two blocks.")
	k.Label("two")
	w0, w1, x, y := k.YMM(), k.YMM(), k.YMM(), k.YMM()
	k.VMOVDQU(m, w0)
	k.VMOVDQU(m.Offset(block), w1)
	k.VPADDD(key, w0, w0)
	k.VPADDD(key.Offset(block), w1, w1)
	k.VPERM2I128(U8(0x20), w1, w0, x)
	k.VPERM2I128(U8(0x31), w1, w0, y)
	k.multiply(x, y)
	k.advance(2*block, "two")

	k.Label("one")
	k.TESTQ(k.n, k.n)
	k.JZ(LabelRef("sum"))
	k.Comment("One block. The upper lanes are zero, so their products are zero.")
	x, y = k.YMM(), k.YMM()
	k.VMOVDQU(m, x.AsX())
	k.VMOVDQU(m.Offset(block/2), y.AsX())
	k.VPADDD(key, x.AsX(), x.AsX())
	k.VPADDD(key.Offset(block/2), y.AsX(), y.AsX())
	k.multiply(x, y)

	k.Label("sum")
	k.add()
}

type avx2 struct {
	*kernel

	// sums[0:2] accumulate the products x·y, and sums[2:4] the products u·v.
	sums [4]VecVirtual
}

// multiply emits code that adds each block's eight products to the accumulators.
func (k *avx2) multiply(x, y VecVirtual) {
	// Each lane holds the four words of a block, x_0 to x_3.
	rotated := func(n uint8, r VecVirtual) VecVirtual {
		to := k.YMM()
		k.VPSHUFD(U8(n), r, to)
		return to
	}
	multiply := func(a, b, sum VecVirtual) {
		product := k.YMM()
		k.VPMULUDQ(a, b, product)
		k.VPADDQ(product, sum, sum)
	}
	// Position i of xn holds x_{i+n}, and position i of yn holds y_{i+n}:
	//
	//	u = x + x2 + x3    holds u_{i+2} at position i
	//	v = y + y1 + y3    holds v_{i+2} at position i
	x2, x3 := rotated(rotate2, x), rotated(rotate3, x)
	y1, y3 := rotated(rotate1, y), rotated(rotate3, y)
	u, v := k.YMM(), k.YMM()
	k.VPADDD(x2, x3, u)
	k.VPADDD(u, x, u)
	k.VPADDD(y1, y3, v)
	k.VPADDD(v, y, v)
	// VPMULUDQ multiplies even-numbered words, so shift the odd-numbered words of u and
	// v:
	//
	//	x and y                             x_0·y_0, x_2·y_2
	//	x3 and y3                           x_3·y_3, x_1·y_1
	//	u and v                             u_2·v_2, u_0·v_0
	//	u and v, shifted down by one word   u_3·v_3, u_1·v_1
	multiply(x, y, k.sums[0])
	multiply(x3, y3, k.sums[1])
	multiply(u, v, k.sums[2])
	k.VPSRLQ(U8(32), u, u)
	k.VPSRLQ(U8(32), v, v)
	multiply(u, v, k.sums[3])
}

func (k *avx2) add() {
	k.Comment("Order the products and add the lanes of each pair of products.")
	z01, z23, z45, z67 := k.YMM(), k.YMM(), k.YMM(), k.YMM()
	k.VSHUFPD(U8(0b1010), k.sums[1], k.sums[0], z01)
	k.VSHUFPD(U8(0b0101), k.sums[1], k.sums[0], z23)
	k.VPUNPCKHQDQ(k.sums[3], k.sums[2], z45)
	k.VPUNPCKLQDQ(k.sums[3], k.sums[2], z67)
	for i, pair := range [][2]VecVirtual{{z01, z23}, {z45, z67}} {
		l, h := k.YMM(), k.YMM()
		k.VPERM2I128(U8(0x20), pair[1], pair[0], l)
		k.VPERM2I128(U8(0x31), pair[1], pair[0], h)
		k.VPADDQ(l, h, h)
		k.store(h, 32*i)
	}
	k.VZEROUPPER()
	k.RET()
}
