// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// generateAVX2 emits nhAVX2 and nhPolyAVX2, which process two groups at a time.
func generateAVX2(f *amd64.File) {
	slideTable(f)
	generate(f, "nhAVX2", "nhAVX2 is nhGeneric for AVX2 and BMI2.", false, chunkAVX2)
	generatePoly(f, "nhPolyAVX2", "nhPolyAVX2 is nhPolyGeneric for AVX2 and BMI2.", false, wholeAVX2)
}

func chunkAVX2(k *kernel) { k.chunkInPairs(twoGroupsAVX2) }

func (k *kernel) chunkInPairs(twoGroups func(*kernel, []VecVirtual, Mem)) {
	sums := zeroSums(k, k.vector)
	k.CMPQ(k.rest, U8(2*group))
	k.jump(k.JB, "group")

	k.Comment("Two groups.")
	k.Label(k.label("pair"))
	twoGroups(k, sums, Mem{Base: k.msg})
	k.ADDQ(U8(2*group), k.msg)
	k.ADDQ(U8(group), k.k)
	k.SUBQ(U8(2*group), k.rest)
	k.CMPQ(k.rest, U8(2*group))
	k.jump(k.JAE, "pair")

	k.lastGroups(sums)
}

func (k *kernel) lastGroups(sums []VecVirtual) {
	m := Mem{Base: k.msg}
	k.Label(k.label("group"))
	k.CMPQ(k.rest, U8(group))
	k.jump(k.JB, "tail")
	k.Comment("One group, in the lower lanes.")
	l, h := k.halfRegisters()
	k.VMOVDQU(m, l.AsX())
	k.VMOVDQU(m.Offset(16), h.AsX())
	k.Label(k.label("one"))
	multiplyAVX2(k, sums, l.AsX(), h.AsX())
	k.ADDQ(U8(group), k.msg)
	k.ADDQ(U8(group/2), k.k)
	k.SUBQ(U8(group), k.rest)
	k.jump(k.JZ, "sum")

	k.Label(k.label("tail"))
	k.TESTQ(k.rest, k.rest)
	k.jump(k.JNZ, "part")
	k.TESTQ(k.bits, k.bits)
	k.jump(k.JNZ, "sum")
	k.Label(k.label("part"))
	loadTail(k)
	k.MOVQ(U32(group), k.rest)
	k.jump(k.JMP, "one")

	k.Label(k.label("sum"))
	sumAVX2(k, sums)
}

var wholeAVX2 = wholeOf((*kernel).vector, 2*group, twoGroupsAVX2, sumAVX2)

func twoGroupsAVX2(k *kernel, sums []VecVirtual, m Mem) {
	l, h := k.halfRegisters()
	k.VMOVDQU(m, l.AsX())
	k.VMOVDQU(m.Offset(16), h.AsX())
	k.VINSERTI128(U8(1), m.Offset(32), l, l)
	k.VINSERTI128(U8(1), m.Offset(48), h, h)
	multiplyAVX2(k, sums, l, h)
}

// halfRegisters returns the same two registers each time.
func (k *kernel) halfRegisters() (l, h VecVirtual) {
	// avo would keep new registers live for too long.
	if k.l == nil {
		k.l, k.h = k.vector(), k.vector()
	}
	return k.l, k.h
}

// multiplyAVX2 emits code that adds the products of l and h to sums.
func multiplyAVX2(k *kernel, sums []VecVirtual, l, h Register) {
	register := func() (wide VecVirtual, op Op) {
		wide = k.vector()
		// 128-bit multiplications clear the upper lane, so the code can add wide.
		if l.Size() == 16 {
			return wide, wide.AsX()
		}
		return wide, wide
	}
	_, piece := register()
	piece = k.piece(0, piece)
	for s, sum := range sums {
		_, next := register()
		_, t := register()
		_, u := register()
		next = k.piece(s+1, next)
		k.VPADDD(piece, l, t)
		k.VPADDD(next, h, u)
		even, product := register()
		k.VPMULUDQ(t, u, product)
		k.VPADDQ(even, sum, sum)
		k.VPSRLQ(U8(32), t, t)
		k.VPSRLQ(U8(32), u, u)
		odd, product := register()
		k.VPMULUDQ(t, u, product)
		k.VPADDQ(odd, sum, sum)
		piece = next
	}
}

// slideSymbol names a table of shuffles that shift a register's bytes down.
const slideSymbol = "slide"

func slideTable(f *amd64.File) {
	amd64.Table[uint64](f, slideSymbol, 0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x8080808080808080, 0x8080808080808080)
}

// loadTail emits code that loads and zero-pads a chunk's last bytes.
func loadTail(k *kernel) {
	l, h := k.halfRegisters()
	m, last := Mem{Base: k.msg}, Mem{Base: k.msg, Index: k.rest, Scale: 1, Disp: -16}
	table, n, mask := k.GP64(), k.GP64(), k.XMM()
	// The loads below read the 16 bytes before the chunk's end.
	k.CMPQ(k.bits, U32(8*16))
	k.jump(k.JB, "short")
	k.LEAQ(NewDataAddr(NewStaticSymbol(slideSymbol), 0), table)
	k.CMPQ(k.rest, U8(16))
	k.jump(k.JBE, "half")

	k.Comment("17 to 31 bytes.")
	k.VMOVDQU(m, l.AsX())
	k.MOVQ(U32(32), n)
	k.SUBQ(k.rest, n)
	k.VMOVDQU(last, h.AsX())
	k.VMOVDQU(Mem{Base: table, Index: n, Scale: 1}, mask)
	k.VPSHUFB(mask, h.AsX(), h.AsX())
	k.MOVQ(U32(group), k.rest)
	k.jump(k.JMP, "one")

	k.Comment("1 to 16 bytes.")
	k.Label(k.label("half"))
	k.MOVQ(U32(16), n)
	k.SUBQ(k.rest, n)
	k.VMOVDQU(last, l.AsX())
	k.VMOVDQU(Mem{Base: table, Index: n, Scale: 1}, mask)
	k.VPSHUFB(mask, l.AsX(), l.AsX())
	k.VPXOR(h.AsX(), h.AsX(), h.AsX())
	k.MOVQ(U32(group), k.rest)
	k.jump(k.JMP, "one")

	k.Label(k.label("short"))
	loadShort(k)
}

// loadShort emits code that loads a chunk of 0 to 15 bytes.
func loadShort(k *kernel) {
	// A load after narrower stores would stall, so use general registers.
	l, h := k.halfRegisters()
	n, shift, lo, hi, t := k.rest, k.GP64(), k.GP64(), k.GP64(), k.GP64()
	first := Mem{Base: k.msg}
	before := func(n int) Mem { return Mem{Base: k.msg, Index: k.rest, Scale: 1, Disp: -n} }
	k.VPXOR(h.AsX(), h.AsX(), h.AsX())
	k.XORQ(lo, lo)
	k.XORQ(hi, hi)

	k.Comment("8 to 15 bytes. For 8 bytes, the second word is shifted out by 56 and 8 bits.")
	k.CMPQ(n, U8(8))
	k.jump(k.JB, "below8_")
	k.MOVQ(first, lo)
	k.MOVQ(before(8), hi)
	k.MOVQ(U32(15), shift)
	k.SUBQ(n, shift)
	k.SHLQ(U8(3), shift)
	k.shift(false, shift, hi)
	k.SHRQ(U8(8), hi)
	k.jump(k.JMP, "words")

	k.Comment("4 to 7 bytes.")
	k.Label(k.label("below8_"))
	k.LEAQ(Mem{Base: n, Disp: -4}, shift)
	k.CMPQ(n, U8(4))
	k.jump(k.JB, "below4_")
	k.MOVL(first, lo.As32())
	k.MOVL(before(4), t.As32())
	k.SHLQ(U8(3), shift)
	k.shift(true, shift, t)
	k.ORQ(t, lo)
	k.jump(k.JMP, "words")

	k.Comment("1 to 3 bytes: load the first, the middle and the last byte.")
	k.Label(k.label("below4_"))
	k.TESTQ(n, n)
	k.jump(k.JZ, "words")
	k.MOVBQZX(first, lo)
	k.MOVQ(n, shift)
	k.SHRQ(U8(1), shift)
	k.MOVBQZX(first.Idx(shift, 1), t)
	k.SHLQ(U8(3), shift)
	k.shift(true, shift, t)
	k.ORQ(t, lo)
	k.LEAQ(Mem{Base: n, Disp: -1}, shift)
	k.SHLQ(U8(3), shift)
	k.MOVBQZX(before(1), t)
	k.shift(true, shift, t)
	k.ORQ(t, lo)

	k.Label(k.label("words"))
	k.VMOVQ(lo, l.AsX())
	k.VPINSRQ(U8(1), hi, l.AsX(), l.AsX())
}

func sumAVX2(k *kernel, sums []VecVirtual) {
	k.Comment("Add the lanes, two streams at a time, and the length.")
	bits := k.XMM()
	k.VMOVQ(k.bits, bits)
	k.VPUNPCKLQDQ(bits, bits, bits)
	for s := 0; s < len(sums); s += 2 {
		sum, t := sums[s], k.vector()
		if s+1 < len(sums) {
			k.VPUNPCKHQDQ(sums[s+1], sum, t)
			k.VPUNPCKLQDQ(sums[s+1], sum, sum)
		} else {
			k.VPSHUFD(U8(0x4e), sum, t)
		}
		k.VPADDQ(t, sum, sum)
		if !k.sse41 {
			k.VEXTRACTI128(U8(1), sum, t.AsX())
			k.VPADDQ(t.AsX(), sum.AsX(), sum.AsX())
		}
		k.store(s, sum.AsX(), bits)
	}
}

func (k *kernel) store(s int, sum, bits Op) {
	if k.pairs != nil {
		k.VPADDQ(bits, sum, k.pairs[s/2])
		return
	}
	k.VPADDQ(bits, sum, sum)
	to := k.out.Offset(8 * s)
	if s+1 < k.streams {
		k.VMOVDQU(sum, to)
	} else {
		k.VMOVQ(sum, to)
	}
}
