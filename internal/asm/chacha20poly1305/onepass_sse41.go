// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/chacha20"
)

// An sse41 generates cryptSSE41. Its steps have 2, 3 or 4 blocks.
type sse41 struct {
	onePass
	cipher *chacha20.SSE41
}

func generateSSE41(f *amd64.File) {
	cipher := chacha20.NewSSE41(f)
	beginOnePass(f, "cryptSSE41", "cryptSSE41 is cryptAVX2 for SSE4.1.")
	k := &sse41{onePass{Context: f.Context, steps: &cipher.Steps, waiting: 4 * block / 16}, cipher}
	cipher.Begin(f.Context, chacha20.SSE41Size)
	k.setOperands(cipher.Sigma)
	k.block0 = chacha20.NewBlock(k.Context)
	k.poly = newScalar(k.Context, false)
	k.start(1)
	k.allSteps()
	k.additional()
	k.text(cipher.KeyStream(0, 0), cipher.XORStored)
	k.end(k.XMM(), func() {
		k.cipher.Wipe(chacha20.RowCAt, chacha20.SSE41Size)
		k.RET()
	})
}

func (k *sse41) allSteps() {
	n := k.choose()
	k.TESTQ(n, n)
	k.JZ(LabelRef("keyAlone"))
	k.ifAtMost(n, 2*block, "step2")
	k.ifAtMost(n, 3*block, "step3")
	from, to := k.GP64(), k.GP64()
	k.Label("step4")
	k.begin(4 * block)
	k.loop(2, 2, func() {
		k.direct(4, from, to, func() {
			k.cipher.Wipe(chacha20.KeyStream128At, chacha20.SSE41Size)
			k.LEAQ(k.cipher.KeyStream(0, 0), from)
			k.MOVQ(from, to)
		})
	})
	k.cipher.Narrow("rounds4", 4, k.cipher.Direct(to, from))
	k.steps.Count(4)
	k.stepped(4 * block)
	for sets := 2; sets <= 3; sets++ {
		k.Label(fmt.Sprintf("step%d", sets))
		k.begin(sets * block)
		k.loop(2, 1, nil)
		k.cipher.Narrow(fmt.Sprintf("rounds%d", sets), sets, k.cipher.Store)
		k.steps.Count(sets)
		k.JMP(LabelRef("stored"))
	}
	k.Comment("Without text, compute only the key's block.")
	k.Label("keyAlone")
	k.beginKey(false)
	amd64.Loop(k.Context, "keyAloneRounds", doubleRounds, k.rounds, k.block0.DoubleRound().Write)
	k.endKey()
	// Steps jump here after storing their keystream.
	k.Label("stored")
	k.ifZero(k.isFirst, "text")
}
