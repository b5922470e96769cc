// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/spec"
)

// A pair is what two messages have in common, of which each has half of the kernel's lanes.
type pair struct{ message }

// pairs returns the statement of the kernel that works on two messages.
func pairs() []engine.Kernel {
	p := &pair{message{in: amd64, blocks: 6, width: 4, lanes: 2, two: new([2]message)}}
	const name = "pair256X2AVX512VAES"
	return []engine.Kernel{{
		File: amd64.file, Func: name, Variants: []string{"seal", "open"},
		Claim: "from a key and two nonces: each dst = src encrypted or decrypted, apart or in place; then both tags, of 16 bytes",
		At:    engine.Claims{"taken": p.pass},
		Sections: []engine.Kernel{{
			File: amd64.file, Func: name, From: "taken", To: "stored", Changes: amd64.changed(),
			Setup: func(c *engine.Case) {
				p.declare(c)
				p.head = p.unknown(c)
			},
			Enter: p.enter,
			Spec:  func(c *engine.Case, _ int64, _ bool) { p.tags(c) },
		}},
		Unit: p.rate(), Min: p.rate(), Max: 64 << 10, Step: p.rate(),
		Setup: p.setup,
		Spec: func(c *engine.Case, n int64, _ bool) {
			for i := range p.two {
				p.two[i].spec(c, n, false)
			}
		},
		Invariant: p.invariant,
	}}
}

func (p *pair) setup(c *engine.Case) {
	p.mode = begin | map[string]int{"seal": seal, "open": open}[c.Variant] | tag
	p.declare(c)
	p.key, p.nonce, p.ctx = c.Buffer("key", 2*block), c.Buffer("nonces", 4*block), c.Buffer("context", word)
	p.set(7, p.key.Base, p.nonce.Base, p.ctx.Base)
	p.set(11, c.Const(64, uint64(p.mode)))
	p.head, p.taken = p.unknown(c), p.unknown(c)
	for i := range p.two {
		m := p.message
		m.width, m.other, m.two, m.head = 2, i, nil, p.head[2*i:][:2]
		m.src, m.dst = c.Bytes("src", c.N), c.Buffer("dst", 0)
		c.Resize(m.dst, c.N)
		c.InPlace(m.src, engine.Writable(m.dst))
		p.two[i] = m
	}
	p.set(0, p.two[0].dst.Base, p.two[0].src.Base, c.N)
	p.set(5, p.two[1].src.Base, p.two[1].dst.Base)
	c.Head = c.Variant
	c.Arg(p.call.Base)
}

// declare declares what the end needs.
func (p *pair) declare(c *engine.Case) {
	p.call, p.out = c.Buffer("m", messageSize), engine.Writable(c.Buffer("out", 2*block))
	p.set(10, p.out.Base)
	p.finishes(c)
}

// tags says what the tags are.
func (p *pair) tags(c *engine.Case) {
	for i := range 2 {
		tag := constant()
		for _, s := range p.head[2*i:][:2] {
			tag = spec.XorBlocks(c.Store, tag, s.Finish(c.Store, p.u).Tags(c.Store)[2])
		}
		c.ExpectBytes(p.out, int64(block*i), tag[:]...)
	}
}
