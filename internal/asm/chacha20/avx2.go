// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// generateAVX2 writes hChaCha20AVX2, and xorAVX2: 8 blocks at a wide step, and up to three sets of
// two blocks at a narrow one.
//
// Rotations by whole bytes are one instruction that moves bytes, the others three
// that need another register.
func generateAVX2(f *amd64.File) {
	k := &avx2{kernel: newKernel(f, "xorAVX2", "xorAVX2 is xorGeneric for AVX2, and at most 64 KiB.")}
	k.register = k.YMM
	k.Xor = k.VPXOR
	rotate16 := quads(f, "rotate16", bytesTurned(16)...)
	rotate8 := quads(f, "rotate8", bytesTurned(8)...)
	k.Rotate = func(x operand.Op, bits uint8) {
		switch bits {
		case 16:
			k.VPSHUFB(rotate16, x, x)
		case 8:
			k.VPSHUFB(rotate8, x, x)
		default:
			t := k.register()
			k.VPSLLD(operand.U8(bits), x, t)
			k.VPSRLD(operand.U8(32-bits), x, x)
			k.VPOR(t, x, x)
		}
	}
	k.sigma = words(f, "sigma256", sigma...)
	k.lanes = quads(f, "lanes256", 0, 0, 1, 0)
	k.set = quads(f, "set256", 2, 0, 2, 0)
	k.counters[0] = quads(f, "countersA256", 0, 1, 4, 5)
	k.counters[1] = quads(f, "countersB256", 2, 3, 6, 7)

	// The stack is aligned to 8 bytes only. Rows that crossed cache lines would
	// cost more.
	local := k.AllocLocal(slots*32 + 32)
	k.rows = k.GP64()
	k.LEAQ(local, k.rows)
	k.ADDQ(operand.U8(31), k.rows)
	k.ANDQ(operand.I8(-32), k.rows)

	k.CMPQ(k.n, operand.U32(wide256))
	k.JB(operand.LabelRef("tail"))
	k.wideStep()
	k.narrowSteps()
	k.hChaCha20(f, "hChaCha20AVX2", "hChaCha20AVX2 is hChaCha20Generic for AVX2.", k.sigma)
}

// wide256 is how many bytes a wide step takes.
const wide256 = 8 * block

// Slots of 32 bytes on the stack: rows 8 to 15 of the state and the two of the
// initial counters.
const (
	slotC        = 0
	slotD        = 4
	slotCounters = 8
	slots        = 10
)

type avx2 struct {
	*kernel
	sigma    operand.Mem
	lanes    operand.Mem    // what each block of a set adds to the counter, in row d
	set      operand.Mem    // what the next set adds
	counters [2]operand.Mem // what the blocks of a wide step add
	rows     reg.GPVirtual  // the slots
}

func (k *avx2) slot(i int) operand.Mem { return operand.Mem{Base: k.rows, Disp: 32 * i} }

// bytesTurned is the order of bytes that turns each word to the left.
func bytesTurned(bits int) []uint64 {
	order := make([]uint64, 4)
	for i := range 32 {
		from := i%16&^3 + (i-bits/8)&3
		order[i/8] |= uint64(from) << (i % 8 * 8)
	}
	return order
}

// wideStep writes the loop over the wide steps. Of the 16 rows of the state, two
// are on the stack, so that two registers are free for rotations: the quarter
// rounds go in pairs, and a pair needs two words of c only.
func (k *avx2) wideStep() {
	k.Comment("8 blocks, one in each lane; a register holds one word of all.")
	k.Label("wide")
	a, b, d, c := make([]reg.VecVirtual, 4), make([]reg.VecVirtual, 4), make([]reg.VecVirtual, 4), make([]reg.VecVirtual, 2)
	for _, rows := range [][]reg.VecVirtual{a, b, c, d} {
		for i := range rows {
			rows[i] = k.YMM()
		}
	}
	k.VMOVQ(k.counter, d[0].AsX())
	k.VPBROADCASTQ(d[0].AsX(), d[0])
	k.VPADDQ(k.counters[0], d[0], d[2])
	k.VPADDQ(k.counters[1], d[0], d[3])
	k.VSHUFPS(operand.U8(0x88), d[3], d[2], d[0])
	k.VSHUFPS(operand.U8(0xdd), d[3], d[2], d[1])
	for i := range 2 {
		k.VMOVDQA(d[i], k.slot(slotCounters+i))
		k.VPBROADCASTD(k.nonce.Offset(4*i), d[2+i])
	}
	keyWord := func(i int) operand.Mem { return operand.Mem{Base: k.key, Disp: 4 * i} }
	for i := range 4 {
		k.VPBROADCASTD(k.sigma.Offset(4*i), a[i])
		k.VPBROADCASTD(keyWord(i), b[i])
	}
	for i := range 2 {
		k.VPBROADCASTD(keyWord(6+i), c[i])
		k.VMOVDQA(c[i], k.slot(slotC+2+i))
		k.VPBROADCASTD(keyWord(4+i), c[i])
	}
	swap := func(store, load int) {
		for i := range 2 {
			k.VMOVDQA(c[i], k.slot(slotC+store+i))
		}
		for i := range 2 {
			k.VMOVDQA(k.slot(slotC+load+i), c[i])
		}
	}
	k.rounds("wideRounds", doubleRounds, func() {
		QuarterRounds(&k.Arithmetic, a[:2], b[:2], c, d[:2]).Write()
		swap(0, 2)
		QuarterRounds(&k.Arithmetic, a[2:], b[2:], c, d[2:]).Write()
		b, d := turned(b, 1), turned(d, 3)
		QuarterRounds(&k.Arithmetic, a[:2], b[:2], c, d[:2]).Write()
		swap(2, 0)
		QuarterRounds(&k.Arithmetic, a[2:], b[2:], c, d[2:]).Write()
	})

	k.Comment("Add the initial state; rows 8 to 15 wait on the stack.")
	addWord := func(word operand.Mem, to reg.VecVirtual) {
		t := k.YMM()
		k.VPBROADCASTD(word, t)
		k.VPADDD(t, to, to)
	}
	for i := range 2 {
		addWord(keyWord(4+i), c[i])
		k.VMOVDQA(c[i], k.slot(slotC+i))
		k.VPADDD(k.slot(slotCounters+i), d[i], d[i])
		k.VMOVDQA(d[i], k.slot(slotD+i))
		addWord(k.nonce.Offset(4*i), d[2+i])
		k.VMOVDQA(d[2+i], k.slot(slotD+2+i))
	}
	for i := range 4 {
		addWord(k.sigma.Offset(4*i), a[i])
		addWord(keyWord(i), b[i])
	}
	k.Comment("Transpose and encrypt the first half of each block.")
	k.half(a, b, 0)
	k.Comment("The second half.")
	for i := range 4 {
		k.VMOVDQA(k.slot(slotC+i), a[i])
		k.VMOVDQA(k.slot(slotD+i), b[i])
	}
	for i := range 2 {
		addWord(keyWord(6+i), a[2+i])
	}
	k.half(a, b, block/2)
	k.ADDQ(operand.U8(8), k.counter)
	k.advance(wide256)
	k.CMPQ(k.n, operand.U32(wide256))
	k.JAE(operand.LabelRef("wide"))

	k.Comment("The stack has half of the key stream.")
	k.VPXOR(a[0], a[0], a[0])
	for i := range slotCounters {
		k.VMOVDQA(a[0], k.slot(i))
	}
}

// half encrypts, in each of eight blocks, the 32 bytes at an offset.
func (k *avx2) half(x, y []reg.VecVirtual, offset int) {
	transpose, xs := k.transposeWords(x)
	transpose.Write()
	transpose, ys := k.transposeWords(y)
	transpose.Write()
	for j := range 4 {
		for l, order := range []uint8{0x20, 0x31} {
			out := k.YMM()
			k.VPERM2I128(operand.U8(order), ys[j], xs[j], out)
			at := block*(4*l+j) + offset
			k.VPXOR(operand.Mem{Base: k.src, Disp: at}, out, out)
			k.VMOVDQU(out, operand.Mem{Base: k.dst, Disp: at})
		}
	}
}

// narrowSteps writes the code for fewer bytes than a wide step takes.
func (k *avx2) narrowSteps() {
	const setSize, maxSets = 2 * block, 3
	k.Comment("One to three sets of two blocks, one in each 128 bits; a register holds one row of a set.")
	k.Label("tail")
	k.TESTQ(k.n, k.n)
	k.JZ(operand.LabelRef("done"))
	d, out := k.YMM(), k.YMM()
	low, counters, nonces := k.XMM(), k.YMM(), k.YMM()
	k.VMOVQ(k.counter, low)
	k.VPBROADCASTQ(low, counters)
	k.VPBROADCASTQ(k.nonce, nonces)
	k.VPUNPCKLQDQ(nonces, counters, d)
	k.VPADDQ(k.lanes, d, d)
	for sets := 2; sets <= maxSets; sets++ {
		k.CMPQ(k.n, operand.U32((sets-1)*setSize))
		k.JBE(operand.LabelRef(fmt.Sprintf("sets%d", sets-1)))
	}
	for sets := maxSets; sets >= 1; sets-- {
		k.Label(fmt.Sprintf("sets%d", sets))
		s := k.newNarrow(sets)
		k.VBROADCASTI128(k.sigma, s.a[0])
		k.VBROADCASTI128(operand.Mem{Base: k.key}, s.b[0])
		k.VBROADCASTI128(operand.Mem{Base: k.key, Disp: 16}, s.c[0])
		k.VMOVDQA(d, s.d[0])
		for i := 1; i < sets; i++ {
			k.VMOVDQA(s.a[0], s.a[i])
			k.VMOVDQA(s.b[0], s.b[i])
			k.VMOVDQA(s.c[0], s.c[i])
			k.VPADDQ(k.set, s.d[i-1], s.d[i])
		}
		k.narrowRounds(fmt.Sprintf("narrowRounds%d", sets), s)
		for i := range sets {
			t := k.YMM()
			for _, row := range []struct {
				initial operand.Mem
				r       reg.VecVirtual
			}{
				{k.sigma, s.a[i]},
				{operand.Mem{Base: k.key}, s.b[i]},
				{operand.Mem{Base: k.key, Disp: 16}, s.c[i]},
			} {
				k.VBROADCASTI128(row.initial, t)
				k.VPADDD(t, row.r, row.r)
			}
			k.VPADDD(d, s.d[i], s.d[i])
			k.VPADDQ(k.set, d, d)
			for j, order := range []uint8{0x20, 0x20, 0x31, 0x31} {
				low, high := s.a[i], s.b[i]
				if j%2 == 1 {
					low, high = s.c[i], s.d[i]
				}
				k.VPERM2I128(operand.U8(order), high, low, out)
				if i == sets-1 {
					k.CMPQ(k.n, operand.U8(32))
					k.JB(operand.LabelRef("partial"))
				}
				k.VPXOR(operand.Mem{Base: k.src}, out, out)
				k.VMOVDQU(out, operand.Mem{Base: k.dst})
				k.advance(32)
			}
		}
		if sets == maxSets {
			k.Comment("Almost a wide step: what is left needs another narrow one.")
			k.ADDQ(operand.U8(2*maxSets), k.counter)
			k.JMP(operand.LabelRef("tail"))
		} else {
			k.JMP(operand.LabelRef("done"))
		}
	}

	k.Comment("The last 31 bytes or fewer, by the bits of their number. Each piece moves what follows down.")
	k.Label("partial")
	k.partial(out)

	k.Label("done")
	k.VZEROUPPER()
	k.RET()
}

// partial encrypts fewer than 32 bytes with the key stream in out.
func (k *avx2) partial(out reg.VecVirtual) {
	src, dst := operand.Mem{Base: k.src}, operand.Mem{Base: k.dst}
	skip := func(size uint32) operand.LabelRef {
		label := operand.LabelRef(fmt.Sprintf("below%d", size))
		k.TESTQ(operand.U32(size), k.n)
		k.JZ(label)
		return label
	}
	next := func(size uint8) {
		k.ADDQ(operand.U8(size), k.src)
		k.ADDQ(operand.U8(size), k.dst)
	}
	x, t, word := k.XMM(), k.XMM(), k.GP64()

	label := skip(16)
	k.VPXOR(src, out.AsX(), x)
	k.VMOVDQU(x, dst)
	k.VEXTRACTI128(operand.U8(1), out, out.AsX())
	next(16)
	k.Label(string(label))

	label = skip(8)
	k.VMOVQ(src, t)
	k.VPXOR(t, out.AsX(), t)
	k.VMOVQ(t, dst)
	k.VPSRLDQ(operand.U8(8), out.AsX(), out.AsX())
	next(8)
	k.Label(string(label))
	k.VMOVQ(out.AsX(), word)

	label = skip(4)
	in := k.GP64()
	k.MOVL(src, in.As32())
	k.XORL(word.As32(), in.As32())
	k.MOVL(in.As32(), dst)
	k.SHRQ(operand.U8(32), word)
	next(4)
	k.Label(string(label))

	label = skip(2)
	k.MOVWLZX(src, in.As32())
	k.XORL(word.As32(), in.As32())
	k.MOVW(in.As16(), dst)
	k.SHRQ(operand.U8(16), word)
	next(2)
	k.Label(string(label))

	label = skip(1)
	k.MOVBLZX(src, in.As32())
	k.XORL(word.As32(), in.As32())
	k.MOVB(in.As8(), dst)
	k.Label(string(label))
}
