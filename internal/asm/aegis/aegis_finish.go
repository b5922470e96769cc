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
	k.finish()
	k.tags()
	k.Label("finished")
	k.unless(modeStore, "stored")
	to := k.pointer(messageTo)
	for i, s := range k.s {
		k.move(s, Mem{Base: to, Disp: word * i})
	}
	k.Label("stored")
}

// finish is Finish.
func (k *kernel) finish() {
	u, t := k.XMM(), k.vector()
	k.VMOVQ(Mem{Base: k.m, Disp: messageX}, u)
	k.VPINSRQ(U8(1), Mem{Base: k.m, Disp: messageY}, u, u)
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

// tags stores the sums of each lane, or the tag of all.
func (k *kernel) tags() {
	half := len(k.s) / 2
	low, high, all, out := k.vector(), k.vector(), k.vector(), k.field(messageOut)
	k.sum(k.s[:half], low)
	k.sum(k.s[half:half+3], high)
	k.xor(low, high, all)
	if half == 4 {
		k.xor(k.s[7], high, high)
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
