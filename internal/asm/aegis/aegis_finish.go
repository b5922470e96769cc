// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// end finishes, and stores the tag, or the sums of which tags are made, and the state.
func (k *kernel) end() {
	k.unless(modeSums|modeTag, "finished")
	u := k.lengths()
	if k.lanes == 2 {
		k.Label("again")
	}
	k.finish(u)
	k.tags(u)
	k.Label("finished")
	k.unless(modeStore, "stored")
	to := k.pointer(messageTo)
	for i, s := range k.s {
		k.move(s, Mem{Base: to, Disp: word * i})
	}
	k.Label("stored")
}

// lengths returns the block that Finish takes.
func (k *kernel) lengths() VecVirtual {
	u := k.XMM()
	k.VMOVQ(Mem{Base: k.m, Disp: messageX}, u)
	k.VPINSRQ(U8(1), Mem{Base: k.m, Disp: messageY}, u, u)
	return u
}

// finish is Finish.
func (k *kernel) finish(u VecVirtual) {
	t := k.vector()
	switch k.lanes {
	case 2:
		k.VINSERTI128(U8(1), u, u.AsY(), u.AsY())
	case 4:
		k.VSHUFI64X2(U8(0), u.AsZ(), u.AsZ(), u.AsZ())
	}
	k.xor(map[int]Op{1: u, 2: u.AsY(), 4: u.AsZ()}[k.lanes], k.s[k.family.finish], t)
	left := k.GP64()
	k.MOVQ(U32(7), left)
	k.Label("finish")
	add := map[int]Op{}
	for _, at := range k.family.inputs {
		add[at] = t
	}
	k.update(add, nil)
	k.DECQ(left)
	k.JNZ(LabelRef("finish"))
}

// tags stores the sums of each lane, or the tag of all, or goes back to finish with what a code is made of.
func (k *kernel) tags(u VecVirtual) {
	half := len(k.s) / 2
	low, high, all, out := k.vector(), k.vector(), k.vector(), k.field(messageOut)
	k.sum(k.s[:half], low)
	k.sum(k.s[half:half+3], high)
	k.xor(low, high, all)
	if half == 4 {
		k.xor(k.s[7], high, high)
	}
	if k.lanes == 2 {
		k.code(u, low, high, all)
	}
	k.unless(modeSums, "tags")
	if k.lanes < 4 {
		k.ADDQ(k.at, out)
	}
	for i, v := range []VecVirtual{low, high, all} {
		k.move(v, Mem{Base: out, Disp: word * i})
	}
	k.JMP(LabelRef("finished"))
	k.Label("tags")
	k.CMPQ(Mem{Base: k.m, Disp: messageSize}, U8(block))
	k.JEQ(LabelRef("tag128"))
	k.VMOVDQU(k.fold(low), Mem{Base: out})
	k.VMOVDQU(k.fold(high), Mem{Base: out, Disp: block})
	k.JMP(LabelRef("finished"))
	k.Label("tag128")
	k.VMOVDQU(k.fold(all), Mem{Base: out})
}

// code has lane 0 absorb the tags of the lanes and finish again, for a code; then there is nothing in the
// sums of other lanes. Its own tag is absorbed only where two make a piece.
func (k *kernel) code(u, low, high, all VecVirtual) {
	k.unless(modeCode|modeLane, "lanes")
	k.unless(modeCode, "lane")
	k.XORQ(U32(modeCode|modeLane), k.mode)
	second := func(of VecVirtual) { k.VEXTRACTI128(U8(1), of, of.AsX()) }
	m := []VecVirtual{low, high}
	k.CMPQ(Mem{Base: k.m, Disp: messageSize}, U8(block))
	k.JEQ(LabelRef("code128"))
	second(low)
	second(high)
	if k.family.words() == 1 {
		k.update(map[int]Op{0: low}, nil)
		m = []VecVirtual{high}
	}
	k.JMP(LabelRef("absorb"))
	k.Label("code128")
	if k.family.words() == 2 {
		k.move(all, low)
	}
	k.VEXTRACTI128(U8(1), all, high.AsX())
	k.Label("absorb")
	add := map[int]Op{}
	for i, at := range k.family.inputs {
		add[at] = m[i]
	}
	k.update(add, nil)
	lanes := k.GP64()
	k.MOVQ(U32(k.lanes), lanes)
	k.VPINSRQ(U8(0), lanes, u, u)
	k.JMP(LabelRef("again"))
	k.Label("lane")
	for _, v := range []VecVirtual{low, high, all} {
		k.VMOVDQU(v.AsX(), v.AsX())
	}
	k.Label("lanes")
}

// fold returns the sum of the lanes of v.
func (k *kernel) fold(v VecVirtual) VecVirtual {
	if k.lanes == 1 {
		return v
	}
	x, y := v.AsX(), k.YMM()
	if k.lanes == 4 {
		k.VEXTRACTI64X4(U8(1), v, y)
		k.VPXOR(y, v.AsY(), v.AsY())
	}
	k.VEXTRACTI128(U8(1), v.AsY(), y.AsX())
	k.VPXOR(y.AsX(), x, x)
	return x.(VecVirtual)
}

// sum adds vectors.
func (k *kernel) sum(of []VecVirtual, to VecVirtual) {
	k.xor(of[0], of[1], to)
	for _, v := range of[2:] {
		k.xor(v, to, to)
	}
}
