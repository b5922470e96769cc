// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/chacha20"
)

// An sse41 writes cryptSSE41, whose steps are 2, 3 or 4 blocks.
type sse41 struct {
	onePass
	cipher *chacha20.SSE41
}

func generateSSE41(f *amd64.File) {
	cipher := chacha20.NewSSE41(f)
	f.Function("cryptSSE41", "func(m *uint64, key *[32]byte, dst, src *byte, n int, ad *byte, adLen int, flags int)",
		"cryptSSE41 is cryptAVX2 for SSE4.1.")
	f.Attributes(0) // a frame this large needs the check of the stack's size that NOSPLIT leaves out
	k := &sse41{onePass: onePass{Context: f.Context, steps: &cipher.Steps, keyStream: cipher, waiting: 4 * block / 16}, cipher: cipher}
	cipher.Begin(f.Context, chacha20.SSE41Size)
	k.function(cipher.Sigma)
	k.block0 = chacha20.NewBlock(k.Context)
	k.poly = newScalar(k.Context, false)
	k.start()
	k.allSteps()
	k.additional()
	k.text()
	k.end(func(m Mem) {
		zero := k.XMM()
		k.PXOR(zero, zero)
		for at := hAt; at < lengthsAt; at += 16 {
			k.MOVOU(zero, m.Offset(min(at, lengthsAt-16)))
		}
	}, func() {
		k.cipher.Wipe(chacha20.RowCAt, chacha20.SSE41Size)
		k.RET()
	})
}

// allSteps writes the choice of the next step, and all of them.
func (k *sse41) allSteps() {
	n := k.GP64()
	k.Label("next")
	k.CMPQ(k.n, U8(0))
	k.JE(LabelRef("end"))
	k.Label("choose")
	k.MOVQ(k.n, n)
	k.TESTQ(n, n)
	k.JZ(LabelRef("keyAlone"))
	k.CMPQ(n, U32(2*block))
	k.JBE(LabelRef("step2"))
	k.CMPQ(n, U32(3*block))
	k.JBE(LabelRef("step3"))
	k.step4()
	for sets := 2; sets <= 3; sets++ {
		k.Label(fmt.Sprintf("step%d", sets))
		k.begin(sets * block)
		k.loop(2, 1, nil)
		k.cipher.Narrow(fmt.Sprintf("rounds%d", sets), sets, k.cipher.Store)
		k.steps.Count(sets)
		k.JMP(LabelRef("stored"))
	}
	k.keyAlone()
}

// step4 writes the step of four blocks, which encrypts directly if there is so much text.
// Otherwise it encrypts zeros in the place of the key stream.
func (k *sse41) step4() {
	const size = 4 * block
	from, to := k.GP64(), k.GP64()
	k.Label("step4")
	k.begin(size)
	k.loop(2, 2, func() {
		k.CMPQ(k.n, U32(size))
		k.JB(LabelRef("store4"))
		k.poly.blocks("hash4")
		k.MOVQ(k.src, from)
		k.MOVQ(k.dst, to)
		k.JMP(LabelRef("end4"))
		k.Label("store4")
		k.cipher.Wipe(chacha20.KeyStream128At, chacha20.SSE41Size)
		k.LEAQ(k.cipher.KeyStream(0, 0), from)
		k.MOVQ(from, to)
		k.Label("end4")
	})
	k.cipher.Narrow("rounds4", 4, func(b, row int, v VecVirtual) {
		at, t := 64*b+16*row, k.XMM()
		k.MOVOU(Mem{Base: from, Disp: at}, t)
		k.PXOR(t, v)
		k.MOVOU(v, Mem{Base: to, Disp: at})
	})
	k.steps.Count(4)
	k.CMPQ(k.n, U32(size))
	k.JB(LabelRef("text"))
	k.ADDQ(U32(size), k.src)
	k.ADDQ(U32(size), k.dst)
	k.SUBQ(U32(size), k.n)
	amd64.Place(k.Context, "stepped")
	k.ifFlag(opened, "next")
	k.ADDQ(U8(size/16), k.poly.left)
	k.JMP(LabelRef("next"))
}
