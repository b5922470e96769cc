// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// The offset within the package's roundKeys, and how many blocks the kernels take: as
// many as the processor works on while the first waits for its next round.
const (
	roundKeysAES  = keysAES - keysRounds
	encryptBlocks = 8
)

// generateEncrypt writes a function that the keys of a Key are derived with. A block by
// itself takes ten rounds' latency.
func generateEncrypt(f *amd64.File, name, set string) {
	f.Function(name, "func(blocks *[128]byte, k *roundKeys)",
		name+" encrypts eight blocks in their place. For "+set+".")
	blocks := f.Load(f.Param("blocks"), f.GP64()).(GPVirtual)
	keys := f.Load(f.Param("k"), f.GP64()).(GPVirtual)
	rounds, key := f.GP64(), f.XMM()
	var x [encryptBlocks]VecVirtual
	for i := range x {
		// Halves, because that is how they were written.
		x[i] = f.XMM()
		high := f.XMM()
		f.VMOVQ(Mem{Base: blocks, Disp: 16 * i}, x[i])
		f.VMOVQ(Mem{Base: blocks, Disp: 16*i + 8}, high)
		f.VPUNPCKLQDQ(high, x[i], x[i])
	}
	each := func(instruction func(Op, Op, Op), at Mem) {
		f.VMOVDQU(at, key)
		for _, block := range x {
			instruction(key, block, block)
		}
	}
	roundKey := func(i int) Mem { return Mem{Base: keys, Disp: roundKeysAES + 16*i} }
	f.Comment("10, 12 or 14 rounds of AES.")
	f.MOVQ(Mem{Base: keys}, rounds)
	each(f.VPXOR, roundKey(0))
	for i := 1; i <= 9; i++ {
		each(f.VAESENC, roundKey(i))
	}
	for _, fewer := range []int{10, 12} {
		f.CMPQ(rounds, U8(fewer))
		f.JE(LabelRef("last"))
		each(f.VAESENC, roundKey(fewer))
		each(f.VAESENC, roundKey(fewer+1))
	}
	f.Label("last")
	f.SHLQ(U8(4), rounds)
	each(f.VAESENCLAST, Mem{Base: keys, Index: rounds, Scale: 1, Disp: roundKeysAES})
	for i, block := range x {
		f.VMOVDQU(block, Mem{Base: blocks, Disp: 16 * i})
	}
	if name == "encryptAVX2AES" {
		f.VZEROUPPER()
	}
	f.RET()
}
