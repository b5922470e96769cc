// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	layout "github.com/unimac/unimac/internal/layout/aegis"
	"github.com/unimac/unimac/internal/proof/engine"
)

// pairs returns the statement of a kernel for two messages, each in half of its lanes.
func pairs() []engine.Kernel {
	m := &message{in: amd64, blocks: 6, width: 4, lanes: 2, size: block, mode: layout.ModeTag, two: []*message{{}, {}}}
	k := m.kernel("pair256X2AVX512VAES", m.setupPair, m.declarePair)
	k.Claim = "from a key and two nonces: each dst = src encrypted or decrypted, apart or in place; then both tags, of 16 bytes"
	k.Variants, k.Step = []string{"seal", "open"}, m.rate()
	k.Range = engine.Range{Unit: m.rate(), Min: m.rate(), Max: 64 << 10}
	return []engine.Kernel{k}
}

func (m *message) setupPair(c *engine.Case) {
	m.mode = layout.ModeInit | map[string]int{"seal": layout.ModeSeal, "open": layout.ModeOpen}[c.Variant] | layout.ModeTag
	m.declarePair(c)
	m.taken = m.unknown(c)
	key, nonces, context := c.Buffer("key", 2*block), c.Buffer("nonces", 4*block), c.Buffer("context", word)
	for _, one := range m.two {
		one.key, one.nonce, one.ctx = key, nonces, context
		one.text(c)
	}
	// Fields with consecutive offsets.
	m.call.Set(layout.MessageDst, m.two[0].dst.Base, m.two[0].src.Base, c.N)
	m.call.Set(layout.MessageFrom, m.two[1].src.Base, m.two[1].dst.Base, key.Base, nonces.Base, context.Base)
	m.call.Set(layout.MessageMode, c.Const(64, uint64(m.mode)))
	c.Head = c.Variant
	c.Arg(m.call.Base)
}

func (m *message) declarePair(c *engine.Case) {
	m.call, m.out = c.Buffer("m", layout.SizeofMessage), engine.Writable(c.Buffer("out", 2*block))
	m.call.Set(layout.MessageOut, m.out.Base)
	m.finishes(c)
	m.head = m.unknown(c)
	for i, one := range m.two {
		*one = *m
		one.width, one.other, one.head = 2, int64(i), m.head[2*i:][:2]
	}
}
