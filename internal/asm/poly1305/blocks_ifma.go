// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/poly1305"
)

func generateBlocksIFMA(f *amd64.File) {
	f.Function("blocksAVX512IFMA", "func(s *State, table *uint64, msg *byte, n int)",
		"blocksAVX512IFMA is blocksGeneric for AVX-512 IFMA and VBMI2. n, the number of blocks,",
		"must be at least 1. The table contains the powers 8 to 1 of r in its lanes, and the power 16.")
	k := &ifma{Context: f.Context}
	s := Mem{Base: amd64.Load(k.Context, "s")}
	t := Mem{Base: amd64.Load(k.Context, "table")}
	msg, n := amd64.Load(k.Context, "msg"), amd64.Load(k.Context, "n")
	ones := k.mask()
	k.one, k.mask51 = k.ZMM(), k.ZMM()
	k.VPSRLQ(U8(63), ones, k.one)
	k.VPSRLQ(U8(1), k.mask52, k.mask51)
	k.unit156, k.unit155 = k.broadcast(unit156), k.broadcast(unit155)

	lane := Table{t, 8 * lanes, false}
	eight := Table{t, 8 * lanes, true} // r^8, the power in the first lane
	sixteen := Table{t.Offset(8 * tableWords), 8, true}

	x := k.loadFirst(s, msg, n)

	k.Comment("If the number of eight-block groups left is odd: h = h·r^8 + (8 blocks).")
	k.TESTQ(U32(8), n)
	k.JZ(LabelRef("pairs"))
	sum := k.begin(k.load(msg, 0))
	sum.Multiply(k.Context, x, eight, false)
	k.move(x, k.reduce(sum))
	k.ADDQ(U32(128), msg)
	k.SUBQ(U8(8), n)

	k.Label("pairs")
	k.TESTQ(n, n)
	k.JZ(LabelRef("last"))
	k.Comment("h = h·r^16 + (8 blocks)·r^8 + (8 blocks).")
	k.Label("sixteen")
	sum = k.begin(k.load(msg, 128))
	sum.Multiply(k.Context, k.loadBlocks(msg, 0), eight, true)
	sum.Multiply(k.Context, x, sixteen, false)
	k.move(x, k.reduce(sum))
	k.ADDQ(U32(256), msg)
	k.SUBQ(U8(16), n)
	k.JNZ(LabelRef("sixteen"))

	k.Label("last")
	k.Comment("Multiply each lane by its power and add the lanes.")
	zero := number{k.ZMM(), k.ZMM(), k.ZMM()}
	for _, v := range zero {
		k.VPXORQ(v, v, v)
	}
	sum = k.begin(zero)
	sum.Multiply(k.Context, x, lane, false)
	k.finish(s, k.reduce(sum))
	k.VZEROUPPER()
	k.RET()
}

// loadBlocks emits code that loads eight blocks and splits them into limbs.
func (k *ifma) loadBlocks(msg GPVirtual, offset int) number {
	a, b := k.ZMM(), k.ZMM()
	m := Mem{Base: msg, Disp: offset}
	k.VMOVDQU64(m, a)
	k.VMOVDQU64(m.Offset(64), b)
	// Multiplications ignore bits 52 to 63, so they need not be cleared.
	return k.unpack(a, b, k.one)
}

func (k *ifma) unpack(a, b, top VecVirtual) number {
	lo, hi := k.ZMM(), k.ZMM()
	// Lane order: blocks 0, 4, 1, 5, 2, 6, 3 and 7.
	k.VPUNPCKLQDQ(b, a, lo)
	k.VPUNPCKHQDQ(b, a, hi)
	return k.split(lo, hi, top)
}

// load is like loadBlocks, but clears bits 52 to 63.
func (k *ifma) load(msg GPVirtual, offset int) number {
	x := k.loadBlocks(msg, offset)
	k.cut(x)
	return x
}

func (k *ifma) move(to, from number) {
	for i := range to {
		k.VMOVDQA64(from[i], to[i])
	}
}

// loadFirst emits code that loads 1 to 8 blocks and adds the accumulator.
func (k *ifma) loadFirst(s Mem, msg, n GPVirtual) number {
	k.Comment("Load the first 1 to 8 blocks into the last lanes. Expanding loads read only these blocks.")
	// Load the first n%8 blocks, or 8 if n is a multiple of 8.
	skip, quads, head, back := k.GP64(), k.GP64(), k.GP64(), k.GP64()
	shift := RCX
	k.Comment("skip = -n mod 8 is the number of empty lanes.")
	k.MOVQ(n, skip)
	k.NEGQ(skip)
	k.ANDQ(U8(7), skip)
	k.Comment("The mask has two bits per block, for blocks 0 to 3 and then for blocks 4 to 7.")
	k.LEAQ(Mem{Base: skip, Index: skip, Scale: 1}, shift)
	k.MOVQ(U32(0xffff), quads)
	k.SHLQ(CL, quads)
	front, rear := k.K(), k.K()
	k.KMOVB(quads.As32(), front)
	k.MOVQ(quads, back)
	k.SHRQ(U8(8), back)
	k.KMOVB(back.As32(), rear)
	k.Comment("head = max(0, 4-skip) is the number of blocks before block 4.")
	zero := k.GP64()
	k.XORQ(zero, zero)
	k.MOVQ(U32(4), head)
	k.SUBQ(skip, head)
	k.CMOVQLT(zero, head)
	k.SHLQ(U8(4), head)
	a, b, top := k.ZMM(), k.ZMM(), k.ZMM()
	k.VPEXPANDQ_Z(Mem{Base: msg}, front, a)
	k.VPEXPANDQ_Z(Mem{Base: msg, Index: head, Scale: 1}, rear, b)
	topB := k.ZMM()
	k.VMOVDQA64_Z(k.one, front, top)
	k.VMOVDQA64_Z(k.one, rear, topB)
	k.VPUNPCKLQDQ(topB, top, top)
	x := k.unpack(a, b, top)
	k.cut(x)

	k.Comment("Add the accumulator, in 52-bit limbs, to the first block's lane: 2·skip, or 2·skip-7 if skip is at least 4.")
	laneBit, mask := k.GP64(), k.GP64()
	k.LEAQ(Mem{Base: skip, Index: skip, Scale: 1}, shift)
	k.SHRQ(U8(2), skip)
	k.ADDQ(skip, shift)
	k.ANDQ(U8(7), shift)
	k.MOVQ(U32(1), laneBit)
	k.SHLQ(CL, laneBit)
	lane := k.K()
	k.KMOVB(laneBit.As32(), lane)
	for i, limb := range LoadLimbs(k.Context, mask, s.Offset(layout.StateH)) {
		v := k.ZMM()
		k.VPBROADCASTQ_Z(limb, lane, v)
		k.VPADDQ(v, x[i], x[i])
	}
	k.carry(x)

	k.Comment("Advance past the 8 - skip blocks.")
	k.MOVQ(n, shift)
	k.NEGQ(shift)
	k.ANDQ(U8(7), shift)
	k.SUBQ(U8(8), shift)
	k.ADDQ(shift, n)
	k.SHLQ(U8(4), shift)
	k.SUBQ(shift, msg)
	return x
}

func (k *ifma) finish(s Mem, x number) {
	k.Comment("Clear the upper bits of the lower limbs, so that the sum of eight limbs fits in a word.")
	k.cut(x)
	for i := range x {
		t := k.ZMM()
		k.VEXTRACTI64X4(U8(1), x[i], t.AsY())
		k.VPADDQ(t.AsY(), x[i].AsY(), x[i].AsY())
		k.VEXTRACTI128(U8(1), x[i].AsY(), t.AsX())
		k.VPADDQ(t.AsX(), x[i].AsX(), x[i].AsX())
		k.VPSRLDQ(U8(8), x[i].AsX(), t.AsX())
		k.VPADDQ(t.AsX(), x[i].AsX(), x[i].AsX())
	}
	var h [3]GPVirtual
	for i := range h {
		h[i] = k.GP64()
		k.VMOVQ(x[i].AsX(), h[i])
	}
	StoreLimbs(k.Context, h, s.Offset(layout.StateH))
}

// LoadLimbs emits code that loads an accumulator and splits it into 52-bit limbs.
func LoadLimbs(k *build.Context, mask GPVirtual, at Mem) [3]GPVirtual {
	k.MOVQ(U64(1<<52-1), mask)
	h := [3]GPVirtual{k.GP64(), k.GP64(), k.GP64()}
	low := k.GP64()
	for i := range h {
		k.MOVQ(at.Offset(8*i), h[i])
	}
	k.MOVQ(h[0], low)
	k.ANDQ(mask, low)
	k.SHRQ(U8(52), h[1], h[0])
	k.ANDQ(mask, h[0])
	k.SHRQ(U8(40), h[2], h[1])
	return [3]GPVirtual{low, h[0], h[1]}
}

// StoreLimbs emits code that partially reduces limbs and stores them as words.
func StoreLimbs(k *build.Context, h [3]GPVirtual, at Mem) {
	k.Comment("Carry, fold the bits above 2^130 (add 5 times their value at the bottom), and carry again.")
	c, five, mask := k.GP64(), k.GP64(), k.GP64()
	k.MOVQ(U64(1<<52-1), mask)
	up := func(from, to int) {
		k.MOVQ(h[from], c)
		k.SHRQ(U8(52), c)
		k.ANDQ(mask, h[from])
		k.ADDQ(c, h[to])
	}
	up(0, 1)
	up(1, 2)
	k.MOVQ(h[2], c)
	k.SHRQ(U8(26), c)
	k.ANDQ(U32(1<<26-1), h[2])
	k.LEAQ(Mem{Base: c, Index: c, Scale: 4}, five)
	k.ADDQ(five, h[0])
	up(0, 1)
	up(1, 2)
	k.Comment("Combine the limbs in 64-bit words.")
	k.MOVQ(h[1], c)
	k.SHLQ(U8(52), c)
	k.ORQ(c, h[0])
	k.MOVQ(h[2], c)
	k.SHRQ(U8(12), h[1])
	k.SHLQ(U8(40), c)
	k.ORQ(c, h[1])
	k.SHRQ(U8(24), h[2])
	for i := range h {
		k.MOVQ(h[i], at.Offset(8*i))
	}
}
