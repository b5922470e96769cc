// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/aegis"
)

// A piecePair locates the current pieces of two equally long messages.
type piecePair struct {
	*kernel
	dst, src [2]GPVirtual
}

func (p piecePair) load(_ int, to VecVirtual) {
	p.VMOVDQU(Mem{Base: p.src[0]}, to.AsY())
	p.VINSERTI64X4(U8(1), Mem{Base: p.src[1]}, to, to)
}

func (p piecePair) store(_ int, from VecVirtual) {
	p.VMOVDQU(from.AsY(), Mem{Base: p.dst[0]})
	p.VEXTRACTI64X4(U8(1), from, Mem{Base: p.dst[1]})
}

func (k *kernel) second(from Mem, to Op) {
	y := k.YMM()
	k.VBROADCASTI128(from, y)
	k.VINSERTI64X4(U8(1), y, to, to)
}

// generatePair emits a function that encrypts or decrypts two messages at once.
func (k *kernel) generatePair(f *amd64.File, name string) {
	f.Function(name, "func(m *message)", name+" encrypts or decrypts the two messages of m with AEGIS-256X2, as m.mode selects.")
	k.pair = true
	k.declare()
	k.initialize()
	// The second message uses m.to and m.from instead of m.dst and m.src.
	p := piecePair{k, [2]GPVirtual{k.field(layout.MessageDst), k.field(layout.MessageTo)}, [2]GPVirtual{k.field(layout.MessageSrc), k.field(layout.MessageFrom)}}
	n := k.field(layout.MessageN)
	// Prefetch two later messages, which the hardware prefetchers do not reach.
	ahead := k.GP64()
	k.LEAQ(Mem{Base: n, Index: n, Scale: 1}, ahead)
	k.unless(layout.ModeSeal, "open")
	for _, op := range operations[:2] {
		k.Label(op.name)
		for _, src := range p.src {
			k.PREFETCHT1(Mem{Base: src, Index: ahead, Scale: 1})
		}
		k.processPiece(op, p)
		for _, at := range []GPVirtual{p.dst[0], p.dst[1], p.src[0], p.src[1]} {
			k.ADDQ(U8(2*block), at)
		}
		k.SUBQ(U8(2*block), n)
		k.JNZ(LabelRef(op.name))
		if !op.open {
			k.JMP(LabelRef("taken"))
		}
	}
	k.Label("taken")
	k.finish(k.lengths(), "finish")
	k.pairTags()
	amd64.Place(k.Context, "stored")
	k.VZEROUPPER()
	k.RET()
}

func (k *kernel) pairTags() {
	all, second, out := k.vector(), k.YMM(), k.field(layout.MessageOut)
	k.sum(k.s, all)
	k.VEXTRACTI64X4(U8(1), all, second)
	for i, v := range []VecVirtual{all, second} {
		x := k.XMM()
		k.VEXTRACTI128(U8(1), v.AsY(), x)
		k.VPXOR(v.AsX(), x, x)
		// The second message's tag follows the first one's in memory.
		k.VMOVDQU(x, Mem{Base: out, Disp: block * i})
	}
}
