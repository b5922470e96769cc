// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// generateSSE41 writes nhSSE41 and nhPolySSE41, which take one group at a step.
func generateSSE41(f *amd64.File) {
	generate(f, "nhSSE41", "nhSSE41 is nhGeneric for SSE4.1.", true, chunkSSE41)
	generatePoly(f, "nhPolySSE41", "nhPolySSE41 is nhPolyGeneric for SSE4.1.", true, wholeSSE41)
}

// chunkSSE41 writes what adds up a chunk of any length.
func chunkSSE41(k *kernel) {
	sums := zeroSums(k, k.XMM)
	k.CMPQ(k.rest, U8(2*group))
	k.jump(k.JB, "group")

	k.Comment("Two groups.")
	k.Label(k.label("pair"))
	for i := range 2 {
		k.at = i * group / 2
		groupSSE41(k, sums, Mem{Base: k.msg, Disp: i * group})
	}
	k.at = 0
	k.ADDQ(U8(2*group), k.msg)
	k.ADDQ(U8(group), k.k)
	k.SUBQ(U8(2*group), k.rest)
	k.CMPQ(k.rest, U8(2*group))
	k.jump(k.JAE, "pair")
	k.lastGroups(sums)
}

// wholeSSE41 adds up whole chunks.
var wholeSSE41 = wholeChunk{
	begin: func(k *kernel) []VecVirtual { return zeroSums(k, k.XMM) },
	part: func(k *kernel, sums []VecVirtual, size int) {
		for at := 0; at < size; at += group {
			k.at = at / 2
			groupSSE41(k, sums, Mem{Base: k.msg, Disp: at})
		}
		k.at = 0
	},
	end: sumAVX2,
}

// groupSSE41 adds the products of the group at m to the sums.
func groupSSE41(k *kernel, sums []VecVirtual, m Mem) {
	l, h := k.halves()
	k.VMOVDQU(m, l)
	k.VMOVDQU(m.Offset(16), h)
	multiplyAVX2(k, sums, l, h)
}
