// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	layout "github.com/unimac/unimac/internal/layout/aegis"
	"github.com/unimac/unimac/internal/proof/engine"
)

// A pair is two messages, each in half of a kernel's lanes.
type pair struct{ message }

func pairs() []engine.Kernel {
	p := &pair{message{in: amd64, blocks: 6, width: 4, lanes: 2, size: block, mode: layout.ModeTag, two: []*message{{}, {}}}}
	const name = "pair256X2AVX512VAES"
	return []engine.Kernel{{
		File: amd64.file, Func: name, Variants: []string{"seal", "open"},
		Claim:      "from a key and two nonces: each dst = src encrypted or decrypted, apart or in place; then both tags, of 16 bytes",
		Weakenings: engine.Weakenings{At: engine.Assertions{"taken": p.callEnd}},
		Segments: []engine.Kernel{{
			File: amd64.file, Func: name,
			Segment: engine.Segment{From: "taken", To: "stored", Enter: p.enter},
			Setup:   p.declare, Spec: p.each((*message).end),
		}},
		Range: engine.Range{Unit: p.rate(), Min: p.rate(), Max: 64 << 10},
		Loop:  engine.Loop{Step: p.rate(), Invariant: p.invariant},
		Setup: p.setup, Spec: p.spec,
	}}
}

func (p *pair) each(says func(m *message, c *engine.Case, n int64, last bool)) func(*engine.Case, int64, bool) {
	return func(c *engine.Case, n int64, last bool) {
		says(p.two[0], c, n, last)
		says(p.two[1], c, n, last)
	}
}

func (p *pair) spec(c *engine.Case, n int64, last bool) {
	for _, m := range p.two {
		c.ExpectBytes(m.dst, 0, m.after(c, n).dst...)
	}
	if last {
		c.ExpectResult(p.out, 0, end, "out", 0, 2*block)
	}
}

func (p *pair) setup(c *engine.Case) {
	p.mode = layout.ModeInit | map[string]int{"seal": layout.ModeSeal, "open": layout.ModeOpen}[c.Variant] | layout.ModeTag
	p.declare(c)
	p.taken = p.unknown(c)
	key, nonces, context := c.Buffer("key", 2*block), c.Buffer("nonces", 4*block), c.Buffer("context", word)
	for _, m := range p.two {
		m.key, m.nonce, m.ctx = key, nonces, context
		m.text(c)
	}
	p.call.Set(layout.MessageDst, p.two[0].dst.Base)
	p.call.Set(layout.MessageSrc, p.two[0].src.Base)
	p.call.Set(layout.MessageN, c.N)
	p.call.Set(layout.MessageFrom, p.two[1].src.Base)
	p.call.Set(layout.MessageTo, p.two[1].dst.Base)
	p.call.Set(layout.MessageKey, key.Base)
	p.call.Set(layout.MessageNonce, nonces.Base)
	p.call.Set(layout.MessageContext, context.Base)
	p.call.Set(layout.MessageMode, c.Const(64, uint64(p.mode)))
	c.Head = c.Variant
	c.Arg(p.call.Base)
}

func (p *pair) declare(c *engine.Case) {
	p.call, p.out = c.Buffer("m", layout.SizeofMessage), engine.Writable(c.Buffer("out", 2*block))
	p.call.Set(layout.MessageOut, p.out.Base)
	p.finishes(c)
	p.head = p.unknown(c)
	for i, m := range p.two {
		*m = p.message
		m.width, m.other, m.head = 2, int64(i), p.head[2*i:][:2]
	}
}
