// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/aegis"
)

// end emits code that finishes the message as mode requires.
func (k *kernel) end() {
	k.unless(layout.ModeSums|layout.ModeTag, "finished")
	u := k.lengths()
	k.finish(u, "finish")
	k.tags(u)
	k.Label("finished")
	k.unless(layout.ModeStore, "stored")
	to := k.pointer(layout.MessageTo)
	for i, s := range k.s {
		k.move(s, Mem{Base: to, Disp: word * i})
	}
	k.Label("stored")
}

func (k *kernel) lengths() VecVirtual {
	u := k.vector()
	k.VMOVQ(Mem{Base: k.m, Disp: layout.MessageX}, x(u))
	k.VPINSRQ(U8(1), Mem{Base: k.m, Disp: layout.MessageY}, x(u), x(u))
	switch k.lanes {
	case 2:
		k.VINSERTI128(U8(1), x(u), u, u)
	case 4:
		k.VSHUFI64X2(U8(0), u, u, u)
	}
	return u
}

func (k *kernel) finish(u VecVirtual, loop string) {
	t := k.vector()
	k.xor(u, k.s[k.family.finish], t)
	amd64.Loop(k.Context, loop, 7, k.GP64(), func() { k.update([]VecVirtual{t, t}) })
}

// sums holds 16-byte tags in tag128, and 32-byte tags in low and high.
type sums struct{ low, high, tag128 VecVirtual }

func (k *kernel) total(s sums) {
	half := len(k.s) / 2
	k.sum(k.s[:half], s.low)
	k.sum(k.s[half:half+3], s.high)
	k.xor(s.low, s.high, s.tag128)
	if half == 4 {
		k.xor(k.s[7], s.high, s.high)
	}
}

func (k *kernel) tags(u VecVirtual) {
	s, out := sums{k.vector(), k.vector(), k.vector()}, k.field(layout.MessageOut)
	k.total(s)
	if k.lanes > 1 {
		k.macTag(u, s)
	}
	k.unless(layout.ModeSums, "tags")
	if k.lanes < 4 {
		k.ADDQ(k.at, out)
	}
	for i, v := range []VecVirtual{s.low, s.high, s.tag128} {
		k.move(v, Mem{Base: out, Disp: word * i})
	}
	k.JMP(LabelRef("finished"))
	k.Label("tags")
	k.CMPQ(k.size, U8(block))
	k.JEQ(LabelRef("tag128"))
	k.VMOVDQU(k.xorLanes(s.low), Mem{Base: out})
	k.VMOVDQU(k.xorLanes(s.high), Mem{Base: out, Disp: block})
	k.JMP(LabelRef("finished"))
	k.Label("tag128")
	k.VMOVDQU(k.xorLanes(s.tag128), Mem{Base: out})
}

// macTag emits code that combines the tags of all lanes in lane 0.
func (k *kernel) macTag(u VecVirtual, s sums) {
	k.unless(layout.ModeCode, "lanes")
	// XMM instructions clear the other lanes, so xorLanes returns lane 0's tag.
	one, first := newKernel(k.Context, k.tables, k.family, 1), sums{x(s.low), x(s.high), x(s.tag128)}
	for _, v := range k.s {
		one.s = append(one.s, x(v))
	}
	left, lanes := k.GP64(), k.GP64()
	k.MOVQ(U32(k.lanes-1), left)
	k.CMPQ(k.size, U8(block))
	k.JNE(LabelRef("code"))
	k.shortTags(s, left)
	k.Label("code")
	k.next(s.low)
	k.next(s.high)
	one.update([]VecVirtual{first.low, first.high})
	if k.family.words() == 1 {
		k.CMPQ(k.size, U8(block))
		k.JEQ(LabelRef("coded"))
		one.update([]VecVirtual{first.high})
		k.Label("coded")
	}
	k.DECQ(left)
	k.JNZ(LabelRef("code"))
	k.MOVQ(U32(k.lanes), lanes)
	k.VPINSRQ(U8(0), lanes, x(u), x(u))
	one.finish(x(u), "finishCode")
	one.total(first)
	k.Label("lanes")
}

func x(v VecVirtual) VecVirtual { return v.AsX().(VecVirtual) }

func (k *kernel) next(v VecVirtual) {
	if k.lanes == 2 {
		k.VEXTRACTI128(U8(1), v, v.AsX())
	} else {
		k.VSHUFI64X2(U8(0x39), v, v, v)
	}
}

// shortTags emits code that moves 16-byte tags to s.low and s.high.
func (k *kernel) shortTags(s sums, left GPVirtual) {
	switch {
	case k.family.words() == 1:
		k.move(s.tag128, s.low)
		return
	case k.lanes == 2:
		k.VINSERTI128(U8(1), s.tag128.AsX(), s.tag128, s.low)
		k.move(s.tag128, s.high)
	default:
		k.VSHUFI64X2(U8(0x20), s.tag128, s.tag128, s.low)  // tags 0 and 2
		k.VSHUFI64X2(U8(0x34), s.tag128, s.tag128, s.high) // tags 1 and 3
	}
	// Each Update absorbs two tags.
	k.MOVQ(U32(k.lanes/2), left)
}

// xorLanes emits code that XORs the lanes of v into its lowest lane.
func (k *kernel) xorLanes(v VecVirtual) VecVirtual {
	if k.lanes == 1 {
		return v
	}
	first, y := x(v), k.YMM()
	if k.lanes == 4 {
		k.VEXTRACTI64X4(U8(1), v, y)
		k.VPXOR(y, v.AsY(), v.AsY())
	}
	k.VEXTRACTI128(U8(1), v.AsY(), y.AsX())
	k.VPXOR(y.AsX(), first, first)
	return first
}

func (k *kernel) sum(of []VecVirtual, to VecVirtual) {
	k.xor(of[0], of[1], to)
	for _, v := range of[2:] {
		k.xor(v, to, to)
	}
}
