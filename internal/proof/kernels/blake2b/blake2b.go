// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package blake2b contains the proof statements for internal/blake2b and
// internal/chacha20blake2b.
package blake2b

import (
	"fmt"

	layout "github.com/unimac/unimac/internal/layout/blake2b"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	amd64 = "internal/blake2b/compress_amd64.s"
	arm64 = "internal/blake2b/compress_arm64.s"
	fused = "internal/chacha20blake2b/fused_amd64.s"

	maxLen = 64 << 10 // of the blocks or of dst
	group  = 512      // bytes of dst that one iteration of a fused kernel encrypts
)

// Kernels contains the statements of all BLAKE2b kernels.
var Kernels = engine.Constructed(func() []engine.Kernel {
	return []engine.Kernel{
		one("compressAMD64"), one("compressAVX2"), one("compressAVX512"),
		lanes(amd64, "lanes4AVX2", 4), lanes(amd64, "lanes8AVX2", 8),
		lanes(amd64, "lanes4AVX512", 4), lanes(amd64, "lanes8AVX512", 8),
		lanes(arm64, "lanes2NEON", 2),
		compressXOR("compressXORAVX512", 1, spec.BLAKE2bBlock, group+2*spec.BLAKE2bBlock, "n + 128 bytes of blocks", "dst"),
		compressXOR("compressXORAVX2", 2, 0, 2*spec.BLAKE2bBlock, "n bytes of blocks", "2·n bytes of dst"),
	}
})

type message struct {
	chain             *machine.Object
	at, stride, words int64 // word i is at chain[at+stride·i]; word 8, if any, is t
	blocks            *machine.Object
	t, f              term.Term
}

// after returns the chain value after n bytes, followed by t.
func (m *message) after(c *engine.Case, n int64) []term.Term {
	h := [8]term.Term(m.chain.Words(m.at, 8, m.stride, 8))
	for at := int64(0); at < n; at += spec.BLAKE2bBlock {
		block := [16]term.Term(m.blocks.Words(at, 16, 8, 8))
		h = spec.BLAKE2bF(c.Store, h, block, c.AddConst(m.t, uint64(at+spec.BLAKE2bBlock)), m.f)
	}
	return append(h[:], c.AddConst(m.t, uint64(n)))
}

func (m *message) expect(c *engine.Case, n int64) {
	for i, word := range m.after(c, n)[:m.words] {
		c.Expect(m.chain, m.at+m.stride*int64(i), word)
	}
}

// advance replaces the chain value and t with their values after n bytes.
func (m *message) advance(c *engine.Case, n int64) {
	after := m.after(c, n)
	for i, word := range append(m.chain.Words(m.at, 8, m.stride, 8), m.t) {
		c.Become(word, after[i])
	}
}

func compress(file, name, claim string, setup func(c *engine.Case) []message) engine.Kernel {
	var messages []message
	return engine.Kernel{
		File: file, Func: name, Claim: claim,
		Unwiped: name == "compressAMD64", // it leaves words of the state in its frame
		Range:   engine.Range{Unit: spec.BLAKE2bBlock, Min: spec.BLAKE2bBlock, Max: maxLen},
		Loop: engine.Loop{
			Step: spec.BLAKE2bBlock,
			Advance: func(c *engine.Case) {
				for _, m := range messages {
					m.advance(c, c.Kernel.Step)
				}
			},
		},
		Setup: func(c *engine.Case) { messages = setup(c) },
		Spec: func(c *engine.Case, n int64, last bool) {
			for _, m := range messages {
				if last {
					m.expect(c, n)
				}
			}
		},
	}
}

func one(name string) engine.Kernel {
	const claim = "h after n bytes of whole blocks, after t bytes before; f marks the last block"
	return compress(amd64, name, claim, func(c *engine.Case) []message {
		m := message{engine.Writable(c.Buffer("h", 64)), 0, 8, 8, c.Bytes("blocks", c.N), c.Input("t", true), c.Input("f", true)}
		c.Arg(m.chain.Base, m.blocks.Base, c.N, m.t, m.f)
		return []message{m}
	})
}

func lanes(file, name string, count int64) engine.Kernel {
	claim := fmt.Sprintf("the chain values and counts of %d lanes after n bytes of whole blocks each; f marks last blocks", count)
	return compress(file, name, claim, func(c *engine.Case) (messages []message) {
		l, f := engine.Writable(c.Buffer("l", layout.SizeofLanes)), c.Input("f", true)
		for i := range count {
			m := message{l, layout.LanesH + 8*i, 8 * layout.MaxLanes, 9, c.Bytes(fmt.Sprintf("blocks%d", i), c.N), l.Load(layout.LanesT+8*i, 8), f}
			l.Set(layout.LanesBlocks+8*i, m.blocks.Base)
			messages = append(messages, m)
		}
		c.Arg(l.Base, c.N, f)
		return messages
	})
}

// compressXOR returns the statement of a kernel that compresses n + more bytes of blocks
// and encrypts times·n bytes. The blocks may lie lead bytes or more before dst.
func compressXOR(name string, times, more, lead int64, blocks, dst string) engine.Kernel {
	var x chacha20.Cipher
	claim := fmt.Sprintf("h after %s, after t bytes before; %s = src XOR the key stream from block counter, apart or in place; blocks may lie %d bytes or more before dst in its buffer", blocks, dst, lead)
	k := compress(fused, name, claim, func(c *engine.Case) []message {
		m := message{engine.Writable(c.Buffer("h", 64)), 0, 8, 8, c.Bytes("blocks", c.AddConst(c.N, uint64(more))), c.Input("t", true), c.Const(64, 0)}
		c.Arg(m.chain.Base, m.blocks.Base, m.t)
		x.Declare(c, c.Scale(c.N, uint64(times)))
		c.MayShare(m.blocks, x.Dst, lead, 0)
		return []message{m}
	})
	k.Step = group / times
	k.Range = engine.Range{Unit: k.Step, Min: k.Step, Max: (maxLen - group) / times}
	advance, compressed := k.Advance, k.Spec
	k.Advance = func(c *engine.Case) {
		advance(c)
		x.Advance(c, group)
	}
	k.Spec = func(c *engine.Case, n int64, last bool) {
		x.Expect(c, times*n, chacha20.ChaCha20)
		compressed(c, n+more, last)
	}
	return k
}
