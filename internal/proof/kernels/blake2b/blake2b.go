// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package blake2b states what the kernels of internal/blake2b compute.
package blake2b

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	blake2bAMD64 = "internal/blake2b/compress_amd64.s"
	blake2bARM64 = "internal/blake2b/compress_arm64.s"
)

// Kernels are those of internal/blake2b.
var Kernels = []engine.Kernel{
	one("compressAMD64"), one("compressAVX2"), one("compressAVX512"),
	lanes(blake2bAMD64, "lanes4AVX2", 4), lanes(blake2bAMD64, "lanes8AVX2", 8),
	lanes(blake2bAMD64, "lanes4AVX512", 4), lanes(blake2bAMD64, "lanes8AVX512", 8),
	lanes(blake2bARM64, "lanes2NEON", 2),
}

// A Message is what one lane works on.
type Message struct {
	BLAKE2bChain *machine.Object
	at, Stride   int64 // of the chain's words
	Blocks       *machine.Object
	T, F         term.Term
	count        int64 // where T is beside the chain, or 0
}

// after returns the chain value after n bytes.
func (m *Message) after(c *engine.Case, n int64) spec.BLAKE2bChain {
	h, t := spec.LoadBLAKE2bChain(c.Store, m.BLAKE2bChain, m.at, m.Stride), m.T
	for at := int64(0); at < n; at += spec.BLAKE2bBlock {
		t = c.AddConst(t, spec.BLAKE2bBlock)
		h = spec.BLAKE2bF(c.Store, h, m.Blocks, at, t, m.F)
	}
	return h
}

// Expect says that the chain value is that after n bytes.
func (m *Message) Expect(c *engine.Case, n int64) {
	for i, word := range m.after(c, n) {
		c.Expect(m.BLAKE2bChain, m.at+m.Stride*int64(i), word)
	}
	if m.count > 0 {
		c.Expect(m.BLAKE2bChain, m.count, c.AddConst(m.T, uint64(n)))
	}
}

// Advance says that the rest of the work begins n bytes later.
func (m *Message) Advance(c *engine.Case, n int64) {
	old := spec.LoadBLAKE2bChain(c.Store, m.BLAKE2bChain, m.at, m.Stride)
	for i, word := range m.after(c, n) {
		c.Become(old[i], word)
	}
	c.Become(m.T, c.AddConst(m.T, uint64(n)))
}

// compress takes the blocks of messages into their chain values.
func compress(file, name, claim string, setup func(c *engine.Case) []Message) engine.Kernel {
	var messages []Message
	return engine.Kernel{
		File: file, Func: name, Claim: claim,
		Wipes: name != "compressAMD64", // it keeps words of the state in its frame
		Unit:  spec.BLAKE2bBlock, Min: spec.BLAKE2bBlock, Max: 64 << 10, Step: spec.BLAKE2bBlock,
		Setup: func(c *engine.Case) { messages = setup(c) },
		Spec: func(c *engine.Case, n int64, last bool) {
			for i := range messages {
				if last {
					messages[i].Expect(c, n)
				}
			}
		},
		Advance: func(c *engine.Case) {
			for i := range messages {
				messages[i].Advance(c, spec.BLAKE2bBlock)
			}
		},
	}
}

// one is a kernel for one message.
func one(name string) engine.Kernel {
	return compress(blake2bAMD64, name, "h after n bytes of whole blocks, after t bytes before; f marks the last block", func(c *engine.Case) []Message {
		m := Message{engine.Writable(c.Buffer("h", 64)), 0, 8, c.Bytes("blocks", c.N), c.Input("t", true), c.Input("f", true), 0}
		c.Arg(m.BLAKE2bChain.Base, m.Blocks.Base, c.N, m.T, m.F)
		return []Message{m}
	})
}

// lanes is a kernel that takes as many bytes of each of several messages into the chain values of a struct: 8 rows of
// 8 words, a column for each message; 8 counts of bytes before; 8 pointers.
func lanes(file, name string, count int) engine.Kernel {
	const counts, pointers = 512, 576
	claim := fmt.Sprintf("the chain values and counts of %d lanes after n bytes of whole blocks each; f marks last blocks", count)
	return compress(file, name, claim, func(c *engine.Case) (messages []Message) {
		l, f := engine.Writable(c.Buffer("l", 640)), c.Input("f", true)
		for i := range int64(count) {
			m := Message{l, 8 * i, 64, c.Bytes(fmt.Sprintf("blocks%d", i), c.N), l.Load(counts+8*i, 8), f, counts + 8*i}
			l.Set(pointers+8*i, m.Blocks.Base)
			messages = append(messages, m)
		}
		c.Arg(l.Base, c.N, f)
		return messages
	})
}
