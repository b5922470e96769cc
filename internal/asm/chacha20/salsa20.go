// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// Salsa20AMD64 returns internal/salsa20/salsa20_amd64.s and its Go declarations.
func Salsa20AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("salsa20")
	generateSalsaAVX2(f)
	generateSalsaAVX512(f)
	return f.Bytes("internal/asm/chacha20")
}

// salsaQuads lists the quarter rounds of a column and a row round.
var salsaQuads = [2][4][4]int{
	{{0, 4, 8, 12}, {5, 9, 13, 1}, {10, 14, 2, 6}, {15, 3, 7, 11}},
	{{0, 1, 2, 3}, {5, 6, 7, 4}, {10, 11, 8, 9}, {15, 12, 13, 14}},
}

// salsaSteps lists a quarter round's steps: word[to] ^= (word[x]+word[y]) <<< bits.
var salsaSteps = [4]struct {
	to, x, y int
	bits     uint8
}{{1, 0, 3, 7}, {2, 1, 0, 9}, {3, 2, 1, 13}, {0, 3, 2, 18}}

func salsaDoubleRound(k *kernel, x []VecVirtual) (out amd64.Code) {
	for _, quads := range salsaQuads {
		for _, s := range salsaSteps {
			var sums [4]VecVirtual
			for i := range sums {
				sums[i] = k.register()
			}
			for i, q := range quads {
				out = append(out, func() { k.VPADDD(x[q[s.x]], x[q[s.y]], sums[i]) })
			}
			for i := range quads {
				out = append(out, func() { k.Rotate(sums[i], s.bits) })
			}
			for i, q := range quads {
				out = append(out, func() { k.Xor(sums[i], x[q[s.to]], x[q[s.to]]) })
			}
		}
	}
	return out
}

func generateSalsaAVX512(f *amd64.File) {
	k := &avx512{kernel: newKernel(f, "xorAVX512", "xorAVX512 is xorGeneric for AVX-512 F and BW, for at most 64 KiB."), member: salsaMember}
	k.Attributes(0) // large frames need the stack check that NOSPLIT would omit
	k.instructions(f)
	k.rows = amd64.Aligned(k.Context, wide512, 64)
	k.CMPQ(k.n, U32(wide512))
	k.JB(LabelRef("tail"))
	k.wideSteps()

	k.Comment("Compute 16 blocks of keystream for fewer bytes.")
	k.Label("tail")
	k.TESTQ(k.n, k.n)
	k.JZ(LabelRef("done"))
	x := make([]VecVirtual, 16)
	for i := range x {
		x[i] = k.ZMM()
	}
	at := k.GP64()
	k.begin(x)
	k.rounds("tailRounds", doubleRounds, k.member.wide(k.kernel, x))
	k.end(x)
	k.MOVQ(k.rows, at)
	k.rounds("tailWords", 4, k.wordsOf(at))
	k.MOVQ(k.rows, at)
	k.rounds("tailLanes", 4, k.streamsOf(at))
	k.xorRows()
	k.Label("done")
	k.VZEROUPPER()
	k.RET()
}

// streamsOf is like lanesOf, but replaces the four vectors with keystream.
func (k *avx512) streamsOf(p GPVirtual) amd64.Code {
	r := [4]VecVirtual{k.ZMM(), k.ZMM(), k.ZMM(), k.ZMM()}
	slot := func(i int) Mem { return Mem{Base: p, Disp: 4 * 64 * i} }
	var c amd64.Code
	for i := range r {
		c = append(c, func() { k.VMOVDQA64(slot(i), r[i]) })
	}
	transpose, out := k.transposeLanes(r[0], r[1], r[2], r[3])
	c = append(c, transpose...)
	for l := range out {
		c = append(c, func() { k.VMOVDQA64(out[l], slot(l)) })
	}
	return append(c, func() { k.ADDQ(U8(64), p) })
}

func (k *avx512) xorRows() {
	at, bits := k.GP64(), k.GP64()
	mask, stream, text := k.K(), k.ZMM(), k.ZMM()
	k.MOVQ(k.rows, at)
	k.CMPQ(k.n, U8(block))
	k.JB(LabelRef("part"))
	k.Label("blocks")
	k.VMOVDQU64(Mem{Base: k.src}, text)
	k.VPXORD(Mem{Base: at}, text, text)
	k.VMOVDQU64(text, Mem{Base: k.dst})
	k.advance(block)
	k.ADDQ(U8(block), at)
	k.CMPQ(k.n, U8(block))
	k.JAE(LabelRef("blocks"))
	k.Label("part")
	k.TESTQ(k.n, k.n)
	k.JZ(LabelRef("wipe"))
	amd64.LowestBits(k.Context, k.n, bits, mask)
	k.VMOVDQU8_Z(Mem{Base: k.src}, mask, text)
	k.VMOVDQA64(Mem{Base: at}, stream)
	k.VPXORD(stream, text, text)
	k.VMOVDQU8(text, mask, Mem{Base: k.dst})
	k.Label("wipe")
	zero := k.ZMM()
	k.VPXORD(zero, zero, zero)
	for i := range 16 {
		k.VMOVDQA64(zero, Mem{Base: k.rows, Disp: 64 * i})
	}
}

func generateSalsaAVX2(f *amd64.File) {
	k := NewAVX2(f)
	k.member = salsaMember
	x := newKernel(f, "xorAVX2", "xorAVX2 is xorGeneric for AVX2, for at most 64 KiB.")
	f.Attributes(0) // large frames need the stack check that NOSPLIT would omit
	k.Begin(f.Context, avx2Size)
	k.ofKernel(x)
	k.CMPQ(x.n, U32(2*wideSize))
	k.JB(LabelRef("tail"))
	k.Label("wide16")
	k.Wide("rounds16", 2, k.Direct(x.dst, x.src))
	k.Count(16)
	x.advance(2 * wideSize)
	k.CMPQ(x.n, U32(2*wideSize))
	k.JAE(LabelRef("wide16"))
	k.WipeRows(2)
	k.Label("tail")
	k.TESTQ(x.n, x.n)
	k.JZ(LabelRef("done"))
	k.CMPQ(x.n, U32(wideSize))
	k.JBE(LabelRef("last8"))
	k.Wide("lastRounds16", 2, k.Store)
	k.WipeRows(2)
	stream := k.GP64()
	k.LEAQ(k.KeyStream(0, 0), stream)
	k.XORStored("wide", x.dst, x.src, x.n, stream)
	k.Wipe(KeyStreamAt+wideSize, KeyStreamAt+2*wideSize)
	k.JMP(LabelRef("wipe"))
	k.Label("last8")
	k.Wide("rounds8", 1, k.Store)
	k.WipeRows(1)
	k.LEAQ(k.KeyStream(0, 0), stream)
	k.XORStored("single", x.dst, x.src, x.n, stream)
	k.Label("wipe")
	k.Wipe(KeyStreamAt, KeyStreamAt+wideSize)
	k.Label("done")
	k.VZEROUPPER()
	k.RET()
}

// salsaWideDoubleRound returns a double round that keeps all words in memory.
func (k *AVX2) salsaWideDoubleRound(home [][16]Op) (out amd64.Code) {
	var registers [2][5]VecVirtual
	for i := range registers {
		for j := range registers[i] {
			registers[i][j] = k.YMM()
		}
	}
	for _, quads := range salsaQuads {
		for i := 0; i < len(quads); i += 2 {
			for _, words := range home {
				a := k.salsaQuarterRound(words, quads[i], registers[0])
				b := k.salsaQuarterRound(words, quads[i+1], registers[1])
				for j := range a {
					out = append(out, a[j], b[j])
				}
			}
		}
	}
	return out
}

func (k *AVX2) salsaQuarterRound(words [16]Op, quad [4]int, r [5]VecVirtual) (out amd64.Code) {
	now := [4]Op{words[quad[0]], words[quad[1]], words[quad[2]], r[0]} // location of each word
	out = append(out, func() { k.VMOVDQA(words[quad[3]], r[0]) })
	for i, s := range salsaSteps {
		sum, other := []VecVirtual{r[1], r[2], r[3], r[1]}[i], r[4]
		x, y, old := now[s.x], now[s.y], now[s.to]
		if _, inMemory := y.(Mem); inMemory { // only the first operand may be in memory
			x, y = y, x
		}
		out = append(out,
			func() { k.VPADDD(x, y, sum) },
			func() { k.VPSLLD(U8(s.bits), sum, other) },
			func() { k.VPSRLD(U8(32-s.bits), sum, sum) },
			func() { k.VPOR(other, sum, sum) },
			func() { k.VPXOR(old, sum, sum) },
			func() { k.VMOVDQA(sum, words[quad[s.to]]) })
		now[s.to] = sum
	}
	return out
}
