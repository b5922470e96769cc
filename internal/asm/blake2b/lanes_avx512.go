// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

var zmm = [32]reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

var ymmEVEX = [32]reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	reg.Y16, reg.Y17, reg.Y18, reg.Y19, reg.Y20, reg.Y21, reg.Y22, reg.Y23,
	reg.Y24, reg.Y25, reg.Y26, reg.Y27, reg.Y28, reg.Y29, reg.Y30, reg.Y31,
}

// generateLanesAVX512 writes lanes8AVX512, and lanes4AVX512 in registers of half
// the width, for which processors have half as many ports more. The words of v and
// of the message fill the 32 registers exactly, and nothing goes through memory.
func generateLanesAVX512(f *amd64.File, c *Constants) {
	k := newLanes(f, c, 8, "lanes8AVX512", "AVX-512 F")
	// v8 to v15 are free while the words are read.
	k.allAVX512(zmm, func(m [16]reg.VecPhysical) {
		for i := 0; i < 16; i += 4 {
			k.transposeZ(8*i, [4]reg.VecPhysical(m[i:]), [4]reg.VecPhysical(k.v[8:]))
		}
	})
	k = newLanes(f, c, 4, "lanes4AVX512", "AVX-512 F and VL")
	k.allAVX512(ymmEVEX, func(m [16]reg.VecPhysical) {
		for i := 0; i < 16; i += 2 {
			k.transposeY(8*i, m[i], m[i+1], k.v[8], k.v[9])
		}
	})
}

// allAVX512 writes a function behind its arguments. Words makes a register of each
// word of the blocks.
func (k *lanes) allAVX512(registers [32]reg.VecPhysical, words func(m [16]reg.VecPhysical)) {
	c := k.Constants
	k.v = [16]reg.VecPhysical(registers[:16])
	m := [16]reg.VecPhysical(registers[16:])
	for i := range 8 {
		k.VMOVDQU64(k.h(i), k.v[i])
	}
	final := k.Load(k.Param("f"), k.GP64())
	k.XORQ(c.IV.Offset(8*6), final)

	k.Label("block")
	k.Comment("The words of the blocks, a register for each.")
	words(m)
	k.Comment("v8 to v15: the IV, with t and f.")
	k.VPBROADCASTQ(c.Step, k.v[12])
	k.VPADDQ(k.l.Offset(lanesT), k.v[12], k.v[12])
	k.VMOVDQU64(k.v[12], k.l.Offset(lanesT))
	for i := range 8 {
		switch i {
		case 4:
			k.VPXORQ_BCST(c.IV.Offset(8*4), k.v[12], k.v[12])
		case 6:
			k.VPBROADCASTQ(final, k.v[14])
		default:
			k.VPBROADCASTQ(c.IV.Offset(8*i), k.v[8+i])
		}
	}

	v := &k.v
	k.allRounds(func(gs [4][4]int, w []int) {
		each := func(do func(a, b, c, d reg.VecPhysical, i int)) {
			for i, g := range gs {
				do(v[g[0]], v[g[1]], v[g[2]], v[g[3]], i)
			}
		}
		step := func(word int, rotateD, rotateB uint8) {
			each(func(a, b, c, d reg.VecPhysical, i int) { k.VPADDQ(m[w[2*i+word]], a, a) })
			each(func(a, b, c, d reg.VecPhysical, i int) { k.VPADDQ(b, a, a) })
			each(func(a, b, c, d reg.VecPhysical, i int) { k.VPXORQ(a, d, d) })
			each(func(a, b, c, d reg.VecPhysical, i int) { k.VPRORQ(operand.U8(rotateD), d, d) })
			each(func(a, b, c, d reg.VecPhysical, i int) { k.VPADDQ(d, c, c) })
			each(func(a, b, c, d reg.VecPhysical, i int) { k.VPXORQ(c, b, b) })
			each(func(a, b, c, d reg.VecPhysical, i int) { k.VPRORQ(operand.U8(rotateB), b, b) })
		}
		step(0, 32, 24)
		step(1, 16, 63)
	})
	for i := range 8 {
		k.VPTERNLOGQ(operand.U8(0x96), k.h(i), v[8+i], v[i]) // exclusive or of the three
		k.VMOVDQU64(v[i], k.h(i))
	}
	k.advance("block")
	k.VZEROUPPER()
	k.RET()
}

// transposeZ reads 32 bytes at an offset of each of eight blocks, and makes four registers
// of their words. A load takes in those of two blocks; which two is such that the
// shuffles put the lanes in order.
func (k *lanes) transposeZ(offset int, words, rows [4]reg.VecPhysical) {
	for i, lane := range [4]int{0, 1, 4, 5} {
		k.VMOVDQU(k.blocks[lane].Offset(offset), rows[i].AsY())
		k.VINSERTI64X4(operand.U8(1), k.blocks[lane+2].Offset(offset), rows[i], rows[i])
	}
	// Quadwords 0 and 2 of two blocks, alternating, then 1 and 3.
	even01, odd01, even23, odd23 := words[0], rows[0], rows[1], rows[2]
	k.VPUNPCKLQDQ(rows[1], rows[0], even01)
	k.VPUNPCKHQDQ(rows[1], rows[0], odd01)
	k.VPUNPCKLQDQ(rows[3], rows[2], even23)
	k.VPUNPCKHQDQ(rows[3], rows[2], odd23)
	k.VSHUFI64X2(operand.U8(0x88), odd23, odd01, words[1])
	k.VSHUFI64X2(operand.U8(0xdd), odd23, odd01, words[3])
	k.VSHUFI64X2(operand.U8(0xdd), even23, even01, words[2])
	k.VSHUFI64X2(operand.U8(0x88), even23, even01, words[0])
}
