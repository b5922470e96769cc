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

// Processors such as Zen 4 split 512-bit instructions into halves, so the rounds fully
// occupy the vector units. Scalar code therefore hashes the first 40 of every 64
// Poly1305 blocks during the rounds, and vectors hash the other 24 after the rounds.
// Two scalar chains overlap, because a single chain would take longer than the rounds.
//
// The result of a chain is added to the first block that the vectors hash. The vectors
// multiply h by r^64, which replaces r^32 in the table.
const (
	halfBytes    = stepBytes / 2
	roundBlocks  = 4 // number of blocks that a chain hashes in a double round
	chainBytes   = 16 * roundBlocks * doubleRounds
	chainVectors = (halfBytes - chainBytes) / 128
	behindHalved = halfBytes + chainBytes // the code reads this much text before it stores any of dst
)

// multiplySum emits code that computes h = (h + block)·r.
func (p *scalar) multiplySum(block Mem) {
	h0, h1, h2 := p.h[0], p.h[1], p.h[2]
	hi0, lo1, hi1, b, lo, hi, t := p.GP64(), p.GP64(), p.GP64(), p.GP64(), p.GP64(), p.GP64(), p.GP64()
	p.ADDQ(block, h0)
	p.ADCQ(block.Offset(8), h1)
	p.ADCQ(U8(1), h2)
	p.MOVQ(h0, RDX)
	p.MULXQ(p.r0, h0, hi0)
	p.MULXQ(p.r1, lo1, hi1)
	p.MOVQ(h1, RDX)
	p.MULXQ(p.r0, h1, b)
	p.MOVQ(h2, t)
	p.IMULQ(p.r0, h2)
	p.ADDQ(lo1, h1)
	p.ADCQ(hi1, b)
	p.MULXQ(p.q, lo, hi)
	p.IMULQ(p.q, t)
	p.ADDQ(lo, h0)
	p.ADCQ(hi, hi0)
	poly1305.Product{H: p.h, Lo0: h0, Hi0: hi0, Lo1: h1, Hi1: b, Rest: t, Over: lo}.Fold(p.Context, false)
}

// storeLimbs emits code that stores h as 52-bit limbs and clears h.
func (p *scalar) storeLimbs(to Mem) {
	h, mask, t := p.h, p.GP64(), p.GP64()
	p.MOVQ(U64(1<<52-1), mask)
	p.MOVQ(h[0], t)
	p.ANDQ(mask, t)
	p.MOVQ(t, to)
	p.SHRQ(U8(52), h[1], h[0])
	p.ANDQ(mask, h[0])
	p.MOVQ(h[0], to.Offset(8))
	p.SHRQ(U8(40), h[2], h[1])
	p.MOVQ(h[1], to.Offset(16))
	for _, x := range h {
		p.XORL(x.As32(), x.As32())
	}
}

// generateHalvedSteps emits cryptHalvedAVX512IFMA, which keeps most pointers in memory.
func generateHalvedSteps(f *amd64.File, c *constants) {
	p := newSteps(f, c, "cryptHalvedAVX512IFMA", behindHalved)
	k := p.kernel
	stackAt, fetch, left, secret := f.AllocLocal(8), f.AllocLocal(8), f.AllocLocal(8), f.AllocLocal(9*8)
	r0, r1, q := secret, secret.Offset(8), secret.Offset(16)
	f.MOVQ(k.stack.Base, stackAt)
	t := f.GP64()
	f.MOVQ(k.state.Offset(layout.MessageR), t)
	f.MOVQ(t, r0)
	f.MOVQ(k.state.Offset(layout.MessageR+8), t)
	storeR1(f.Context, t, r1, q)
	var chains [2]*scalar
	for i := range chains {
		chains[i] = &scalar{Context: f.Context, h: poly1305.Words{f.GP64(), f.GP64(), f.GP64()}, r0: r0, r1: r1, q: q}
	}
	for i := range 3 {
		f.MOVQ(k.state.Offset(layout.MessageH+8*i), chains[0].h[i])
		f.XORL(chains[1].h[i].As32(), chains[1].h[i].As32())
	}
	p.zero(slotH, slotAdd)
	load := func(name string) GPVirtual { return amd64.Load(f.Context, name) }

	f.Label("step")
	k.state.Base = load("s")
	k.begin(k.x, 0)
	k.begin(k.y, 1)
	next := load("src")
	f.ADDQ(U32(stepBytes), next)
	f.MOVQ(next, fetch)
	f.MOVQ(U32(doubleRounds), left)
	text := load("text")
	f.Label("rounds")
	k.chained(chains, text, fetch).Spread(k.doubleRound(k.x, k.y)).Write()
	f.ADDQ(U8(16*roundBlocks), text)
	f.DECQ(left)
	f.JNZ(LabelRef("rounds"))

	p.text = load("text")
	limbs := [2]Mem{secret.Offset(24), secret.Offset(48)}
	for i, chain := range chains {
		chain.storeLimbs(limbs[i])
	}
	k.stack.Base = f.GP64()
	f.MOVQ(stackAt, k.stack.Base)
	k.state.Base, p.table = load("s"), Mem{Base: load("table")}
	p.outputs(load("dst"), load("src"), func(set int) {
		add := func(limb int, x VecPhysical) {
			p.VMOVQ(limbs[set].Offset(8*limb), p.t.AsX())
			p.VPADDQ(p.t, x, x)
		}
		p.group(fmt.Sprintf("added%d", set), halfBytes*set+chainBytes, chainVectors, 64, add)
	})
	p.next(p.argument("n"), p.argument("dst"), p.argument("src"), p.argument("text"))
	f.VPXORQ(Z0, Z0, Z0)
	f.VMOVDQU64(Z0, secret)
	f.VMOVDQU64(Z0, secret.Offset(8))
	p.end()
}

func (k *kernel) chained(chains [2]*scalar, text GPVirtual, fetch Mem) amd64.Code {
	return amd64.Record(k.Context, func() {
		next := k.GP64()
		k.MOVQ(fetch, next)
		k.fetch(Mem{Base: next})
		k.ADDQ(U32(fetched), fetch)
		for j := range roundBlocks {
			for i, chain := range chains {
				chain.multiplySum(Mem{Base: text, Disp: halfBytes*i + 16*j})
				amd64.Place(k.Context, fmt.Sprintf("chain%dBlock%d", i, j))
			}
		}
	})
}
