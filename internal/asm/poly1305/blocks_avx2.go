// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// The kernel for AVX2 has four lanes and holds a number as five limbs of 26
// bits, so that the products of VPMULUDQ, of 32 by 32 bits, can be added up. As
// 2^130 is 5, limb i of one factor times limb j of the other goes to
//
//	limb i+j, if that is below 5      limb i+j-5, times 5, if not
//
// and the table has the limbs r0 … r4 of a power of r and 5·r1 … 5·r4. Two
// products share the sums and the carries after them: 8 blocks take
//
//	h = h·r^8 + (blocks 1 to 4)·r^4 + (blocks 5 to 8)
//
// in each lane. Blocks that are only added need no limbs as short as factors do:
// they go to the sums 0, 2 and 4 as numbers of up to 52 bits.
//
// Why nothing overflows. Powers are below 1.25·2^130, so that table entries are
// below 2^26 and 1.25·2^26 (r4), or five times that, below 2^28.65. Limbs of h are
// below 2^26 + 2^7 when the carries have run, below 2^27 + 2^25 in the first
// blocks, to which the accumulator was added without a carry; limbs of blocks are
// below 2^26, the last of them below 2^25. So a sum is below
//
//	5·2^27.33·2^28.65 + 5·2^26·2^28.65 + 2^52 < 2^59
//
// and in truth, as not all five limbs and entries are the largest, below 2^58.09.
// The first carries are below 2^32.1, what 4 → 0 adds below 2^32.3, and the second
// carries, 0 → 1 and 3 → 4, below 2^6.4. Sums have five bits to spare; entries, of
// which a multiplication takes 32 bits, three. The proof has
// these bounds of the code itself.
//
// 128 bytes need 50 multiplications, 48 additions, 22 instructions to cut blocks
// into limbs and 23 to reduce, 143 for three ports, so 48 cycles.
const (
	limbs      = 5
	multiplier = 9

	// A table entry is five words: the powers 4, 2, 3 and 1 of r, in the order in
	// which unpacking leaves blocks 1 to 4 in the lanes, and the power 8.
	entrySize = 8 * 5
	eightAt   = 8 * 4
)

// avx2 is what writes the kernel's code. It has all 16 registers in use, so it
// names them itself.
type avx2 struct {
	*build.Context
	msg   GPVirtual
	table Mem
	// On the stack: two limbs of h that find no register, and constants.
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
		"blocksAVX2 is blocksGeneric for n blocks, a multiple of 4 and at least 4, with",
		"AVX2. Entry i of the table is five words, limb i of the powers 4, 2, 3, 1 and 8",
		"of r in limbs of 26 bits; entries 5 to 8 are five times the limbs 1 to 4.")
	k := &avx2{Context: f.Context}
	s := Mem{Base: amd64.Load(k.Context, "s")}
	k.table = Mem{Base: amd64.Load(k.Context, "table")}
	k.msg = amd64.Load(k.Context, "msg")
	n := amd64.Load(k.Context, "n")
	local := k.AllocLocal(4 * 32)
	k.h2, k.h3, k.mask52, k.top = local, local.Offset(32), local.Offset(64), local.Offset(96)
	k.constants()

	k.Comment("The first four blocks, the accumulator added to the first of all.")
	k.factor(0)
	k.addAccumulator(s)
	k.keep(factorAVX2)
	k.ADDQ(U8(64), k.msg)
	k.SUBQ(U8(4), n)

	k.Comment("An odd number of fours: h = h·r^4 + (4 blocks).")
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
	k.Comment("Each lane times its power, and the sum of the lanes.")
	k.multiply(k.h(), func(j int) { k.VMOVDQU(k.table.Offset(entrySize*j), t0) }, [limbs]bool{})
	k.reduce()
	k.finish(s)
	k.VZEROUPPER()
	k.RET()
}

// constants makes the masks and the bit above a block, in limb 4.
func (k *avx2) constants() {
	k.VPCMPEQD(t0, t0, t0)
	k.VPSRLQ(U8(64-26), t0, mask26)
	k.VPSRLQ(U8(64-52), t0, t1)
	k.VMOVDQU(t1, k.mask52)
	k.VPSRLQ(U8(63), t0, t1)
	k.VPSLLQ(U8(128-104), t1, t1)
	k.VMOVDQU(t1, k.top)
}

// words loads four blocks into t0, their lower words, and t1, their upper words.
// Unpacking puts block 3 after block 1, and 4 after 2.
func (k *avx2) words(offset int) {
	m := Mem{Base: k.msg, Disp: offset}
	a, b := factorAVX2[0], factorAVX2[1]
	k.VMOVDQU(m, a)
	k.VMOVDQU(m.Offset(32), b)
	k.VPUNPCKLQDQ(b, a, t0)
	k.VPUNPCKHQDQ(b, a, t1)
}

// factor loads four blocks as limbs of 26 bits.
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

// begin loads four blocks into the sums 0, 2 and 4, and tells which have begun.
func (k *avx2) begin(offset int) [limbs]bool {
	k.words(offset)
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

// h is where the limbs of h are.
func (k *avx2) h() [limbs]Op { return [limbs]Op{h0, h1, k.h2, k.h3, h4} }

// keep moves a number to h.
func (k *avx2) keep(x [limbs]VecPhysical) {
	for i, to := range k.h() {
		if m, ok := to.(Mem); ok {
			k.VMOVDQU(x[i], m)
		} else {
			k.VMOVDQA(x[i], to)
		}
	}
}

// broadcast loads table entry j for the power at an offset into t0.
func (k *avx2) broadcast(at int) func(j int) {
	return func(j int) { k.VPBROADCASTQ(k.table.Offset(entrySize*j+at), t0) }
}

// multiply adds x·y to the sums that have begun and begins the others. The
// function load puts a table entry of y into t0: each serves four or five limbs.
func (k *avx2) multiply(x [limbs]Op, load func(j int), begun [limbs]bool) [limbs]bool {
	for entry := range multiplier {
		j, wraps := entry, false
		if entry >= limbs {
			j, wraps = entry-limbs+1, true
		}
		k.Comment(fmt.Sprintf("Times %s%d.", map[bool]string{false: "r", true: "5·r"}[wraps], j))
		load(entry)
		for i := range limbs {
			if (i+j >= limbs) != wraps {
				continue
			}
			to := (i + j) % limbs
			if begun[to] {
				k.VPMULUDQ(x[i], t0, t1)
				k.VPADDQ(t1, sumsAVX2[to], sumsAVX2[to])
			} else {
				k.VPMULUDQ(x[i], t0, sumsAVX2[to])
				begun[to] = true
			}
		}
	}
	return begun
}

// reduce carries what the sums have above 26 bits, along two chains at once.
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

// addAccumulator adds the accumulator, in limbs of 26 bits, to lane 0 of the
// factor.
func (k *avx2) addAccumulator(s Mem) {
	w := [3]GPVirtual{k.GP64(), k.GP64(), k.GP64()}
	for i := range w {
		k.MOVQ(s.Offset(8*i), w[i])
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

// finish adds up the lanes and stores the accumulator.
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
	k.Comment("Words of 64 bits: limbs are below 2^29 now, so limb 4 passes 2^128.")
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
	k.Comment("5 times what is above 2^130 goes down.")
	k.MOVQ(top, t)
	k.ANDQ(U8(3), top)
	k.SHRQ(U8(2), t)
	k.LEAQ(Mem{Base: t, Index: t, Scale: 4}, t)
	k.ADDQ(t, lo)
	k.ADCQ(U8(0), hi)
	k.ADCQ(U8(0), top)
	for i, w := range []GPVirtual{lo, hi, top} {
		k.MOVQ(w, s.Offset(8*i))
	}
}
