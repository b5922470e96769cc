// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// XORStored emits code that XORs n bytes of src with stream and writes the result to
// dst. It advances all three pointers and clobbers n.
func (k *AVX2) XORStored(label string, dst, src, n, stream GPVirtual) {
	v := []VecVirtual{k.YMM(), k.YMM()}
	xor := k.xor(dst, src, stream)
	whole := func() { xor(0, v[0]); xor(32, v[1]) }
	xorStored(k.Context, label, dst, src, n, stream, whole, func() { xor(0, v[0]) }, func() { xor(0, k.XMM()) })
}

func (k *AVX2) xor(dst, src, stream GPVirtual) func(i int, v VecVirtual) {
	return func(i int, v VecVirtual) {
		k.VMOVDQU(Mem{Base: stream, Disp: i}, v)
		k.VPXOR(Mem{Base: src, Disp: i}, v, v)
		k.VMOVDQU(v, Mem{Base: dst, Disp: i})
	}
}

// XORTail is like XORStored, but encrypts only n mod 64 bytes.
func (k *AVX2) XORTail(label string, dst, src, n, stream GPVirtual) {
	xor := k.xor(dst, src, stream)
	xorTail(k.Context, label, dst, src, n, stream, func() { xor(0, k.YMM()) }, func() { xor(0, k.XMM()) })
}

// xorStored implements XORStored with functions that encrypt 64, 32 and 16 bytes.
func xorStored(k *build.Context, label string, dst, src, n, stream GPVirtual, whole, half, quarter func()) {
	name := func(what string) LabelRef { return LabelRef(label + what) }
	k.CMPQ(n, U8(block))
	k.JB(name("Below64"))
	k.Label(label + "Blocks")
	whole()
	skip(k, block, src, dst, stream)
	k.SUBQ(U8(block), n)
	k.CMPQ(n, U8(block))
	k.JAE(name("Blocks"))
	k.Label(label + "Below64")
	xorTail(k, label, dst, src, n, stream, half, quarter)
}

// xorTail implements XORTail. half and quarter encrypt 32 and 16 bytes.
func xorTail(k *build.Context, label string, dst, src, n, stream GPVirtual, half, quarter func()) {
	name := func(what string) LabelRef { return LabelRef(label + what) }
	w, from, in, out := k.GP64(), Mem{Base: stream}, Mem{Base: src}, Mem{Base: dst}
	for _, piece := range []struct {
		size uint32
		xor  func()
	}{
		{32, half},
		{16, quarter},
		{8, func() { k.MOVQ(from, w); k.XORQ(in, w); k.MOVQ(w, out) }},
		{4, func() { k.MOVL(from, w.As32()); k.XORL(in, w.As32()); k.MOVL(w.As32(), out) }},
		{2, func() { k.MOVWLZX(from, w.As32()); k.XORW(in, w.As16()); k.MOVW(w.As16(), out) }},
		{1, func() { k.MOVBLZX(from, w.As32()); k.XORB(in, w.As8()); k.MOVB(w.As8(), out) }},
	} {
		k.TESTQ(U32(piece.size), n)
		k.JZ(name(fmt.Sprintf("Skip%d", piece.size)))
		piece.xor()
		skip(k, piece.size, src, dst, stream)
		k.Label(string(name(fmt.Sprintf("Skip%d", piece.size))))
	}
}

func skip(k *build.Context, n uint32, pointers ...GPVirtual) {
	for _, p := range pointers {
		k.ADDQ(U32(n), p)
	}
}

func (k *AVX2) Wipe(from, to int) {
	zero := k.YMM()
	k.VPXOR(zero, zero, zero)
	for at := from; at < to; at += 32 {
		k.VMOVDQA(zero, k.at(at))
	}
}

func generateAVX2(f *amd64.File) {
	k := NewAVX2(f)
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
	for sets := 1; sets <= 3; sets++ {
		k.CMPQ(x.n, U32(sets*setSize))
		k.JBE(LabelRef(fmt.Sprintf("narrow%d", 2*sets)))
	}
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
	k.JMP(LabelRef("xor"))
	for sets := 3; sets >= 1; sets-- {
		k.Label(fmt.Sprintf("narrow%d", 2*sets))
		k.Narrow(fmt.Sprintf("narrowRounds%d", 2*sets), sets, nil)
		if sets > 1 {
			k.JMP(LabelRef("xor"))
		}
	}
	k.Label("xor")
	k.LEAQ(k.KeyStream(0, 0), stream)
	k.XORStored("narrow", x.dst, x.src, x.n, stream)
	k.Label("wipe")
	k.Wipe(KeyStreamAt, KeyStreamAt+wideSize)
	k.Label("done")
	k.VZEROUPPER()
	k.RET()

	x.Xor, x.Rotate = k.Xor, k.rotate(k.XMM)
	x.hChaCha20(f, "hChaCha20AVX2", "hChaCha20AVX2 is hChaCha20Generic for AVX2.", k.Sigma)
	generateStatesAVX2(f, k)
}

func (k *AVX2) ofKernel(x *kernel) {
	k.Initial = func(i int) Mem { return k.member.initial(i, k.Sigma, Mem{Base: x.key}, x.nonce) }
	counter := k.AllocLocal(8)
	k.MOVQ(x.counter, counter)
	k.Counter = func() Mem { return counter }
	k.Loop = func(label string, doubleRound func() amd64.Code) {
		x.rounds(label, doubleRounds, doubleRound())
	}
}

// Direct returns a sink whose code stores src XOR v at dst.
func (k *AVX2) Direct(dst, src GPVirtual) func(block, half int, v VecVirtual) {
	return func(block, half int, v VecVirtual) {
		at := 64*block + 32*half
		k.VPXOR(Mem{Base: src, Disp: at}, v, v)
		k.VMOVDQU(v, Mem{Base: dst, Disp: at})
	}
}
