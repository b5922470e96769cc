// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/aegis"
)

// A place emits code that loads and stores the words of a piece.
type place interface {
	load(word int, to VecVirtual)
	store(word int, from VecVirtual)
}

type wholePiece struct{ *kernel }

func (w wholePiece) at(base GPVirtual, word int) Mem {
	if word == 0 {
		return Mem{Base: base}
	}
	return Mem{Base: base, Index: w.stride, Scale: 1}
}

func (w wholePiece) load(word int, to VecVirtual)    { w.move(w.at(w.src, word), to) }
func (w wholePiece) store(word int, from VecVirtual) { w.move(from, w.at(w.dst, word)) }

// A maskedPiece is an incomplete piece, accessed with one mask per word.
type maskedPiece struct {
	wholePiece
	masks []Register
}

func (m maskedPiece) load(word int, to VecVirtual) {
	m.VMOVDQU8_Z(m.at(m.src, word), m.masks[word], to)
}
func (m maskedPiece) store(word int, from VecVirtual) {
	m.VMOVDQU8(from, m.masks[word], m.at(m.dst, word))
}

func (k *kernel) masked() {
	at := maskedPiece{wholePiece: wholePiece{k}}
	for word, to := range []Register{K1, K2}[:k.family.words()] {
		bits, n := k.GP64(), k.n
		if word > 0 {
			n = k.GP64()
			zero := k.GP64()
			k.XORL(zero.As32(), zero.As32())
			k.MOVQ(k.n, n)
			k.SUBQ(k.stride, n)
			k.CMOVQCS(zero, n)
		}
		amd64.LowestBits(k.Context, n, bits, to)
		at.masks = append(at.masks, to)
	}
	k.short(at, func(from, to []VecVirtual) {
		for word, mask := range at.masks {
			k.VMOVDQU8_Z(from[word], mask, to[word])
		}
	})
}

type framedPiece struct{ *kernel }

func (f framedPiece) at(word int) Mem                 { return f.frame.Offset(block * f.lanes * word) }
func (f framedPiece) store(word int, from VecVirtual) { f.move(from, f.at(word)) }

// load emits one load per block, because wider loads would stall.
func (f framedPiece) load(word int, to VecVirtual) {
	f.broadcast(f.at(word), to)
	if f.lanes == 2 {
		f.VINSERTI128(U8(1), f.at(word).Offset(block), to, to)
	}
}

func (k *kernel) framed() {
	at := framedPiece{k}
	left, zero := k.GP64(), k.vector()
	k.MOVQ(k.n, left)
	k.SUBQ(k.at, left)
	wipe := func() {
		k.VPXOR(zero, zero, zero)
		for word := range k.family.words() {
			at.store(word, zero)
		}
	}
	wipe()
	k.copyPiece("in", k.src, left, k.copy, k.gather)
	k.short(at, func(from, to []VecVirtual) {
		ones := k.GP64() // address in masks at which one 0xff byte remains for each message byte left
		k.LEAQ(k.masks.Offset(maxRate), ones)
		k.SUBQ(k.n, ones)
		k.ADDQ(k.at, ones)
		for word := range from {
			k.VPAND(wholePiece{k}.at(ones, word), from[word], to[word])
		}
	})
	k.unless(layout.ModeSeal|layout.ModeOpen, "wipe")
	k.MOVQ(k.n, left)
	k.SUBQ(k.at, left)
	k.copyPiece("out", k.dst, left, func(to, from Mem) { k.copy(from, to) }, k.scatter)
	k.Label("wipe")
	wipe()
}

func (k *kernel) copy(from, to Mem) {
	x := k.XMM()
	k.VMOVDQU(from, x)
	k.VMOVDQU(x, to)
}

// copyPiece emits code that copies an incomplete piece to or from the frame.
func (k *kernel) copyPiece(name string, p, left GPVirtual, copyBlock func(memory, frame Mem), copyTail func(p, left GPVirtual, frame Mem)) {
	frame := k.GP64()
	k.LEAQ(k.frame, frame)
	count := k.lanes * k.family.words()
	for i := range count {
		// left must hold the number of message bytes at p.
		k.CMPQ(left, U8(block-1))
		k.JLE(LabelRef(name + "Part"))
		copyBlock(Mem{Base: p}, Mem{Base: frame})
		if i == count-1 {
			break
		}
		k.ADDQ(U8(block), frame)
		if i%k.lanes == k.lanes-1 {
			k.ADDQ(k.stride, p)
			k.SUBQ(k.stride, left)
			if k.lanes > 1 {
				k.SUBQ(U8(block), p)
				k.ADDQ(U8(block), left)
			}
		} else {
			k.ADDQ(U8(block), p)
			k.SUBQ(U8(block), left)
		}
	}
	k.JMP(LabelRef(name + "Copied"))
	k.Label(name + "Part")
	k.CMPQ(left, U8(0))
	k.JLE(LabelRef(name + "Copied"))
	copyTail(p, left, Mem{Base: frame})
	k.Label(name + "Copied")
}

func (k *kernel) skip(left GPVirtual, bit int, name string, do func()) {
	label := fmt.Sprintf("%s%d", name, bit)
	k.TESTQ(U32(bit), left)
	k.JZ(LabelRef(label))
	do()
	k.Label(label)
}

func (k *kernel) gather(p, left GPVirtual, frame Mem) {
	end, bytes, more, x := k.GP64(), k.GP64(), k.GP64(), k.XMM()
	k.LEAQ(Mem{Base: p, Index: left, Scale: 1}, end)
	k.XORL(bytes.As32(), bytes.As32())
	k.skip(left, 1, "gather", func() {
		k.DECQ(end)
		k.MOVBLZX(Mem{Base: end}, bytes.As32())
	})
	for i, load := range []func(from, to Op){k.MOVWLZX, k.MOVL} {
		k.skip(left, 2<<i, "gather", func() {
			k.SUBQ(U8(2<<i), end)
			k.SHLQ(U8(16<<i), bytes)
			load(Mem{Base: end}, more.As32())
			k.ORQ(more, bytes)
		})
	}
	k.VMOVQ(bytes, x)
	k.skip(left, 8, "gather", func() {
		k.VMOVQ(Mem{Base: p}, x)
		k.VPINSRQ(U8(1), bytes, x, x)
	})
	k.VMOVDQU(x, frame)
}

func (k *kernel) scatter(p, left GPVirtual, frame Mem) {
	bytes := RDI // unlike AX, this register has only one name for its low byte
	k.MOVQ(frame, bytes)
	k.skip(left, 8, "scatter", func() {
		k.MOVQ(bytes, Mem{Base: p})
		k.ADDQ(U8(8), p)
		k.MOVQ(frame.Offset(8), bytes)
	})
	k.skip(left, 4, "scatter", func() {
		k.MOVL(bytes.As32(), Mem{Base: p})
		k.ADDQ(U8(4), p)
		k.SHRQ(U8(32), bytes)
	})
	k.skip(left, 2, "scatter", func() {
		k.MOVW(bytes.As16(), Mem{Base: p})
		k.ADDQ(U8(2), p)
		k.SHRQ(U8(16), bytes)
	})
	k.skip(left, 1, "scatter", func() { k.MOVB(bytes.As8(), Mem{Base: p}) })
}
