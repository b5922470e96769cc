// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/umac"
)

// encryptBlocks is the number of blocks per call.
const encryptBlocks = 8

// encryptRounds emits 10, 12 or 14 rounds of AES.
func encryptRounds(c *build.Context, keys Mem, rounds GPVirtual, label string, apply func(instruction func(Op, Op, Op), key Mem)) {
	key := func(i int) Mem { return keys.Offset(16 * i) }
	// apply must emit the instruction once per block.
	apply(c.VPXOR, key(0))
	for i := 1; i <= 9; i++ {
		apply(c.VAESENC, key(i))
	}
	for _, fewer := range []int{10, 12} {
		c.CMPQ(rounds, U8(fewer))
		c.JE(LabelRef(label))
		apply(c.VAESENC, key(fewer))
		apply(c.VAESENC, key(fewer+1))
	}
	c.Label(label)
	c.SHLQ(U8(4), rounds)
	apply(c.VAESENCLAST, keys.Idx(rounds, 1))
}

// generateEncrypt emits a function that encrypts eight blocks for key derivation.
func generateEncrypt(f *amd64.File, name, set string) {
	f.Function(name, "func(blocks *[128]byte, k *roundKeys)",
		name+" encrypts eight blocks in place. For "+set+".")
	blocks := amd64.Load(f.Context, "blocks")
	keys := amd64.Load(f.Context, "k")
	rounds, key := f.GP64(), f.XMM()
	var x [encryptBlocks]VecVirtual
	for i := range x {
		// Loads of whole blocks would stall after the caller's stores of halves.
		x[i] = f.XMM()
		high := f.XMM()
		f.VMOVQ(Mem{Base: blocks, Disp: 16 * i}, x[i])
		f.VMOVQ(Mem{Base: blocks, Disp: 16*i + 8}, high)
		f.VPUNPCKLQDQ(high, x[i], x[i])
	}
	f.Comment("10, 12 or 14 rounds of AES.")
	f.MOVQ(Mem{Base: keys, Disp: layout.RoundKeysRounds}, rounds)
	encryptRounds(f.Context, Mem{Base: keys, Disp: layout.RoundKeysKeys}, rounds, "last", func(instruction func(Op, Op, Op), at Mem) {
		f.VMOVDQU(at, key)
		for _, block := range x {
			instruction(key, block, block)
		}
	})
	for i, block := range x {
		f.VMOVDQU(block, Mem{Base: blocks, Disp: 16 * i})
	}
	if name == "encryptAVX2AES" {
		f.VZEROUPPER()
	}
	f.RET()
}
