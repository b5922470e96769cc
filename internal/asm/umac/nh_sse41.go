// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

func generateSSE41(f *amd64.File) {
	generate(f, "nhSSE41", "nhSSE41 is nhGeneric for SSE4.1.", true, chunkSSE41)
	generatePoly(f, "nhPolySSE41", "nhPolySSE41 is nhPolyGeneric for SSE4.1.", true, wholeSSE41)
}

func chunkSSE41(k *kernel) {
	k.chunkInPairs(func(k *kernel, sums []VecVirtual, _ Mem) { wholeSSE41.accumulate(k, sums, 2*group) })
}

var wholeSSE41 = wholeOf((*kernel).vector, group, groupSSE41, sumAVX2)

func groupSSE41(k *kernel, sums []VecVirtual, m Mem) {
	l, h := k.halfRegisters()
	k.VMOVDQU(m, l)
	k.VMOVDQU(m.Offset(16), h)
	multiplyAVX2(k, sums, l, h)
}
