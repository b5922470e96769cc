// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/blake2b"
)

// generateLanesAVX512 emits two functions. v and the message fill all 32 registers.
func generateLanesAVX512(f *amd64.File, c *Constants) {
	k := newLanes(f, c, 8, "lanes8AVX512", "AVX-512 F")
	k.blocks = k.pointers(0, 8)
	k.allAVX512(amd64.ZMM, func(m [16]VecPhysical) {
		for i := 0; i < 16; i += 4 {
			k.transposeZ(8*i, [4]VecPhysical(m[i:]), [4]VecPhysical(k.v[8:]))
		}
	})
	k = newLanes(f, c, 4, "lanes4AVX512", "AVX-512 F and VL")
	k.blocks = k.pointers(0, 4)
	k.allAVX512(amd64.YMM, func(m [16]VecPhysical) {
		for i := 0; i < 16; i += 2 {
			k.transposeY(8*i, m[i], m[i+1], k.v[8], k.v[9])
		}
	})
}

// allAVX512 emits the rest of a function, after its block pointers are loaded.
func (k *lanes) allAVX512(registers [32]VecPhysical, load func(m [16]VecPhysical)) {
	c := k.Constants
	k.v = [16]VecPhysical(registers[:16])
	m := [16]VecPhysical(registers[16:])
	for i := range 8 {
		k.VMOVDQU64(k.h(i), k.v[i])
	}
	final := amd64.Load(k.Context, "f")
	k.XORQ(c.IV.Offset(8*6), final)

	k.Label("block")
	k.Comment("Load each word of the blocks into a register.")
	load(m)
	k.Comment("Set v8 to v15 to the IV, with t and f.")
	k.VPBROADCASTQ(c.Step, k.v[12])
	k.VPADDQ(k.l.Offset(layout.LanesT), k.v[12], k.v[12])
	k.VMOVDQU64(k.v[12], k.l.Offset(layout.LanesT))
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
		each := func(do func(a, b, c, d VecPhysical, i int)) {
			for i, g := range gs {
				do(v[g[0]], v[g[1]], v[g[2]], v[g[3]], i)
			}
		}
		step := func(word int, rotateD, rotateB uint8) {
			each(func(a, b, c, d VecPhysical, i int) { k.VPADDQ(m[w[2*i+word]], a, a) })
			each(func(a, b, c, d VecPhysical, i int) { k.VPADDQ(b, a, a) })
			each(func(a, b, c, d VecPhysical, i int) { k.VPXORQ(a, d, d) })
			each(func(a, b, c, d VecPhysical, i int) { k.VPRORQ(U8(rotateD), d, d) })
			each(func(a, b, c, d VecPhysical, i int) { k.VPADDQ(d, c, c) })
			each(func(a, b, c, d VecPhysical, i int) { k.VPXORQ(c, b, b) })
			each(func(a, b, c, d VecPhysical, i int) { k.VPRORQ(U8(rotateB), b, b) })
		}
		step(0, 32, 24)
		step(1, 16, 63)
	})
	for i := range 8 {
		k.VPTERNLOGQ(U8(0x96), k.h(i), v[8+i], v[i]) // XOR of the three operands
		k.VMOVDQU64(v[i], k.h(i))
	}
	k.advance("block")
	k.VZEROUPPER()
	k.RET()
}

// transposeZ emits code that loads and transposes four words of eight blocks.
func (k *lanes) transposeZ(offset int, words, rows [4]VecPhysical) {
	for i, lane := range [4]int{0, 1, 4, 5} {
		k.VMOVDQU(k.blocks[lane].Offset(offset), rows[i].AsY())
		k.VINSERTI64X4(U8(1), k.blocks[lane+2].Offset(offset), rows[i], rows[i])
	}
	// For example, even01 receives the even-numbered words of rows 0 and 1.
	even01, odd01, even23, odd23 := words[0], rows[0], rows[1], rows[2]
	k.VPUNPCKLQDQ(rows[1], rows[0], even01)
	k.VPUNPCKHQDQ(rows[1], rows[0], odd01)
	k.VPUNPCKLQDQ(rows[3], rows[2], even23)
	k.VPUNPCKHQDQ(rows[3], rows[2], odd23)
	k.VSHUFI64X2(U8(0x88), odd23, odd01, words[1])
	k.VSHUFI64X2(U8(0xdd), odd23, odd01, words[3])
	k.VSHUFI64X2(U8(0xdd), even23, even01, words[2])
	k.VSHUFI64X2(U8(0x88), even23, even01, words[0])
}
