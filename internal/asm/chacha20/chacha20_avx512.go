// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

func generateAVX512(f *amd64.File) {
	k := &avx512{kernel: newKernel(f, "xorAVX512", "xorAVX512 is xorGeneric for AVX-512 F and BW, for at most 64 KiB."), member: chachaMember}
	k.Attributes(0) // large frames need the stack check that NOSPLIT would omit
	k.instructions(f)
	k.lanes = quads(f, "lanes512", 0, 0, 1, 0, 2, 0, 3, 0)
	k.set = quads(f, "set512", 4, 0, 4, 0, 4, 0, 4, 0)

	k.CMPQ(k.n, U32(wide512))
	k.JB(LabelRef("tail"))
	k.wideSteps()
	k.narrowSteps()
	k.hChaCha20(f, "hChaCha20AVX512", "hChaCha20AVX512 is hChaCha20Generic for AVX-512 VL.", k.sigma)
	k.oneBlock(f, "blockAVX512", k.sigma)
}

func (k *avx512) instructions(f *amd64.File) {
	k.register = k.ZMM
	k.Arithmetic = AVX512(f.Context)
	k.sigma = words(f, "sigma512", Sigma...)
	k.counters[0] = quads(f, "countersA512", 0, 1, 4, 5, 8, 9, 12, 13)
	k.counters[1] = quads(f, "countersB512", 2, 3, 6, 7, 10, 11, 14, 15)
}

const wide512 = 16 * block

type avx512 struct {
	*kernel
	*member
	sigma    Mem
	lanes    Mem    // counter increments of the four blocks in a set
	set      Mem    // counter increments from one set to the next
	counters [2]Mem // counter increments of the 16 blocks in a wide step

	rows      GPVirtual  // stack memory for the result of a wide step
	low, high VecVirtual // low and high words of a wide step's counters
}

// wideSteps emits a loop that computes 16 blocks per iteration.
func (k *avx512) wideSteps() {
	if k.rows == nil {
		k.rows = amd64.Aligned(k.Context, wide512, 64)
	}

	k.Comment("16 blocks, one in each lane; a register contains one word of all blocks.")
	x := make([]VecVirtual, 16)
	for i := range x {
		x[i] = k.ZMM()
	}
	k.begin(x)
	k.rounds("firstRounds", doubleRounds, k.wide(k.kernel, x))
	k.end(x)
	k.CMPQ(k.n, U32(2*wide512))
	k.JB(LabelRef("last"))

	k.Comment("Compute 16 blocks while the previous blocks are transposed and encrypted.")
	k.Label("wide")
	k.begin(x)
	at := k.GP64()
	k.MOVQ(k.rows, at)
	// After the rounds, the shuffles would compete for a single port.
	k.rounds("wordRounds", 4, k.wide(k.kernel, x).Spread(k.wordsOf(at)))
	k.MOVQ(k.rows, at)
	k.rounds("laneRounds", 4, k.wide(k.kernel, x).Spread(k.lanesOf(at)))
	k.rounds("lastRounds", doubleRounds-8, k.wide(k.kernel, x))
	k.end(x)
	k.SUBQ(U32(wide512), k.n)
	k.ADDQ(U32(wide512-4*block), k.src)
	k.ADDQ(U32(wide512-4*block), k.dst)
	k.CMPQ(k.n, U32(2*wide512))
	k.JAE(LabelRef("wide"))

	k.Comment("Transpose and encrypt the last 16 blocks, which overlap with no others.")
	k.Label("last")
	k.MOVQ(k.rows, at)
	k.rounds("words", 4, k.wordsOf(at))
	k.MOVQ(k.rows, at)
	k.rounds("lanes", 4, k.lanesOf(at))
	k.SUBQ(U32(wide512), k.n)
	k.ADDQ(U32(wide512-4*block), k.src)
	k.ADDQ(U32(wide512-4*block), k.dst)

	k.Comment("Clear the keystream on the stack.")
	k.VPXORD(x[0], x[0], x[0])
	for i := range x {
		k.VMOVDQA64(x[0], Mem{Base: k.rows, Disp: 64 * i})
	}
}

func (k *avx512) initial(i int) Mem {
	return k.member.initial(i, k.sigma, Mem{Base: k.key}, k.nonce)
}

func (k *avx512) begin(x []VecVirtual) {
	// VSHUFPS changes the order of the counters, so the tables compensate for it.
	k.low, k.high = k.ZMM(), k.ZMM()
	first, second := k.ZMM(), k.ZMM()
	k.VPBROADCASTQ(k.kernel.counter, second)
	k.VPADDQ(k.counters[0], second, first)
	k.VPADDQ(k.counters[1], second, second)
	k.VSHUFPS(U8(0x88), second, first, k.low)
	k.VSHUFPS(U8(0xdd), second, first, k.high)
	k.ADDQ(U8(16), k.kernel.counter)
	for i := range x {
		switch i {
		case k.member.counter()[0]:
			k.VMOVDQA64(k.low, x[i])
		case k.member.counter()[1]:
			k.VMOVDQA64(k.high, x[i])
		default:
			k.VPBROADCASTD(k.initial(i), x[i])
		}
	}
}

func (k *avx512) end(x []VecVirtual) {
	for i := range x {
		switch i {
		case k.member.counter()[0]:
			k.VPADDD(k.low, x[i], x[i])
		case k.member.counter()[1]:
			k.VPADDD(k.high, x[i], x[i])
		default:
			k.VPADDD_BCST(k.initial(i), x[i], x[i])
		}
		k.VMOVDQA64(x[i], Mem{Base: k.rows, Disp: 64 * i})
	}
}

// wordsOf returns code that transposes the words of four vectors at p.
func (k *avx512) wordsOf(p GPVirtual) amd64.Code {
	r := [4]VecVirtual{k.ZMM(), k.ZMM(), k.ZMM(), k.ZMM()}
	slot := func(i int) Mem { return Mem{Base: p, Disp: 64 * i} }
	var c amd64.Code
	for i := range r {
		c = append(c, func() { k.VMOVDQA64(slot(i), r[i]) })
	}
	transpose, out, _ := TransposeWords(k.Context, r[:], [2]VecVirtual{k.ZMM(), k.ZMM()})
	c = append(c, transpose...)
	for i := range out {
		c = append(c, func() { k.VMOVDQA64(out[i], slot(i)) })
	}
	return append(c, func() { k.ADDQ(U32(4*64), p) })
}

// lanesOf returns code that encrypts every fourth of 16 blocks.
func (k *avx512) lanesOf(p GPVirtual) amd64.Code {
	r := [4]VecVirtual{k.ZMM(), k.ZMM(), k.ZMM(), k.ZMM()}
	var c amd64.Code
	for i := range r {
		c = append(c, func() { k.VMOVDQA64(Mem{Base: p, Disp: 4 * 64 * i}, r[i]) })
	}
	transpose, out := k.transposeLanes(r[0], r[1], r[2], r[3])
	c = append(c, transpose...)
	for l := range out {
		c = append(c,
			func() { k.VPXORD(Mem{Base: k.src, Disp: 4 * block * l}, out[l], out[l]) },
			func() { k.VMOVDQU64(out[l], Mem{Base: k.dst, Disp: 4 * block * l}) })
	}
	return append(c,
		func() { k.ADDQ(U8(64), p) },
		func() { k.ADDQ(U8(block), k.src) },
		func() { k.ADDQ(U8(block), k.dst) })
}

// transposeLanes returns code that transposes the 128-bit lanes of four vectors.
func (k *avx512) transposeLanes(a, b, c, d VecVirtual) (instructions amd64.Code, out [4]VecVirtual) {
	shuffle := func(order uint8, x, y VecVirtual) VecVirtual {
		to := k.ZMM()
		instructions = append(instructions, func() { k.VSHUFI32X4(U8(order), y, x, to) })
		return to
	}
	ab01, cd01 := shuffle(0x44, a, b), shuffle(0x44, c, d)
	out[0], out[1] = shuffle(0x88, ab01, cd01), shuffle(0xdd, ab01, cd01)
	ab23, cd23 := shuffle(0xee, a, b), shuffle(0xee, c, d)
	out[2], out[3] = shuffle(0x88, ab23, cd23), shuffle(0xdd, ab23, cd23)
	return instructions, out
}

const narrowSet = 4 * block

func (k *avx512) narrowSteps() {
	k.Comment("One to four sets of four blocks, one in each 128 bits; a register contains one row of a set.")
	k.Label("tail")
	k.TESTQ(k.n, k.n)
	k.JZ(LabelRef("done"))
	a, b, c, d := k.ZMM(), k.ZMM(), k.ZMM(), k.ZMM()
	counters, nonces := k.ZMM(), k.ZMM()
	k.VPBROADCASTQ(k.kernel.counter, counters)
	k.VPBROADCASTQ(k.nonce, nonces)
	k.VBROADCASTI32X4(k.sigma, a)
	k.VBROADCASTI32X4(Mem{Base: k.key}, b)
	k.VBROADCASTI32X4(Mem{Base: k.key, Disp: 16}, c)
	k.VPUNPCKLQDQ(nonces, counters, d)
	k.VPADDQ(k.lanes, d, d)
	out := k.ZMM()
	for sets := 2; sets <= 4; sets++ {
		k.CMPQ(k.n, U32((sets-1)*narrowSet))
		k.JBE(LabelRef(fmt.Sprintf("sets%d", sets-1)))
	}
	rows := [4]VecVirtual{a, b, c, d}
	for sets := 4; sets >= 1; sets-- {
		k.Label(fmt.Sprintf("sets%d", sets))
		k.narrowSets(sets, rows, out)
	}

	k.Comment("Encrypt the incomplete block, which may be empty.")
	k.Label("partial")
	k.TESTQ(k.n, k.n)
	k.JZ(LabelRef("done"))
	bits, mask, in := k.GP64(), k.K(), k.ZMM()
	amd64.LowestBits(k.Context, k.n, bits, mask)
	k.VMOVDQU8_Z(Mem{Base: k.src}, mask, in)
	k.VPXORD(in, out, out)
	k.VMOVDQU8(out, mask, Mem{Base: k.dst})

	k.Label("done")
	k.VZEROUPPER()
	k.RET()
}

func (k *avx512) narrowSets(sets int, rows [4]VecVirtual, out VecVirtual) {
	s := k.newNarrow(sets)
	a, b, c, ds := rows[0], rows[1], rows[2], []VecVirtual{rows[3]}
	for i := 1; i < sets; i++ {
		ds = append(ds, k.ZMM())
		k.VPADDQ(k.set, ds[i-1], ds[i])
	}
	for i := range sets {
		k.VMOVDQA64(a, s.a[i])
		k.VMOVDQA64(b, s.b[i])
		k.VMOVDQA64(c, s.c[i])
		k.VMOVDQA64(ds[i], s.d[i])
	}
	k.narrowRounds(fmt.Sprintf("narrowRounds%d", sets), s)
	for i := range sets {
		k.VPADDD(a, s.a[i], s.a[i])
		k.VPADDD(b, s.b[i], s.b[i])
		k.VPADDD(c, s.c[i], s.c[i])
		k.VPADDD(ds[i], s.d[i], s.d[i])
		transpose, streams := k.transposeLanes(s.a[i], s.b[i], s.c[i], s.d[i])
		transpose.Write()
		if i < sets-1 {
			for j, stream := range streams {
				at := i*narrowSet + j*block
				k.VPXORD(Mem{Base: k.src, Disp: at}, stream, stream)
				k.VMOVDQU64(stream, Mem{Base: k.dst, Disp: at})
			}
			continue
		}
		if i > 0 {
			k.advance(uint32(i * narrowSet))
		}
		k.lastSet(streams, sets*narrowSet == wide512, out)
	}
}

// lastSet emits code that encrypts up to four blocks with streams.
func (k *avx512) lastSet(streams [4]VecVirtual, incomplete bool, out VecVirtual) {
	for j, stream := range streams {
		// At the label partial, out holds the incomplete block's keystream.
		k.VMOVDQA64(stream, out)
		last := j+1 == len(streams)
		if last && incomplete {
			k.JMP(LabelRef("partial"))
			return
		}
		k.CMPQ(k.n, U8(block))
		k.JB(LabelRef("partial"))
		k.VPXORD(Mem{Base: k.src}, out, out)
		k.VMOVDQU64(out, Mem{Base: k.dst})
		if last {
			k.JMP(LabelRef("done"))
		} else {
			k.advance(block)
		}
	}
}
