// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
)

const (
	fused = "internal/chacha20blake2b/fused_amd64.s"

	group     = 512            // bytes of dst that one iteration encrypts
	maxBeside = 64<<10 - group // the most bytes of dst in one call
)

func compressXORKernel(name string, times, more, lead int64) engine.Kernel {
	var x chacha20.Cipher
	m := message{stride: 8, words: 8}
	blocks, dst := fmt.Sprintf("n + %d", more), "dst"
	if times > 1 {
		blocks, dst = "n", fmt.Sprintf("%d·n bytes of dst", times)
	}
	return engine.Kernel{
		File: fused, Func: name,
		Claim: fmt.Sprintf("h after %s bytes of blocks, after t bytes before; %s = src XOR the key stream from block counter, apart or in place; blocks may lie %d bytes or more before dst in its buffer", blocks, dst, lead),
		Range: engine.Range{Unit: group / times, Min: group / times, Max: maxBeside / times},
		Loop: engine.Loop{
			Step: group / times,
			Advance: func(c *engine.Case) {
				m.advance(c, group/times)
				x.Advance(c, group)
			},
		},
		Setup: func(c *engine.Case) {
			m.chain, m.blocks = engine.Writable(c.Buffer("h", 64)), c.Bytes("blocks", c.AddConst(c.N, uint64(more)))
			m.t, m.f = c.Input("t", true), c.Const(64, 0)
			n := c.Scale(c.N, uint64(times))
			x.Texts(c, n)
			c.MayShare(m.blocks, x.Dst, lead, 0)
			x.DeclareKey(c)
			c.Arg(m.chain.Base, m.blocks.Base, m.t, x.Dst.Base, x.Src.Base, n, x.Key.Base, x.Nonce.Base, x.Counter)
		},
		Spec: func(c *engine.Case, n int64, last bool) {
			x.Expect(c, times*n, chacha20.ChaCha20)
			if last {
				m.expect(c, n+more)
			}
		},
	}
}
