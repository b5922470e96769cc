// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func (m *message) set(n int, fields ...term.Term) {
	for i, field := range fields {
		m.call.Set(int64(8*(n+i)), field)
	}
}

// buffer declares a buffer, which is empty unless used is set.
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
	m.set(0, m.dst.Base, m.src.Base, c.N, number(block*m.lanes), number(block*m.at))
	begins, parts := m.mode&begin != 0, block*m.parts()
	from := word * m.blocks // size of a state
	if m.mode&data != 0 {
		from = m.rate()
	}
	m.from = buffer(c, "from", !begins || m.mode&data != 0, from)
	m.key, m.nonce = buffer(c, "key", begins, parts), buffer(c, "nonce", begins, parts)
	m.ctx = buffer(c, "context", begins, block*m.lanes)
	if begins && m.lanes == 1 {
		m.ctx.Set(0, number(0), number(0)) // a single lane uses no context
	}
	m.set(5, m.from.Base)
	m.set(7, m.key.Base, m.nonce.Base, m.ctx.Base)
}

// output declares the buffers of the results. size is the tag's size.
func (m *message) output(c *engine.Case, size term.Term) {
	m.to = buffer(c, "to", m.mode&store != 0, word*m.blocks)
	if m.mode&store != 0 {
		engine.Writable(m.to)
		if m.from != nil {
			c.InPlace(m.from, m.to)
		}
	}
	m.out = buffer(c, "out", m.mode&sums != 0, 3*word)
	if m.mode&(sums|tag) != 0 {
		engine.Writable(m.out)
	}
	if m.mode&tag != 0 {
		c.Resize(m.out, size)
		m.set(14, size)
	}
	m.set(6, m.to.Base)
	m.set(10, m.out.Base, c.Const(64, uint64(m.mode)))
	m.finishes(c)
}

// finishes declares x and y, the two words of Finish's operand u.
func (m *message) finishes(c *engine.Case) {
	for half, name := range []string{"x", "y"} {
		t := c.Input(name, true)
		m.set(12+half, t)
		c.Store.Bytes(m.u[8*half:8*half+8], t)
	}
}
