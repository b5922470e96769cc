// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// generateAVX512 writes xorAVX512: 16 blocks at a wide step, and up to four sets
// of four blocks at a narrow one.
//
// A wide step has 960 instructions for the rounds, of which 320 rotate and can go
// to one port only, and 112 around them. Two ports take 512 bits, so on paper
// 1024 bytes cost 536 cycles.
func generateAVX512(f *amd64.File) {
	k := &avx512{kernel: newKernel(f, "xorAVX512", "xorAVX512 is xorPortable for AVX-512 F and BW, and at most 64 KiB.")}
	k.register = k.ZMM
	k.xor = func(a, b, to operand.Op) { k.VPXORD(a, b, to) }
	k.rotate = func(x []reg.VecVirtual, bits uint8) {
		for _, r := range x {
			k.VPROLD(operand.U8(bits), r, r)
		}
	}
	k.sigma = words(f, "sigma512", sigma...)
	k.lanes = quads(f, "lanes512", 0, 0, 1, 0, 2, 0, 3, 0)
	k.set = quads(f, "set512", 4, 0, 4, 0, 4, 0, 4, 0)
	k.counters[0] = quads(f, "countersA512", 0, 1, 4, 5, 8, 9, 12, 13)
	k.counters[1] = quads(f, "countersB512", 2, 3, 6, 7, 10, 11, 14, 15)

	k.CMPQ(k.n, operand.U32(wide512))
	k.JB(operand.LabelRef("tail"))
	k.wideStep()
	k.narrowSteps()
}

// wide512 is how many bytes a wide step takes.
const wide512 = 16 * block

type avx512 struct {
	*kernel
	sigma    operand.Mem
	lanes    operand.Mem    // what each block of a set adds to the counter, in row d
	set      operand.Mem    // what the next set adds
	counters [2]operand.Mem // what the blocks of a wide step add
}

// wideStep writes the loop over the wide steps.
func (k *avx512) wideStep() {
	k.Comment("16 blocks, one in each lane; a register holds one word of all.")
	k.Label("wide")
	x := make([]reg.VecVirtual, 16)
	for i := range x {
		x[i] = k.ZMM()
	}

	// The words of 64-bit counters part into low and high halves by one shuffle
	// each; the order of the counters makes up for that of the shuffle.
	low, high := k.ZMM(), k.ZMM()
	first, second := k.ZMM(), k.ZMM()
	k.VPBROADCASTQ(k.counter, second)
	k.VPADDQ(k.counters[0], second, first)
	k.VPADDQ(k.counters[1], second, second)
	k.VSHUFPS(operand.U8(0x88), second, first, low)
	k.VSHUFPS(operand.U8(0xdd), second, first, high)

	// initial is where word i is, for all but the counter.
	initial := func(i int) operand.Mem {
		switch {
		case i < 4:
			return k.sigma.Offset(4 * i)
		case i < 12:
			return operand.Mem{Base: k.key, Disp: 4 * (i - 4)}
		default:
			return k.nonce.Offset(4 * (i - 14))
		}
	}
	for i := range x {
		switch i {
		case 12:
			k.VMOVDQA64(low, x[i])
		case 13:
			k.VMOVDQA64(high, x[i])
		default:
			k.VPBROADCASTD(initial(i), x[i])
		}
	}
	a, b, c, d := x[:4], x[4:8], x[8:12], x[12:]
	k.rounds("wideRounds", func() {
		k.quarterRounds(a, b, c, d)
		k.quarterRounds(a, turned(b, 1), turned(c, 2), turned(d, 3))
	})
	for i := range x {
		switch i {
		case 12:
			k.VPADDD(low, x[i], x[i])
		case 13:
			k.VPADDD(high, x[i], x[i])
		default:
			k.VPADDD_BCST(initial(i), x[i], x[i])
		}
	}

	k.Comment("Transpose, and encrypt.")
	var rows [4][]reg.VecVirtual
	for i := range rows {
		rows[i] = k.transposeWords(x[4*i : 4*i+4])
	}
	for j := range 4 {
		for l, out := range k.transposeLanes(rows[0][j], rows[1][j], rows[2][j], rows[3][j]) {
			at := block * (4*l + j)
			k.VPXORD(operand.Mem{Base: k.src, Disp: at}, out, out)
			k.VMOVDQU64(out, operand.Mem{Base: k.dst, Disp: at})
		}
	}
	k.ADDQ(operand.U8(16), k.counter)
	k.advance(wide512)
	k.CMPQ(k.n, operand.U32(wide512))
	k.JAE(operand.LabelRef("wide"))
}

// transposeLanes transposes 128-bit lanes: result l has lane l of a, b, c and d.
func (k *avx512) transposeLanes(a, b, c, d reg.VecVirtual) [4]reg.VecVirtual {
	shuffle := func(order uint8, x, y reg.VecVirtual) reg.VecVirtual {
		to := k.ZMM()
		k.VSHUFI32X4(operand.U8(order), y, x, to)
		return to
	}
	ab01, ab23 := shuffle(0x44, a, b), shuffle(0xee, a, b)
	cd01, cd23 := shuffle(0x44, c, d), shuffle(0xee, c, d)
	return [4]reg.VecVirtual{
		shuffle(0x88, ab01, cd01), shuffle(0xdd, ab01, cd01),
		shuffle(0x88, ab23, cd23), shuffle(0xdd, ab23, cd23),
	}
}

// narrowSteps writes the code for fewer bytes than a wide step takes.
func (k *avx512) narrowSteps() {
	const setSize = 4 * block
	k.Comment("One to four sets of four blocks, one in each 128 bits; a register holds one row of a set.")
	k.Label("tail")
	k.TESTQ(k.n, k.n)
	k.JZ(operand.LabelRef("done"))
	a, b, c, d := k.ZMM(), k.ZMM(), k.ZMM(), k.ZMM()
	counters, nonces := k.ZMM(), k.ZMM()
	k.VPBROADCASTQ(k.counter, counters)
	k.VPBROADCASTQ(k.nonce, nonces)
	k.VBROADCASTI32X4(k.sigma, a)
	k.VBROADCASTI32X4(operand.Mem{Base: k.key}, b)
	k.VBROADCASTI32X4(operand.Mem{Base: k.key, Disp: 16}, c)
	k.VPUNPCKLQDQ(nonces, counters, d)
	k.VPADDQ(k.lanes, d, d)
	out := k.ZMM()
	for sets := 2; sets <= 4; sets++ {
		k.CMPQ(k.n, operand.U32((sets-1)*setSize))
		k.JBE(operand.LabelRef(fmt.Sprintf("sets%d", sets-1)))
	}
	for sets := 4; sets >= 1; sets-- {
		k.Label(fmt.Sprintf("sets%d", sets))
		s := k.newNarrow(sets)
		ds := []reg.VecVirtual{d}
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
			for j, stream := range k.transposeLanes(s.a[i], s.b[i], s.c[i], s.d[i]) {
				if i < sets-1 {
					at := i*setSize + j*block
					k.VPXORD(operand.Mem{Base: k.src, Disp: at}, stream, stream)
					k.VMOVDQU64(stream, operand.Mem{Base: k.dst, Disp: at})
					continue
				}
				if j == 0 && i > 0 {
					k.advance(uint32(i * setSize))
				}
				k.VMOVDQA64(stream, out)
				k.CMPQ(k.n, operand.U8(block))
				k.JB(operand.LabelRef("partial"))
				k.VPXORD(operand.Mem{Base: k.src}, out, out)
				k.VMOVDQU64(out, operand.Mem{Base: k.dst})
				k.advance(block)
			}
		}
		k.JMP(operand.LabelRef("done"))
	}

	k.Comment("A part of a block, possibly nothing.")
	k.Label("partial")
	k.TESTQ(k.n, k.n)
	k.JZ(operand.LabelRef("done"))
	bits, mask, in := k.GP64(), k.K(), k.ZMM()
	k.MOVQ(operand.I32(-1), bits)
	k.BZHIQ(k.n, bits, bits)
	k.KMOVQ(bits, mask)
	k.VMOVDQU8_Z(operand.Mem{Base: k.src}, mask, in)
	k.VPXORD(in, out, out)
	k.VMOVDQU8(out, mask, operand.Mem{Base: k.dst})

	k.Label("done")
	k.VZEROUPPER()
	k.RET()
}
