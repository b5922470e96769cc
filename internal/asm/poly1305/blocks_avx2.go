// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/poly1305"
)

// The AVX2 kernel represents a number as five 26-bit limbs. Since 2^130 = 5 (mod p),
// the product of limbs i and j contributes to:
//
//	limb i+j, if i+j < 5      limb i+j-5, multiplied by 5, otherwise
//
// Each iteration of the main loop processes eight blocks in four lanes:
//
//	h = h·r^8 + (blocks 1 to 4)·r^4 + (blocks 5 to 8)
//
// Because of these bounds, one carry pass per iteration is enough:
//
//	limbs of h               < 2^27.33
//	limbs of blocks 1 to 4   < 2^26
//	table entries            < 2^28.65
//	each sum                 < 5·2^27.33·2^28.65 + 5·2^26·2^28.65 + 2^52 < 2^59
const (
	limbs      = 5
	multiplier = 9 // table entries: the limbs r0 to r4, and 5·r1 to 5·r4

	// A table entry contains the same limb or multiple for r⁴, r², r³, r and r⁸.
	entrySize = 8 * 5
	eightAt   = 8 * 4
)

// An avx2 generates the AVX2 kernel, which uses all 16 vector registers.
type avx2 struct {
	*build.Context
	msg   GPVirtual
	table Mem
	// These vectors are on the stack, because no registers are left.
	h2, h3, mask52, top Mem
}

var (
	sumsAVX2   = [limbs]VecPhysical{Y0, Y1, Y2, Y3, Y4}
	factorAVX2 = [limbs]VecPhysical{Y5, Y6, Y7, Y8, Y9}
	h0, h1, h4 = Y10, Y11, Y12
	t0, t1     = Y13, Y14
	mask26     = Y15
)

func generateAVX2(f *amd64.File) {
	f.Function("blocksAVX2", "func(s *State, table *uint64, msg *byte, n int)",
		"blocksAVX2 is blocksGeneric for AVX2. The number of blocks, n, must be a positive",
		"multiple of 4. Entry i of the table consists of five words: limb i of the powers 4, 2,",
		"3, 1 and 8 of r, in 26-bit limbs. Entries 5 to 8 are five times the limbs 1 to 4.")
	k := &avx2{Context: f.Context}
	s := Mem{Base: amd64.Load(k.Context, "s")}
	k.table = Mem{Base: amd64.Load(k.Context, "table")}
	k.msg = amd64.Load(k.Context, "msg")
	n := amd64.Load(k.Context, "n")
	local := k.AllocLocal(4 * 32)
	k.h2, k.h3, k.mask52, k.top = local, local.Offset(32), local.Offset(64), local.Offset(96)
	k.constants()

	k.Comment("Load the first four blocks and add the accumulator to the first block.")
	k.factor(0)
	k.addAccumulator(s)
	k.keep(factorAVX2)
	k.ADDQ(U8(64), k.msg)
	k.SUBQ(U8(4), n)

	k.Comment("If the number of four-block groups left is odd: h = h·r^4 + (4 blocks).")
	k.TESTQ(U32(4), n)
	k.JZ(LabelRef("pairs"))
	k.multiply(k.h(), k.broadcast(0), k.begin(0))
	k.reduce()
	k.keep(sumsAVX2)
	k.ADDQ(U8(64), k.msg)
	k.SUBQ(U8(4), n)

	k.Label("pairs")
	k.TESTQ(n, n)
	k.JZ(LabelRef("last"))
	k.Comment("h = h·r^8 + (4 blocks)·r^4 + (4 blocks).")
	k.Label("eight")
	begun := k.begin(64)
	k.factor(0)
	var a [limbs]Op
	for i := range a {
		a[i] = factorAVX2[i]
	}
	begun = k.multiply(a, k.broadcast(0), begun)
	k.multiply(k.h(), k.broadcast(eightAt), begun)
	k.reduce()
	k.keep(sumsAVX2)
	k.ADDQ(U32(128), k.msg)
	k.SUBQ(U8(8), n)
	k.JNZ(LabelRef("eight"))

	k.Label("last")
	k.Comment("Multiply each lane by its power and add the lanes.")
	k.multiply(k.h(), func(j int) { k.VMOVDQU(k.table.Offset(entrySize*j), t0) }, [limbs]bool{})
	k.reduce()
	k.finish(s)
	k.VZEROUPPER()
	k.RET()
}

func (k *avx2) constants() {
	k.VPCMPEQD(t0, t0, t0)
	k.VPSRLQ(U8(64-26), t0, mask26)
	k.VPSRLQ(U8(64-52), t0, t1)
	k.VMOVDQU(t1, k.mask52)
	k.VPSRLQ(U8(63), t0, t1)
	k.VPSLLQ(U8(128-104), t1, t1)
	k.VMOVDQU(t1, k.top)
}

func (k *avx2) words(offset int) {
	m := Mem{Base: k.msg, Disp: offset}
	a, b := factorAVX2[0], factorAVX2[1]
	k.VMOVDQU(m, a)
	k.VMOVDQU(m.Offset(32), b)
	// The lanes hold blocks 1, 3, 2 and 4 in this order.
	k.VPUNPCKLQDQ(b, a, t0)
	k.VPUNPCKHQDQ(b, a, t1)
}

func (k *avx2) factor(offset int) {
	k.words(offset)
	a := factorAVX2
	k.VPAND(mask26, t0, a[0])
	k.VPSRLQ(U8(26), t0, a[1])
	k.VPAND(mask26, a[1], a[1])
	k.VPSRLQ(U8(52), t0, a[2])
	k.VPSLLQ(U8(64-52), t1, a[3])
	k.VPOR(a[3], a[2], a[2])
	k.VPAND(mask26, a[2], a[2])
	k.VPSRLQ(U8(78-64), t1, a[3])
	k.VPAND(mask26, a[3], a[3])
	k.VPSRLQ(U8(104-64), t1, a[4])
	k.VPOR(k.top, a[4], a[4])
}

func (k *avx2) begin(offset int) [limbs]bool {
	k.words(offset)
	// These blocks are not multiplied, so three 52-bit parts replace five 26-bit limbs.
	d := sumsAVX2
	k.VPAND(k.mask52, t0, d[0])
	k.VPSLLQ(U8(64-52), t1, d[2])
	k.VPAND(k.mask52, d[2], d[2])
	k.VPSRLQ(U8(52), t0, t0)
	k.VPOR(t0, d[2], d[2])
	k.VPSRLQ(U8(104-64), t1, d[4])
	k.VPOR(k.top, d[4], d[4])
	return [limbs]bool{0: true, 2: true, 4: true}
}

func (k *avx2) h() [limbs]Op { return [limbs]Op{h0, h1, k.h2, k.h3, h4} }

func (k *avx2) keep(x [limbs]VecPhysical) {
	for i, to := range k.h() {
		if m, ok := to.(Mem); ok {
			k.VMOVDQU(x[i], m)
		} else {
			k.VMOVDQA(x[i], to)
		}
	}
}

func (k *avx2) broadcast(at int) func(j int) {
	return func(j int) { k.VPBROADCASTQ(k.table.Offset(entrySize*j+at), t0) }
}

// multiply emits code that adds x·y to the sums.
func (k *avx2) multiply(x [limbs]Op, load func(j int), started [limbs]bool) [limbs]bool {
	for entry := range multiplier {
		j, wraps := entry, false
		if entry >= limbs {
			j, wraps = entry-limbs+1, true
		}
		k.Comment(fmt.Sprintf("Times %s%d.", map[bool]string{false: "r", true: "5·r"}[wraps], j))
		// load must put this entry of y into t0.
		load(entry)
		for i := range limbs {
			if (i+j >= limbs) != wraps {
				continue
			}
			to := (i + j) % limbs
			// The sum already holds a value.
			if started[to] {
				k.VPMULUDQ(x[i], t0, t1)
				k.VPADDQ(t1, sumsAVX2[to], sumsAVX2[to])
			} else {
				k.VPMULUDQ(x[i], t0, sumsAVX2[to])
				started[to] = true
			}
		}
	}
	return started
}

// reduce emits two interleaved carry chains over the limbs.
func (k *avx2) reduce() {
	k.Comment("Carries: 0 → 1, 3 → 4, 1 → 2, 4 → 0, 2 → 3, 0 → 1, 3 → 4.")
	d := sumsAVX2
	for step, from := range []int{0, 3, 1, 4, 2, 0, 3} {
		t, to := []VecPhysical{t0, t1}[step%2], (from+1)%limbs
		k.VPSRLQ(U8(26), d[from], t)
		k.VPAND(mask26, d[from], d[from])
		k.VPADDQ(t, d[to], d[to])
		if to == 0 {
			k.VPSLLQ(U8(2), t, t)
			k.VPADDQ(t, d[to], d[to])
		}
	}
}

func (k *avx2) addAccumulator(s Mem) {
	w := [3]GPVirtual{k.GP64(), k.GP64(), k.GP64()}
	for i := range w {
		k.MOVQ(s.Offset(layout.StateH+8*i), w[i])
	}
	for i, a := range factorAVX2 {
		limb := k.GP64()
		switch i {
		case 0:
			k.MOVQ(w[0], limb)
		case 1:
			k.MOVQ(w[0], limb)
			k.SHRQ(U8(26), limb)
		case 2:
			k.SHRQ(U8(52), w[1], w[0])
			k.MOVQ(w[0], limb)
		case 3:
			k.MOVQ(w[1], limb)
			k.SHRQ(U8(78-64), limb)
		case 4:
			k.SHRQ(U8(104-64), w[2], w[1])
			k.MOVQ(w[1], limb)
		}
		if i < 4 {
			k.ANDL(U32(1<<26-1), limb.As32())
		}
		k.VMOVQ(limb, t0.AsX())
		k.VPADDQ(t0, a, a)
	}
}

func (k *avx2) finish(s Mem) {
	var h [limbs]GPVirtual
	for i, d := range sumsAVX2 {
		h[i] = k.GP64()
		k.VEXTRACTI128(U8(1), d, t0.AsX())
		k.VPADDQ(t0.AsX(), d.AsX(), d.AsX())
		k.VPSRLDQ(U8(8), d.AsX(), t0.AsX())
		k.VPADDQ(t0.AsX(), d.AsX(), d.AsX())
		k.VMOVQ(d.AsX(), h[i])
	}
	k.Comment("Combine the limbs in 64-bit words. They are below 2^29 now, so limb 4 reaches beyond 2^128.")
	lo, hi, top, t := h[0], k.GP64(), k.GP64(), k.GP64()
	shifted := func(limb GPVirtual, n uint8) GPVirtual {
		k.MOVQ(limb, t)
		k.SHLQ(U8(n), t)
		return t
	}
	k.ADDQ(shifted(h[1], 26), lo)
	k.MOVQ(h[2], hi)
	k.SHRQ(U8(12), hi)
	k.MOVQ(h[4], top)
	k.SHRQ(U8(24), top)
	k.ADDQ(shifted(h[2], 52), lo)
	k.ADCQ(U8(0), hi)
	k.ADDQ(shifted(h[3], 14), hi)
	k.ADDQ(shifted(h[4], 40), hi)
	k.ADCQ(U8(0), top)
	k.Comment("Fold the bits above 2^130: add 5 times their value at the bottom.")
	k.MOVQ(top, t)
	k.ANDQ(U8(3), top)
	k.SHRQ(U8(2), t)
	k.LEAQ(Mem{Base: t, Index: t, Scale: 4}, t)
	k.ADDQ(t, lo)
	k.ADCQ(U8(0), hi)
	k.ADCQ(U8(0), top)
	for i, w := range []GPVirtual{lo, hi, top} {
		k.MOVQ(w, s.Offset(layout.StateH+8*i))
	}
}
