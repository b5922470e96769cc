// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/blake2b"
)

// generateLanesAVX2 emits lanes4AVX2, which keeps message words and v8 in memory.
func generateLanesAVX2(f *amd64.File, c *Constants) {
	k := newLanes(f, c, 4, "lanes4AVX2", "AVX2")
	k.blocks = k.pointers(0, 4)
	k.v = [16]VecPhysical(amd64.YMM[:16])
	v, t := &k.v, k.v[8]
	m := Mem{Base: amd64.Aligned(k.Context, 17*32, 32)}
	v8 := m.Offset(16 * 32)

	for i := range 8 {
		k.VMOVDQU(k.h(i), v[i])
	}

	k.Label("block")
	k.Comment("Store each word of the four blocks in a row of memory.")
	for i := 0; i < 16; i += 2 {
		k.transposeY(8*i, v[10], v[11], v[8], v[9])
		k.VMOVDQA(v[10], m.Offset(32*i))
		k.VMOVDQA(v[11], m.Offset(32*i+32))
	}
	k.Comment("Set v8 to v15 to the IV, with t and f.")
	k.VPBROADCASTQ(c.IV, t)
	k.VMOVDQA(t, v8)
	k.VPBROADCASTQ(c.Step, v[12])
	k.VPADDQ(k.l.Offset(layout.LanesT), v[12], v[12])
	k.VMOVDQU(v[12], k.l.Offset(layout.LanesT))
	for i := 1; i < 8; i++ {
		if i != 4 {
			k.VPBROADCASTQ(c.IV.Offset(8*i), v[8+i])
		}
	}
	k.VPBROADCASTQ(c.IV.Offset(8*4), t)
	k.VPXOR(t, v[12], v[12])
	k.VPBROADCASTQ(amd64.Argument(k.Context, "f"), t)
	k.VPXOR(t, v[14], v[14])

	k.allRounds(func(gs [4][4]int, w []int) { k.fourGs(gs, w, m, v8, c) })
	k.VPXOR(v8, v[0], v[0])
	for i := range 8 {
		if i > 0 {
			k.VPXOR(v[8+i], v[i], v[i])
		}
		k.VPXOR(k.h(i), v[i], v[i])
		k.VMOVDQU(v[i], k.h(i))
	}
	k.advance("block")
	k.Comment("Clear the words on the stack, which may be a key.")
	k.VPXOR(t, t, t)
	for i := range 17 {
		k.VMOVDQA(t, m.Offset(32*i))
	}
	k.VZEROUPPER()
	k.RET()
}

// fourGs emits four interleaved Gs. Message words and v8 must be in memory.
func (k *lanes) fourGs(gs [4][4]int, w []int, m, v8 Mem, c *Constants) {
	v, t := &k.v, k.v[8]
	each := func(do func(g [4]int, a, b, c, d VecPhysical, i int)) {
		for i, g := range gs {
			do(g, v[g[0]], v[g[1]], v[g[2]], v[g[3]], i)
		}
	}
	step := func(word int, rotateD, rotateB func(x VecPhysical)) {
		each(func(g [4]int, a, b, c, d VecPhysical, i int) {
			k.VPADDQ(m.Offset(32*w[2*i+word]), a, a)
		})
		each(func(g [4]int, a, b, c, d VecPhysical, i int) { k.VPADDQ(b, a, a) })
		each(func(g [4]int, a, b, c, d VecPhysical, i int) { k.VPXOR(a, d, d) })
		each(func(g [4]int, a, b, c, d VecPhysical, i int) { rotateD(d) })
		each(func(g [4]int, a, b, c, d VecPhysical, i int) {
			if g[2] != 8 {
				k.VPADDQ(d, c, c)
				k.VPXOR(c, b, b)
				return
			}
			k.VPADDQ(v8, d, t)
			k.VMOVDQA(t, v8)
			k.VPXOR(t, b, b)
		})
		each(func(g [4]int, a, b, c, d VecPhysical, i int) { rotateB(b) })
	}
	step(0,
		func(d VecPhysical) { k.VPSHUFD(U8(0xb1), d, d) },
		func(b VecPhysical) { k.VPSHUFB(c.Rotate24, b, b) })
	step(1,
		func(d VecPhysical) { k.VPSHUFB(c.Rotate16, d, d) },
		func(b VecPhysical) {
			k.VPADDQ(b, b, t)
			k.VPSRLQ(U8(63), b, b)
			k.VPXOR(t, b, b)
		})
}

// transposeY emits code that loads two words of each of four blocks.
func (k *lanes) transposeY(offset int, w0, w1, t0, t1 VecPhysical) {
	for i, t := range []VecPhysical{t0, t1} {
		k.VMOVDQU(k.blocks[i].Offset(offset), t.AsX())
		k.VINSERTI128(U8(1), k.blocks[i+2].Offset(offset), t, t)
	}
	k.VPUNPCKLQDQ(t1, t0, w0)
	k.VPUNPCKHQDQ(t1, t0, w1)
}
