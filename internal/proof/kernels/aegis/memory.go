// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	layout "github.com/unimac/unimac/internal/layout/aegis"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func buffer(c *engine.Case, name string, used bool, size int64) *machine.Object {
	if !used {
		size = 0
	}
	return c.Buffer(name, size)
}

// text declares src and, if the kernel encrypts or decrypts, dst.
func (m *message) text(c *engine.Case) {
	m.src, m.dst = c.Bytes("src", c.N), c.Buffer("dst", 0)
	if m.mode&text != 0 {
		c.Resize(m.dst, c.N)
		c.InPlace(m.src, engine.Writable(m.dst))
	}
}

// input declares the message and the data that determines the initial state.
func (m *message) input(c *engine.Case) {
	number := func(n int64) term.Term { return c.Const(64, uint64(n)) }
	m.text(c)
	begins, parts := m.mode&layout.ModeInit != 0, block*m.parts()
	from := word * m.blocks // size of a state
	if m.mode&layout.ModeData != 0 {
		from = m.rate()
	}
	m.from = buffer(c, "from", !begins || m.mode&layout.ModeData != 0, from)
	m.key, m.nonce = buffer(c, "key", begins, parts), buffer(c, "nonce", begins, parts)
	m.ctx = buffer(c, "context", begins, block*m.lanes)
	if begins && m.lanes == 1 {
		m.ctx.Set(0, number(0), number(0)) // a single lane uses no context
	}
	// Fields with consecutive offsets.
	m.call.Set(layout.MessageDst, m.dst.Base, m.src.Base, c.N, number(block*m.lanes), number(block*m.at), m.from.Base)
	m.call.Set(layout.MessageKey, m.key.Base, m.nonce.Base, m.ctx.Base)
}

func (m *message) output(c *engine.Case, size term.Term) {
	m.to = buffer(c, "to", m.mode&layout.ModeStore != 0, word*m.blocks)
	if m.mode&layout.ModeStore != 0 {
		engine.Writable(m.to)
		if m.from != nil {
			c.InPlace(m.from, m.to)
		}
	}
	m.out = buffer(c, "out", m.mode&layout.ModeSums != 0, 3*word)
	if m.mode&(layout.ModeSums|layout.ModeTag) != 0 {
		engine.Writable(m.out)
	}
	if m.mode&layout.ModeTag != 0 {
		c.Resize(m.out, size)
		m.call.Set(layout.MessageSize, size)
	}
	m.call.Set(layout.MessageTo, m.to.Base)
	m.call.Set(layout.MessageOut, m.out.Base)
	m.call.Set(layout.MessageMode, c.Const(64, uint64(m.mode)))
	m.finishes(c)
}

// finishes declares x and y, the two words of Finish's operand u.
func (m *message) finishes(c *engine.Case) {
	x, y := c.Input("x", true), c.Input("y", true)
	m.call.Set(layout.MessageX, x, y)
	c.Store.Bytes(m.u[:8], x)
	c.Store.Bytes(m.u[8:], y)
}
