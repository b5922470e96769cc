// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
)

// The batch kernels process 16 packets, one per lane. Poly1305 processes 8 packets at a
// time, each with its own r.
//
// The data to hash is first copied to one row of memory per packet. All rows end at the
// same position, so that all packets finish together. Blocks before a packet's first
// are zero and leave its accumulator zero.
//
// Unpacking 32-bit words to 64 bits puts packets 0, 1, 4, 5, 8, 9, 12 and 13 into one
// register and the other packets into a second register.

// ofPackets assigns one packet to each lane, by setting k.load and k.add.
func (k *kernel) ofPackets(counters *Mem) {
	initial := func(i int) Mem { return k.state.Offset(layout.LanesInitial + 64*i) }
	// Word 12 is the block counter, to which counters adds an offset.
	count := func(set, i int, x VecPhysical) {
		if i == 12 && counters != nil {
			k.VPADDD_BCST(counters.Offset(4*set), x, x)
		}
	}
	k.load = func(set, i int, x VecPhysical) {
		k.VMOVDQU64(initial(i), x)
		count(set, i, x)
	}
	k.add = func(set, i int, x VecPhysical) {
		k.VPADDD(initial(i), x, x)
		count(set, i, x)
	}
}

func generateSubkeys(f *amd64.File, c *constants) {
	k := newKernel(f, c, "hChaCha20LanesAVX512IFMA", "func(s *lanes)", 0,
		"hChaCha20LanesAVX512IFMA replaces the key in each initial state with HChaCha20 of the state.")
	k.ofPackets(nil)
	k.begin(k.x, 0)
	k.repeat("rounds", k.doubleRound(k.x))
	for i := range 4 {
		f.VMOVDQU64(k.x[i], k.state.Offset(layout.LanesInitial+64*(4+i)))
		f.VMOVDQU64(k.x[12+i], k.state.Offset(layout.LanesInitial+64*(8+i)))
	}
	f.VZEROUPPER()
	f.RET()
}

func generateBlockLanes(f *amd64.File, c *constants) {
	k := newKernel(f, c, "blockLanesAVX512IFMA", "func(s *lanes)", 0,
		"blockLanesAVX512IFMA computes the keystream block of each initial state.")
	k.ofPackets(nil)
	k.begin(k.x, 0)
	k.repeat("rounds", k.doubleRound(k.x))
	for i, x := range k.x {
		k.add(0, i, x)
		f.VMOVDQU64(x, k.state.Offset(layout.LanesOut+64*i))
	}
	f.VZEROUPPER()
	f.RET()
}

const slotStream = setBlocks // after the 16 vectors of the other set

func generateTexts(f *amd64.File, c *constants) {
	const slotCounters = slotStream + setBlocks
	k := newKernel(f, c, "xorLanesAVX512IFMA", "func(s *lanes, first, blocks, open int)", 64*(slotCounters+1),
		"xorLanesAVX512IFMA encrypts or decrypts the packets, beginning with block 1. blocks is the",
		"number of blocks in the longest packet, including block 0. It copies the ciphertexts to the",
		"rows: the output if open is 0, and the input if open is 1. If first is 0 instead of 1, it",
		"also computes the blocks 0 and stores their first 32 bytes.")
	first, blocks, open := amd64.Load(f.Context, "first"), amd64.Load(f.Context, "blocks"), amd64.Load(f.Context, "open")
	counters := k.slot(slotCounters)
	k.ofPackets(&counters)
	f.NEGQ(open)
	f.KMOVQ(open, K2)
	number, offset := f.GP64(), f.GP64()
	f.MOVQ(first, number)
	f.MOVQ(first, offset) // offset in each text of the first set's block
	f.SHLQ(U8(6), offset)
	f.SUBQ(U8(block), offset)

	f.Label("pass")
	next := f.GP64()
	f.LEAQ(Mem{Base: number, Disp: 1}, next)
	f.MOVL(number.As32(), counters)
	f.MOVL(next.As32(), counters.Offset(4))
	k.begin(k.x, 0)
	k.begin(k.y, 1)
	k.repeat("rounds", k.doubleRound(k.x, k.y))
	k.store(k.y, 0)
	f.TESTQ(number, number)
	f.JNZ(LabelRef("text"))
	f.Comment("Store the Poly1305 keys in lanes, without transposing them.")
	for i := range 8 {
		k.add(0, i, k.x[i])
		f.VMOVDQU64(k.x[i], k.state.Offset(layout.LanesPolyKey+64*i))
	}
	f.JMP(LabelRef("second"))
	f.Label("text")
	k.crypt("first", 0, offset)
	f.Label("second")
	f.ADDQ(U8(block), offset)
	k.fill(k.x, 0)
	k.crypt("second", 1, offset)
	f.ADDQ(U8(block), offset)
	f.ADDQ(U8(2), number)
	f.CMPQ(number, blocks)
	f.JB(LabelRef("pass"))

	f.Comment("Clear the keystream and the state on the stack.")
	k.zero(0, slotCounters)
	f.VZEROUPPER()
	f.RET()
}

// crypt emits code that encrypts one block of each packet.
func (k *kernel) crypt(name string, set int, offset GPVirtual) {
	// Complete the keystream blocks in k.x.
	k.output(set, func(i int, stream VecPhysical) { k.VMOVDQA64(stream, k.slot(slotStream+i)) })
	label := func(s string) string { return name + s }
	i, at := k.GP64(), k.GP64()
	k.XORQ(i, i)
	k.LEAQ(k.slot(slotStream), at)
	argument := func(disp int) Mem { return Mem{Base: k.state.Base, Index: i, Scale: 8, Disp: disp} }
	text := func(p GPVirtual) Mem { return Mem{Base: p, Index: offset, Scale: 1} }

	k.Label(label("Lane"))
	left, dst, src, row := k.GP64(), k.GP64(), k.GP64(), k.GP64()
	k.MOVQ(argument(layout.LanesLength), left)
	k.SUBQ(offset, left)
	k.JLE(LabelRef(label("Next")))
	k.MOVQ(argument(layout.LanesDst), dst)
	k.MOVQ(argument(layout.LanesSrc), src)
	k.MOVQ(argument(layout.LanesRowAt), row)
	k.ADDQ(k.state.Base, row)
	k.CMPQ(left, U8(block))
	k.JB(LabelRef(label("Partial")))
	k.VMOVDQU64(text(src), Z0)
	k.VPXORQ(Mem{Base: at}, Z0, Z1)
	k.VMOVDQU64(Z1, text(dst))
	k.VMOVDQA64(Z0, K2, Z1)
	k.VMOVDQU64(Z1, text(row))
	k.Label(label("Next"))
	k.ADDQ(U8(block), at)
	k.INCQ(i)
	k.CMPQ(i, U8(setBlocks))
	k.JB(LabelRef(label("Lane")))
	k.JMP(LabelRef(label("Done")))

	k.Comment("Encrypt an incomplete block, and pad it with zeros in the row.")
	k.Label(label("Partial"))
	amd64.LowestBits(k.Context, left, k.GP64(), K1)
	k.VMOVDQU8_Z(text(src), K1, Z0)
	k.VMOVDQU8_Z(Mem{Base: at}, K1, Z1)
	k.VPXORQ(Z0, Z1, Z1)
	k.VMOVDQU8(Z1, K1, text(dst))
	k.VMOVDQA64(Z0, K2, Z1)
	k.VMOVDQU64(Z1, text(row))
	k.JMP(LabelRef(label("Next")))
	k.Label(label("Done"))
}

func generateTags(f *amd64.File, c *constants) {
	k := newKernel(f, c, "tagLanesAVX512IFMA", "func(s *lanes, rows *byte, steps int)", 0,
		"tagLanesAVX512IFMA computes the tags of the last steps blocks of each row. steps must be at",
		"least 1, and rows must point to the first of these blocks in row 0. Each packet begins with",
		"the step that s.start contains.")
	at, steps := amd64.Load(f.Context, "rows"), amd64.Load(f.Context, "steps")
	sets := [2]*poly{k.newPoly(zmm[0:]), k.newPoly(zmm[13:])}
	for set, p := range sets {
		p.table = k.state.Offset(layout.LanesTable + 64*9*set)
		p.keys(set)
		p.clear(p.h[:]...)
	}
	step := zmm[30]
	f.VPXORQ(step, step, step)

	f.Comment("h = h·r + block")
	f.Label("step")
	var code [2]amd64.Code
	for set, p := range sets {
		code[set] = amd64.Record(f.Context, func() {
			p.row(at, set, step, zmm[26+2*set], zmm[27+2*set])
			p.multiplyLanes()
			p.reduce()
		})
	}
	code[0].Spread(code[1]).Write()
	f.VPADDQ_BCST(k.one, step, step)
	f.ADDQ(U8(16), at)
	f.DECQ(steps)
	f.JNZ(LabelRef("step"))

	f.Comment("Multiply the last time and add s.")
	for set, p := range sets {
		p.clear(p.L0, p.L1, p.H1, p.L2, p.H2, p.H3)
		p.multiplyLanes()
		p.reduce()
		p.tags(set)
	}
	f.Comment("Clear the table, which is secret.")
	f.VPXORQ(Z0, Z0, Z0)
	for i := range 2 * 9 {
		f.VMOVDQU64(Z0, sets[0].table.Offset(64*i))
	}
	for i := range 8 {
		f.VMOVDQU64(Z0, k.state.Offset(layout.LanesPolyKey+64*i))
	}
	f.VZEROUPPER()
	f.RET()
}

func (p *poly) words(set, word int, to VecPhysical) {
	at := p.state.Offset(layout.LanesPolyKey + 64*word)
	p.VMOVDQU64(at, to)
	if set == 0 {
		p.VPUNPCKLDQ(at.Offset(64), to, to)
	} else {
		p.VPUNPCKHDQ(at.Offset(64), to, to)
	}
}

func (p *poly) keys(set int) {
	y := number{p.x[0], p.x[1], p.x[2]}
	lo, hi := p.h[0], p.h[1]
	p.words(set, 0, lo)
	p.words(set, 2, hi)
	p.VPANDQ_BCST(p.clamp, lo, lo)
	p.VPANDQ_BCST(p.clamp.Offset(8), hi, hi)
	p.VPANDQ_BCST(p.mask52, lo, y[0])
	p.VPSHRDQ(U8(52), hi, lo, y[1])
	p.VPANDQ_BCST(p.mask52, y[1], y[1])
	p.VPSRLQ(U8(104-64), hi, y[2])
	for i := range 3 {
		if i > 0 {
			p.Comment("Multiply by 2^52: move the limbs up and add 5 times the bits above 2^130 at the bottom.")
			over, five := p.L0, p.L1
			p.VPSRLQ(U8(26), y[1], over)
			p.VPSLLQ(U8(26), y[2], five)
			p.VPADDQ(five, over, over)
			p.VPSLLQ(U8(2), over, five)
			p.VPADDQ(over, five, five)
			p.VPANDQ_BCST(p.mask26, y[1], y[2])
			p.VMOVDQA64(y[0], y[1])
			p.VMOVDQA64(five, y[0])
		}
		if i == 2 {
			p.Comment("r is below 2^124, so a limb exceeds 52 bits only now.")
			p.VPSRLQ(U8(52), y[0], p.t)
			p.VPADDQ(p.t, y[1], y[1])
			p.VPANDQ_BCST(p.mask52, y[0], y[0])
		}
		for j, v := range y {
			p.VMOVDQU64(v, p.table.Offset(64*(3*i+j)))
		}
	}
}

// row emits code that initializes the sums with each packet's next block.
func (p *poly) row(at GPVirtual, set int, step, even, odd VecPhysical) {
	p.clear(p.H1, p.H2, p.H3)
	for i, v := range []VecPhysical{even, odd} {
		for j := range 4 {
			from := Mem{Base: at, Disp: layout.RowBytes * (4*j + 2*set + i)}
			if j == 0 {
				p.VMOVDQU64(from, v.AsX())
			} else {
				p.VINSERTI64X2(U8(j), from, v, v)
			}
		}
	}
	// Only packets that have begun get a padding bit. Other lanes stay zero.
	mask := []OpmaskPhysical{K1, K2}[set]
	p.VPCMPUQ(U8(5), p.state.Offset(layout.LanesStart+64*set), step, mask) // step >= start
	p.VPBROADCASTQ_Z(p.one, mask, p.t)
	p.VPUNPCKLQDQ(odd, even, p.L0)
	p.VPUNPCKHQDQ(odd, even, p.L2)
	p.VPSHRDQ(U8(52), p.L2, p.L0, p.L1)
	p.VPSHRDQ(U8(104-64), p.t, p.L2, p.L2)
	p.cut(number{p.L0, p.L1, p.L2})
}

func (p *poly) tags(set int) {
	h, g, t := p.h, p.x, p.t
	p.cut(h)
	p.Comment("Add 5 times the bits above 2^130 at the bottom. Then h is at most 2^130 + 2^104.")
	p.VPSRLQ(U8(26), h[2], t)
	p.VPANDQ_BCST(p.mask26, h[2], h[2])
	p.VPADDQ(t, h[0], h[0])
	p.VPSLLQ(U8(2), t, t)
	p.VPADDQ(t, h[0], h[0])
	p.carry(h)
	p.cut(h)
	p.Comment("Subtract p = 2^130 - 5 from h if h is at least p.")
	amd64.Place(p.Context, fmt.Sprintf("ended%d", set))
	p.VPADDQ_BCST(p.five, h[0], g[0])
	p.VMOVDQA64(h[1], g[1])
	p.VMOVDQA64(h[2], g[2])
	p.carry(g)
	p.cut(g)
	p.VPSRLQ(U8(26), g[2], t)
	p.VPTESTMQ(t, t, K1)
	for i := range h {
		p.VMOVDQA64(g[i], K1, h[i])
	}
	p.Comment("Combine the limbs in 64-bit words and add s.")
	lo, hi := p.L0, p.L1
	p.VPSLLQ(U8(52), h[1], t)
	p.VPORQ(t, h[0], lo)
	p.VPSRLQ(U8(12), h[1], hi)
	p.VPSLLQ(U8(40), h[2], t)
	p.VPORQ(t, hi, hi)
	p.words(set, 4, g[0])
	p.words(set, 6, g[1])
	p.VPADDQ(g[0], lo, lo)
	p.VPADDQ(g[1], hi, hi)
	p.VPCMPUQ(U8(1), g[0], lo, K1) // lo < g[0] means that the addition carried
	p.VPBROADCASTQ_Z(p.one, K1, t)
	p.VPADDQ(t, hi, hi)
	p.VPUNPCKLQDQ(hi, lo, g[0])
	p.VPUNPCKHQDQ(hi, lo, g[1])
	p.VMOVDQU64(g[0], p.state.Offset(layout.LanesTags+128*set))
	p.VMOVDQU64(g[1], p.state.Offset(layout.LanesTags+128*set+64))
}
