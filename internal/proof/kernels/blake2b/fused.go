// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	fused = "internal/chacha20blake2b/fused_amd64.s"

	group     = 512            // bytes that ChaCha20 takes at once
	maxBeside = 64<<10 - group // bytes of dst in one call
)

// compressXORKernel takes blocks into h, n bytes and some more, and encrypts n·times bytes. Blocks may be in dst's buffer,
// lead bytes before it or more.
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
		Unit:  group / times, Min: group / times, Max: maxBeside / times, Step: group / times,
		Setup: func(c *engine.Case) {
			m.chain, m.blocks = engine.Writable(c.Buffer("h", 64)), c.Bytes("blocks", c.AddConst(c.N, uint64(more)))
			m.t, m.f = c.Input("t", true), c.Const(64, 0)
			n := c.Scale(c.N, uint64(times))
			x.Texts(c, n)
			c.MayLie(m.blocks, x.Dst, lead, 0)
			x.Keyed(c)
			c.Arg(m.chain.Base, m.blocks.Base, m.t, x.Dst.Base, x.Src.Base, n, x.Key.Base, x.Nonce.Base, x.Counter)
		},
		Spec: func(c *engine.Case, n int64, last bool) {
			x.Expect(c, times*n, chacha20.ChaCha20)
			if last {
				m.expect(c, n+more)
			}
		},
		Advance: func(c *engine.Case) {
			m.advance(c, group/times)
			x.Advance(c, group)
		},
	}
}

// deriveKernel takes the last block of one message into its chain value kdf, then the
// result as the first block into h, and encrypts a group from block 0 on.
func deriveKernel(name string) engine.Kernel {
	var x chacha20.Cipher
	var h, kdf, block *machine.Object
	var t term.Term
	return engine.Kernel{
		File: fused, Func: name,
		Claim: "h after the block that has kdf after its last block, ending at t bytes, and zeros; 512 bytes of dst = src XOR the key stream from block 0, apart or in place",
		Setup: func(c *engine.Case) {
			h, kdf, block, t = engine.Writable(c.Buffer("h", 64)), engine.Writable(c.Buffer("kdf", 64)), c.Buffer("block", 128), c.Input("t", true)
			x.Texts(c, c.Const(64, group))
			x.Keyed(c)
			x.Counter = c.Const(64, 0)
			c.Arg(h.Base, kdf.Base, block.Base, t, x.Dst.Base, x.Src.Base, x.Key.Base, x.Nonce.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			zero := c.Const(64, 0)
			chain := func(o *machine.Object) spec.BLAKE2bChain { return spec.BLAKE2bChain(o.Words(0, 8, 8, 8)) }
			key := spec.BLAKE2bF(c.Store, chain(kdf), [16]term.Term(block.Words(0, 16, 8, 8)), t, c.Not(zero))
			first := [16]term.Term(append(key[:], slices.Repeat([]term.Term{zero}, 8)...))
			words := spec.BLAKE2bF(c.Store, chain(h), first, c.Const(64, spec.BLAKE2bBlock), zero)
			c.Expect(h, 0, words[:]...)
			x.Expect(c, group, chacha20.ChaCha20)
		},
	}
}
