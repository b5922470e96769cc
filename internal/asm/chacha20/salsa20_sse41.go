// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// The layout of the memory of Salsa20 for SSE4.1: the initial state in the wide layout, the words of
// its diagonal in between, and key stream.
const (
	diagonalAt    = 16 * 16
	salsaStreamAt = diagonalAt + 4*16
	salsaSize     = salsaStreamAt + maxSets*block
)

// generateSalsaSSE41 writes xorSSE41 of Salsa20: the wide layout of four blocks.
func generateSalsaSSE41(f *amd64.File) {
	k := &SSE41{Steps: Steps{Arithmetic: Arithmetic{Context: f.Context}}, tables128: &tables128{
		Sigma: words(f, "sigma128", Sigma...),
		next:  quads(f, "next128", 0, 1, 2, 3),
	}}
	x := newKernel(f, "xorSSE41", "xorSSE41 is xorGeneric for SSE4.1, and at most 64 KiB.")
	f.Attributes(0) // a frame this large needs the check of the stack's size that NOSPLIT leaves out
	k.Begin(f.Context, salsaSize)
	k.salsaRows(x)
	k.CMPQ(x.n, U32(maxSets*block))
	k.JB(LabelRef("tail"))
	k.Label("four")
	k.salsaWide(x, "rounds", k.Direct(x.dst, x.src))
	k.ADDQ(U8(maxSets), x.counter)
	x.advance(maxSets * block)
	k.CMPQ(x.n, U32(maxSets*block))
	k.JAE(LabelRef("four"))

	k.Label("tail")
	k.TESTQ(x.n, x.n)
	k.JZ(LabelRef("done"))
	stream := func(b, part int) Mem { return k.at(salsaStreamAt + 64*b + 16*part) }
	k.salsaWide(x, "lastRounds", func(b, part int, v VecVirtual) { k.MOVOA(v, stream(b, part)) })
	from := k.GP64()
	k.LEAQ(stream(0, 0), from)
	k.XORStored("last", x.dst, x.src, x.n, from)
	k.Label("done")
	k.Wipe(0, salsaSize)
	k.RET()
}

// salsaRows stores what is the same in all initial states.
func (k *SSE41) salsaRows(x *kernel) {
	for _, p := range []struct {
		part byte
		from Mem
	}{{'c', k.Sigma}, {'k', Mem{Base: x.key}}, {'k', Mem{Base: x.key, Disp: 16}}, {'n', x.nonce}} {
		v, first := k.XMM(), p.from.Disp/4
		if p.part == 'n' {
			k.MOVQ(p.from, v)
		} else {
			k.MOVOU(p.from, v)
		}
		for word := range 16 {
			if part, i := salsaMember.part(word); part == p.part && first <= i && i < first+4 {
				t := k.XMM()
				k.PSHUFD(U8(0x55*(i-first)), v, t)
				k.MOVOA(t, k.at(16*word))
			}
		}
	}
}

// salsaWide writes a step of four blocks, and does something with each 16 bytes of key stream. The
// words of the diagonal, of which each quarter round has one and changes it last, are in memory, so
// that two quarter rounds have registers to work in.
func (k *SSE41) salsaWide(x *kernel, label string, put func(block, part int, v VecVirtual)) {
	k.Comment("Four blocks, one in each lane; a register holds one word of all.")
	low, next, high := k.XMM(), k.XMM(), k.XMM()
	k.MOVQ(x.counter, low)
	k.PUNPCKLQDQ(low, low)
	k.MOVOA(low, next)
	k.PADDQ(k.next, low)
	k.PADDQ(k.next.Offset(16), next)
	k.MOVOA(low, high)
	k.SHUFPS(U8(0x88), next, low)
	k.SHUFPS(U8(0xdd), next, high)
	for i, v := range []VecVirtual{low, high} {
		k.MOVOA(v, k.at(16*salsaMember.counter()[i]))
	}
	var home [16]Op
	for i := range home {
		v := k.XMM()
		k.MOVOA(k.at(16*i), v)
		if home[i] = v; i%5 == 0 {
			home[i] = k.at(diagonalAt + 16*(i/5))
			k.MOVOA(v, home[i])
		}
	}
	var doubleRound amd64.Code
	for _, quads := range salsaQuads {
		for i := 0; i < len(quads); i += 2 {
			a, b := k.salsaQuarterRound(home, quads[i]), k.salsaQuarterRound(home, quads[i+1])
			for j := range a {
				doubleRound = append(doubleRound, a[j], b[j])
			}
		}
	}
	x.rounds(label, doubleRounds, doubleRound)
	k.Comment("Add the initial state, and transpose four words of four blocks after the other.")
	for part := range 4 {
		var r [4]VecVirtual
		for j := range r {
			v, inRegister := home[4*part+j].(VecVirtual)
			if !inRegister {
				v = k.XMM()
				k.MOVOA(home[4*part+j], v)
			}
			k.PADDD(k.at(16*(4*part+j)), v)
			r[j] = v
		}
		for b, v := range k.transpose(r) {
			put(b, part, v)
		}
	}
}

// salsaQuarterRound is a quarter round of words in registers, except for the first.
func (k *SSE41) salsaQuarterRound(words [16]Op, quad [4]int) (out amd64.Code) {
	for _, s := range salsaSteps {
		to, sum, other := words[quad[s.to]], k.XMM(), k.XMM()
		out = append(out,
			func() { k.MOVOA(words[quad[s.x]], sum) },
			func() { k.PADDD(words[quad[s.y]], sum) },
			func() { k.MOVOA(sum, other) },
			func() { k.PSLLL(U8(s.bits), sum) },
			func() { k.PSRLL(U8(32-s.bits), other) },
			func() { k.POR(other, sum) })
		if _, inMemory := to.(Mem); inMemory {
			out = append(out, func() { k.PXOR(to, sum) }, func() { k.MOVOA(sum, to) })
		} else {
			out = append(out, func() { k.PXOR(sum, to) })
		}
	}
	return out
}

// transpose transposes four rows of the wide layout, which are lost.
func (k *SSE41) transpose(r [4]VecVirtual) [4]VecVirtual {
	unpack := func(low, high func(a, b Op), x, y VecVirtual) (VecVirtual, VecVirtual) {
		t := k.XMM()
		k.MOVOA(x, t)
		low(y, t)
		high(y, x)
		return t, x
	}
	low01, high01 := unpack(k.PUNPCKLLQ, k.PUNPCKHLQ, r[0], r[1])
	low23, high23 := unpack(k.PUNPCKLLQ, k.PUNPCKHLQ, r[2], r[3])
	first, second := unpack(k.PUNPCKLQDQ, k.PUNPCKHQDQ, low01, low23)
	third, fourth := unpack(k.PUNPCKLQDQ, k.PUNPCKHQDQ, high01, high23)
	return [4]VecVirtual{first, second, third, fourth}
}
