// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// The AVX-512 IFMA kernel represents a number as three limbs at 2^0, 2^52 and 2^104.
// VPMADD52LUQ adds the low 52 bits of a product and VPMADD52HUQ the high 52 bits, so
// the two halves can be added to adjacent limbs without a shift. Both instructions
// ignore all but the low 52 bits of their factors, so limbs need not be masked after
// carries.
//
// To multiply x by y, the kernel multiplies the three limbs of x by three numbers:
//
//	x·y = x0·y + x1·(y·2^52 mod p) + x2·(y·2^104 mod p)
//
// The multiples of y are reduced modulo p, so the computed product is below 2^184, even
// when x2 is 52 bits long rather than 26. The table stores each multiple as three
// limbs, A, B and D. Write x·A for the three products of x0, x1 and x2, each with limb
// A of its own multiple of y; x·B and x·D are similar. The kernel adds the low and high
// halves of these products to four sums:
//
//	L0 = low(x·A)                at 2^0
//	L1 = low(x·B) + high(x·A)    at 2^52
//	L2 = low(x·D) + high(x·B)    at 2^104
//	L3 = high(x·D)               at 2^156, or 5·2^26 at 2^0
//
// Each iteration processes 16 blocks, two per lane, and propagates carries only once:
//
//	h = h·r^16 + (blocks 1 to 8)·r^8 + (blocks 9 to 16)
//
// A sum has at most 13 terms: twelve product halves and one limb.
//
//	A, B < 2^52    D < 1.25·2^26   limbs of h and of blocks < 2^52
//	L0 < 7·2^52    L1 < 13·2^52    L2 < 13·2^52    L3 < 6.25·2^26
//
// At the end of an iteration, the kernel reduces the four sums to three limbs. L3 fits
// in 52 bits, so the kernel can multiply it by 5·2^26 and add the product to L0 and L1.
// It also clears bits 51 and above of L2, multiplies them by 5·2^25 and adds the
// product to L0. After this, L2 has room for the carry from L1. The proof derives all
// bounds from the code.
const (
	lanes = 8

	// unit156 is 2^156 modulo p, and unit155 is 2^155 modulo p.
	unit156 = 5 << 26
	unit155 = 5 << 25

	// tableWords is the table offset of r^16, after the powers of the lanes.
	tableWords = 9 * lanes
)

type ifma struct {
	*build.Context
	mask52, mask51   VecVirtual
	one              VecVirtual // 1 in each lane
	unit156, unit155 VecVirtual
}

type number [3]VecVirtual

// A Table locates y, y·2^52 and y·2^104, all modulo p, in memory.
type Table struct {
	Base      Mem
	Stride    int  // bytes between limbs
	Broadcast bool // a limb is a word to broadcast instead of a vector
}

func (t Table) limb(i, j int) Mem { return t.Base.Offset(t.Stride * (3*i + j)) }

// Sums holds the accumulators. Separate accumulators for the low and high halves of
// products shorten the dependency chains.
type Sums[V Op] struct {
	L0, L1, L2 V // low halves
	H1, H2, H3 V // high halves
}

// Multiply emits code that adds x·y to s. If smallTop is true, the code is shorter but
// correct only if x[2] < 2^25, as it is for message blocks.
func (s *Sums[V]) Multiply(c *build.Context, x [3]V, y Table, smallTop bool) {
	low, high := c.VPMADD52LUQ, c.VPMADD52HUQ
	if y.Broadcast {
		low, high = c.VPMADD52LUQ_BCST, c.VPMADD52HUQ_BCST
	}
	for i, x := range x {
		low(y.limb(i, 0), x, s.L0)
		high(y.limb(i, 0), x, s.H1)
		low(y.limb(i, 1), x, s.L1)
		high(y.limb(i, 1), x, s.H2)
		low(y.limb(i, 2), x, s.L2)
		// x[2] < 2^25 and D < 1.25·2^26, so the high half is 0.
		if !smallTop || i < 2 {
			high(y.limb(i, 2), x, s.H3)
		}
	}
}

func generateIFMA(f *amd64.File) {
	generateTableIFMA(f)
	generateMoreTableIFMA(f)
	generateBlocksIFMA(f)
}

// mask emits code that sets mask52, and returns a vector of ones.
func (k *ifma) mask() (ones VecVirtual) {
	ones = k.ZMM()
	k.mask52 = k.ZMM()
	k.VPTERNLOGD(U8(0xff), ones, ones, ones)
	k.VPSRLQ(U8(64-52), ones, k.mask52)
	return ones
}

func (k *ifma) broadcast(n int) VecVirtual {
	word, v := k.GP64(), k.ZMM()
	k.MOVQ(U32(n), word)
	k.VPBROADCASTQ(word, v)
	return v
}

// split emits code that splits lo + hi·2^64 + top·2^128 into limbs.
func (k *ifma) split(lo, hi, top VecVirtual) number {
	x1, x2 := k.ZMM(), k.ZMM()
	k.VPSHRDQ(U8(52), hi, lo, x1)
	// top must be below 2^12.
	k.VPSHRDQ(U8(104-64), top, hi, x2)
	return number{lo, x1, x2}
}

func (k *ifma) cut(x number) {
	k.VPANDQ(k.mask52, x[0], x[0])
	k.VPANDQ(k.mask52, x[1], x[1])
}

func (k *ifma) begin(x number) *Sums[VecVirtual] {
	s := &Sums[VecVirtual]{L0: x[0], L1: x[1], H1: k.ZMM(), L2: x[2], H2: k.ZMM(), H3: k.ZMM()}
	for _, v := range []VecVirtual{s.H1, s.H2, s.H3} {
		k.VPXORQ(v, v, v)
	}
	return s
}

// reduce emits code that combines the sums into three limbs.
func (k *ifma) reduce(s *Sums[VecVirtual]) number {
	over := k.ZMM()
	k.VPADDQ(s.H2, s.L2, s.L2)
	k.VPSRLQ(U8(51), s.L2, over)
	k.VPANDQ(k.mask51, s.L2, s.L2)
	k.VPMADD52LUQ(k.unit156, s.H3, s.L0)
	k.VPMADD52HUQ(k.unit156, s.H3, s.H1)
	k.VPMADD52LUQ(k.unit155, over, s.L0)
	k.VPADDQ(s.H1, s.L1, s.L1)
	x := number{s.L0, s.L1, s.L2}
	// Bits 52 to 63 of the lower limbs remain.
	k.carry(x)
	return x
}

// carry emits code that propagates carries, without clearing bits 52 to 63.
func (k *ifma) carry(x number) {
	for i := range 2 {
		c := k.ZMM()
		k.VPSRLQ(U8(52), x[i], c)
		k.VPADDQ(c, x[i+1], x[i+1])
	}
}

func generateTableIFMA(f *amd64.File) {
	f.Function("tableAVX512IFMA", "func(table, powers *uint64)",
		"tableAVX512IFMA computes the table of blocksAVX512IFMA: nine vectors for the eight numbers",
		"whose limbs at 2^0, 2^64 and 2^128 are words i, 9+i and 18+i of powers, with i below 8,",
		"and then nine words for the number in words 8, 17 and 26.")
	k := &ifma{Context: f.Context}
	to, from := Mem{Base: amd64.Load(k.Context, "table")}, Mem{Base: amd64.Load(k.Context, "powers")}
	k.mask()
	mask26 := k.ZMM()
	k.VPSRLQ(U8(52-26), k.mask52, mask26)
	for _, part := range []struct {
		comment string
		in, out Mem
		load    func(...Op)
		store   func(v VecVirtual, to Mem)
		stride  int
	}{
		{"Store the limbs of the lanes' powers.", from, to, k.VMOVDQU64, func(v VecVirtual, to Mem) { k.VMOVDQU64(v, to) }, 8 * lanes},
		{"Store the limbs of the power 16.", from.Offset(8 * lanes), to.Offset(8 * tableWords), k.VPBROADCASTQ,
			func(v VecVirtual, to Mem) { k.VMOVQ(v.AsX(), to) }, 8},
	} {
		k.Comment(part.comment)
		var words number
		for i := range words {
			words[i] = k.ZMM()
			part.load(part.in.Offset(8*9*i), words[i])
		}
		k.shifted(words, mask26, func(i, j int, v VecVirtual) { part.store(v, part.out.Offset(part.stride*(3*i+j))) })
	}
	k.VZEROUPPER()
	k.RET()
}

// shifted emits code that computes y, y·2^52 and y·2^104 modulo p.
func (k *ifma) shifted(words number, mask26 VecVirtual, store func(i, j int, v VecVirtual)) {
	y := k.split(words[0], words[1], words[2])
	k.cut(y)
	for i := range 3 {
		if i > 0 {
			k.Comment("Multiply by 2^52: move the limbs up and add 5 times the bits above 2^130 at the bottom.")
			over, next := k.ZMM(), number{k.ZMM(), k.ZMM(), k.ZMM()}
			k.VPSRLQ(U8(26), y[1], over)
			k.VPSLLQ(U8(26), y[2], next[0])
			k.VPADDQ(next[0], over, over)
			k.VPSLLQ(U8(2), over, next[0])
			k.VPADDQ(over, next[0], next[0])
			k.VMOVDQA64(y[0], next[1])
			k.VPANDQ(mask26, y[1], next[2])
			k.carry(next)
			k.cut(next)
			y = next
		}
		for j, v := range y {
			// This is limb j of y·2^(52i).
			store(i, j, v)
		}
	}
}

const moreTable = 8 * (tableWords + 9)

func generateMoreTableIFMA(f *amd64.File) {
	f.Function("moreTableAVX512IFMA", "func(table, powers *uint64)",
		"moreTableAVX512IFMA adds the two powers that morePowersAMD64 stores to a table, as nine",
		"pairs of words.")
	k := &ifma{Context: f.Context}
	to, from := Mem{Base: amd64.Load(k.Context, "table")}, Mem{Base: amd64.Load(k.Context, "powers")}
	k.mask()
	mask26 := k.ZMM()
	k.VPSRLQ(U8(52-26), k.mask52, mask26)
	var words number
	for i := range words {
		words[i] = k.ZMM()
		k.VMOVDQU64(from.Offset(morePowers+8*len(moreOrder)*i), words[i].AsX())
	}
	k.shifted(words, mask26, func(i, j int, v VecVirtual) {
		k.VMOVDQU64(v.AsX(), to.Offset(moreTable+8*len(moreOrder)*(3*i+j)))
	})
	k.VZEROUPPER()
	k.RET()
}
