// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

func generateStatesAVX2(f *amd64.File, k *AVX2) {
	f.Function("statesAVX2", "func(states *[64]byte, n int)",
		"statesAVX2 replaces n initial states by their keystream blocks, with AVX2. n must be a multiple of 8 and at most 1024.")
	f.Attributes(0) // large frames need the stack check that NOSPLIT would omit
	k.Begin(f.Context, countersAt)
	states := amd64.Load(f.Context, "states")
	n := amd64.Load(f.Context, "n")
	loop := &kernel{Arithmetic: k.Arithmetic}
	k.Loop = func(label string, doubleRound func() amd64.Code) {
		loop.rounds(label, doubleRounds, doubleRound())
	}
	f.CMPQ(n, U8(16))
	f.JB(LabelRef("last"))
	f.Label("wide16")
	k.wideStates("rounds16", 2, states)
	f.ADDQ(U32(2*wideSize), states)
	f.SUBQ(U8(16), n)
	f.CMPQ(n, U8(16))
	f.JAE(LabelRef("wide16"))
	f.Label("last")
	f.TESTQ(n, n)
	f.JZ(LabelRef("wipe"))
	k.wideStates("rounds8", 1, states)
	f.Label("wipe")
	k.WipeRows(2)
	f.VZEROUPPER()
	f.RET()
}

// wideStates emits code that replaces 8*groups states by their keystream blocks.
func (k *AVX2) wideStates(label string, groups int, states GPVirtual) {
	k.Comment(fmt.Sprintf("%d states, one in each lane; a register contains one word of eight states.", 8*groups))
	home := make([][16]Op, groups)
	for _, row := range []int{2, 3, 0, 1} {
		for g := range home {
			for i, word := range k.loadWords(states, 8*g, row) {
				home[g][4*row+i] = word
				if groups == 1 && 4*row+i == 11 || groups > 1 && row != 1 {
					home[g][4*row+i] = k.row(g, 4*row+i)
					k.VMOVDQA(word, home[g][4*row+i])
				}
			}
		}
	}
	k.Loop(label, func() amd64.Code { return k.wideDoubleRound(home) })
	k.spill(home)
	k.Comment("Transpose eight blocks, one half at a time, and add the initial states.")
	for g := range groups {
		for half := range 2 {
			var rows [8]VecVirtual
			for i, word := range home[g][8*half:][:8] {
				if r, ok := word.(VecVirtual); ok {
					rows[i] = r
					continue
				}
				rows[i] = k.YMM()
				k.VMOVDQA(word, rows[i])
			}
			k.transposeHalf(rows, func(j int, v VecVirtual) {
				at := Mem{Base: states, Disp: block*(8*g+j) + 32*half}
				k.VPADDD(at, v, v)
				k.VMOVDQU(v, at)
			})
		}
	}
}

func (k *AVX2) loadWords(states GPVirtual, first, row int) [4]Op {
	var r [4]VecVirtual
	for i := range r {
		at := Mem{Base: states, Disp: block*(first+i) + 16*row}
		r[i] = k.YMM()
		k.VBROADCASTI128(at, r[i])
		k.VINSERTI128(U8(1), at.Offset(4*block), r[i], r[i])
	}
	// TransposeWords would save no registers here, because it needs free ones, too.
	pair := func(a, b VecVirtual) (low, high VecVirtual) {
		low, high = k.YMM(), k.YMM()
		k.VPUNPCKLDQ(b, a, low)
		k.VPUNPCKHDQ(b, a, high)
		return low, high
	}
	low01, high01 := pair(r[0], r[1])
	low23, high23 := pair(r[2], r[3])
	out := [4]Op{k.YMM(), k.YMM(), k.YMM(), k.YMM()}
	k.VPUNPCKLQDQ(low23, low01, out[0])
	k.VPUNPCKHQDQ(low23, low01, out[1])
	k.VPUNPCKLQDQ(high23, high01, out[2])
	k.VPUNPCKHQDQ(high23, high01, out[3])
	return out
}
