// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/poly1305"
	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
)

type number [3]VecPhysical

// A poly generates Poly1305 in vector registers, as described in
// ../poly1305/table_ifma.go.
type poly struct {
	*kernel
	poly1305.Sums[VecPhysical]
	h     number
	x     number // the limbs of eight blocks
	t     VecPhysical
	table Mem
	text  GPVirtual
}

func (k *kernel) newPoly(r []VecPhysical) *poly {
	return &poly{
		kernel: k,
		h:      number(r),
		Sums:   poly1305.Sums[VecPhysical]{L0: r[3], L1: r[4], H1: r[5], L2: r[6], H2: r[7], H3: r[8]},
		x:      number(r[9:]),
		t:      r[12],
	}
}

// power returns the location of r^exponent in the table.
func (p *poly) power(exponent int) poly1305.Table {
	const pairs = 64*9 + 8*9
	// A table contains either r^32 or r^64.
	at := map[int]struct{ offset, stride int }{8: {0, 64}, 16: {64 * 9, 8}, 24: {pairs + 8, 16}, 32: {pairs, 16}, 64: {pairs, 16}}[exponent]
	return poly1305.Table{Base: p.table.Offset(at.offset), Stride: at.stride, Broadcast: true}
}

// load emits code that loads eight blocks and splits them into limbs.
func (p *poly) load(x number, offset int) {
	m := Mem{Base: p.text, Disp: offset}
	// Lane order: blocks 0, 4, 1, 5, 2, 6, 3 and 7.
	p.VMOVDQU64(m, x[1])
	p.VPUNPCKHQDQ(m.Offset(64), x[1], x[2])
	p.VPUNPCKLQDQ(m.Offset(64), x[1], x[0])
	// Bits 52 to 63 remain, because multiplications ignore them.
	p.VPSHRDQ(U8(52), x[2], x[0], x[1])
	p.VPSHRDQ_BCST(U8(104-64), p.one, x[2], x[2])
}

// multiplyLanes emits code that adds h·y to the sums, lane by lane.
func (p *poly) multiplyLanes() {
	p.Multiply(p.Context, p.h, poly1305.Table{Base: p.table, Stride: 64}, false)
}

func (p *poly) clear(registers ...VecPhysical) {
	for _, r := range registers {
		p.VPXORQ(r, r, r)
	}
}

func (p *poly) cut(x number) {
	p.VPANDQ_BCST(p.mask52, x[0], x[0])
	p.VPANDQ_BCST(p.mask52, x[1], x[1])
}

// carry emits code that propagates carries, without clearing bits 52 to 63.
func (p *poly) carry(x number) {
	for i := range 2 {
		p.VPSRLQ(U8(52), x[i], p.t)
		p.VPADDQ(p.t, x[i+1], x[i+1])
	}
}

func (p *poly) reduce() {
	// L2 has at most 13 terms below 2^52, and H2 has 12.
	p.VPADDQ(p.H2, p.L2, p.L2)  // below 25·2^52
	p.VPSRLQ(U8(51), p.L2, p.t) // below 50
	// H3 is below 2^30.
	p.VPMADD52LUQ_BCST(p.unit156, p.H3, p.L0)
	p.VPMADD52HUQ_BCST(p.unit156, p.H3, p.H1)
	p.VPANDQ_BCST(p.mask51, p.L2, p.h[2])
	// unit155 is 5·2^25, so this adds less than 2^33.
	p.VPMADD52LUQ_BCST(p.unit155, p.t, p.L0)
	p.VPADDQ(p.H1, p.L1, p.h[1])
	p.VMOVDQA64(p.L0, p.h[0])
	p.carry(p.h)
}

// group emits code that multiplies h by r^power and adds 8*vectors blocks.
func (p *poly) group(name string, offset, vectors, power int, add func(limb int, x VecPhysical)) {
	p.clear(p.H1, p.H2, p.H3)
	last := number{p.L0, p.L1, p.L2}
	p.load(last, offset+(vectors-1)*128)
	p.cut(last)
	for i := range vectors - 1 {
		p.load(p.x, offset+i*128)
		// add emits code that adds a number to the first eight blocks.
		first := i == 0 && add != nil
		if first {
			p.cut(p.x)
			for j, x := range p.x {
				add(j, x)
			}
			p.carry(p.x)
		}
		p.Multiply(p.Context, p.x, p.power(8*(vectors-1-i)), !first)
	}
	p.Multiply(p.Context, p.h, p.power(power), false)
	p.reduce()
	amd64.Place(p.Context, name)
}

const (
	slotH     = setBlocks // after the 16 vectors of the other set
	slotAdd   = slotH + 3
	slotCount = slotAdd + 3
)

func newSteps(f *amd64.File, c *constants, name string, behind int) *poly {
	k := newKernel(f, c, name, "func(s *message, table *uint64, dst, src, text *byte, n int)", 64*slotCount,
		name+" encrypts 2048·n bytes and adds as many bytes of text to h.",
		fmt.Sprintf("n must be at least 1. If text overlaps dst, it must begin at least %d bytes before dst or", behind),
		"at least 2048 bytes after it.")
	k.ofMessage(k.messageWord)
	return k.newPoly(zmm[18:])
}

func generateSteps(f *amd64.File, c *constants) {
	p := newSteps(f, c, "cryptAVX512IFMA", 1024)
	k := p.kernel
	load := func(name string) GPVirtual { return amd64.Load(f.Context, name) }
	dst, src, n := load("dst"), load("src"), load("n")
	p.table, p.text = Mem{Base: load("table")}, load("text")

	f.Comment("Add the accumulator to the first block. The lanes begin with zeros.")
	p.zero(slotH, slotAdd)
	limbs := poly1305.LoadLimbs(k.Context, k.GP64(), k.state.Offset(layout.MessageH))
	for i := range 3 {
		f.VMOVQ(limbs[i], zmm[i].AsX())
		f.VMOVDQA64(zmm[i], k.slot(slotAdd+i))
	}

	f.Label("step")
	k.begin(k.x, 0)
	k.begin(k.y, 1)
	prefetched := k.GP64()
	next := Mem{Base: src, Index: prefetched, Scale: 1, Disp: stepBytes + doubleRounds*fetched}
	k.MOVQ(I32(-doubleRounds*fetched), prefetched)
	k.Label("rounds")
	k.fetch(next)
	k.doubleRound(k.x, k.y).Write()
	k.ADDQ(U32(fetched), prefetched)
	k.JNZ(LabelRef("rounds"))
	p.outputs(dst, src, func(set int) {
		for i := 2 * set; i < 2*set+2; i++ {
			var add func(int, VecPhysical)
			if i == 0 {
				add = func(limb int, x VecPhysical) { k.VPADDQ(k.slot(slotAdd+limb), x, x) }
			}
			p.group(fmt.Sprintf("added%d", i), 512*i, 4, 32, add)
		}
	})
	p.zero(slotAdd, slotCount)
	p.next(n, dst, src, p.text)
	p.end()
}

// outputs emits code that encrypts two sets of blocks, interleaved with Poly1305.
func (p *poly) outputs(dst, src GPVirtual, mac func(set int)) {
	p.store(p.y, 0)
	p.fill(p.h[:], slotH)
	for set := range 2 {
		if set == 1 {
			p.fill(p.kernel.x, 0)
		}
		hash := amd64.Record(p.Context, func() { mac(set) })
		output := amd64.Record(p.Context, func() {
			p.output(set, func(i int, stream VecPhysical) {
				at := setBytes*set + block*i
				p.VPXORD(Mem{Base: src, Disp: at}, stream, stream)
				p.VMOVDQU64(stream, Mem{Base: dst, Disp: at})
			})
		})
		hash.Spread(output).Write()
	}
	p.store(p.h[:], slotH)
}

func (p *poly) next(n Op, pointers ...Op) {
	p.ADDL(U8(2*setBlocks), p.state.Offset(layout.MessageCounter))
	for _, pointer := range pointers {
		p.ADDQ(U32(stepBytes), pointer)
	}
	p.DECQ(n)
	p.JNZ(LabelRef("step"))
}

func (p *poly) end() {
	p.Comment("Multiply each lane by its power and add the lanes.")
	p.clear(p.L0, p.L1, p.H1, p.L2, p.H2, p.H3)
	p.multiplyLanes()
	p.reduce()
	amd64.Place(p.Context, "summed")
	p.Comment("Clear the upper bits of the lower limbs, so that the sum of eight limbs fits in a word.")
	var h [3]GPVirtual
	for i, x := range p.h {
		if i < 2 {
			p.VPANDQ_BCST(p.mask52, x, x)
		}
		p.VEXTRACTI64X4(U8(1), x, p.t.AsY())
		p.VPADDQ(p.t.AsY(), x.AsY(), x.AsY())
		p.VEXTRACTI64X2(U8(1), x.AsY(), p.t.AsX())
		p.VPADDQ(p.t.AsX(), x.AsX(), x.AsX())
		p.VPSRLDQ(U8(8), x.AsX(), p.t.AsX())
		p.VPADDQ(p.t.AsX(), x.AsX(), x.AsX())
		h[i] = p.GP64()
		p.VMOVQ(x.AsX(), h[i])
	}
	poly1305.StoreLimbs(p.Context, h, p.state.Offset(layout.MessageH))

	p.Comment("Clear the other set and the accumulator on the stack.")
	p.zero(0, slotAdd)
	p.VZEROUPPER()
	p.RET()
}

const fetched = 256 // prefetched bytes per double round

func (k *kernel) fetch(next Mem) {
	for at := 0; at < fetched; at += block {
		k.PREFETCHT0(next.Offset(at))
	}
}
