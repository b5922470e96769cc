// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A pair is two messages, of which each has half of the kernel's lanes.
type pair struct {
	message
	dst, src [2]*machine.Object
}

// pairs returns the statement of the kernel that works on two messages.
func pairs() []engine.Kernel {
	p := &pair{message: message{in: amd64, blocks: 6, width: 4, lanes: 2}}
	const name = "pair256X2AVX512VAES"
	return []engine.Kernel{{
		File: amd64.file, Func: name, Variants: []string{"seal", "open"},
		Claim: "from a key and two nonces: each dst = src encrypted or decrypted, apart or in place; then both tags, of 16 bytes",
		Unit:  p.rate(), Min: p.rate(), Max: 64 << 10, Step: p.rate(),
		Setup: p.setup,
		Spec: func(c *engine.Case, n int64, _ bool) {
			for i, dst := range p.dst {
				c.ExpectBytes(dst, 0, p.after(c, i, n).dst...)
			}
		},
		Invariant: func(c *engine.Case) *engine.Claim {
			a := &engine.Claim{}
			p.is(c, a, p.head, func() int64 { return p.rate() * c.Turns() })
			return a
		},
		At: engine.Claims{"taken": func(c *engine.Case, s engine.View) *engine.Claim {
			a := &engine.Claim{Has: p.has(c), To: "stored"}
			n, _ := s.Value(s.Length())
			p.is(c, a, p.taken, func() int64 { return int64(n) })
			return a
		}},
		Sections: []engine.Kernel{{
			File: amd64.file, Func: name, From: "taken", To: "stored", Changes: amd64.changed(),
			Setup: func(c *engine.Case) {
				p.declare(c)
				p.head = p.unknown(c)
			},
			Enter: func(c *engine.Case) *engine.Claim {
				a := &engine.Claim{Has: p.has(c)}
				p.state(c, p.head, func(at engine.Place, t term.Term) { a.Has = append(a.Has, at.Has(t)) })
				return a
			},
			Spec: func(c *engine.Case, _ int64, _ bool) { p.tags(c) },
		}},
	}}
}

func (p *pair) setup(c *engine.Case) {
	p.mode = begin | map[string]int{"seal": seal, "open": open}[c.Variant] | tag
	p.declare(c)
	for i := range 2 {
		p.src[i], p.dst[i] = c.Bytes("src", c.N), c.Buffer("dst", 0)
		c.Resize(p.dst[i], c.N)
		c.InPlace(p.src[i], engine.Writable(p.dst[i]))
	}
	p.key, p.nonce, p.ctx = c.Buffer("key", 2*block), c.Buffer("nonces", 4*block), c.Buffer("context", word)
	p.set(0, p.dst[0].Base, p.src[0].Base, c.N)
	p.set(5, p.src[1].Base, p.dst[1].Base, p.key.Base, p.nonce.Base, p.ctx.Base)
	p.set(11, c.Const(64, uint64(p.mode)))
	c.Head = c.Variant
	c.Arg(p.call.Base)
	p.head, p.taken = p.unknown(c), p.unknown(c)
}

// declare declares what the end needs.
func (p *pair) declare(c *engine.Case) {
	p.call, p.out = c.Buffer("m", messageSize), engine.Writable(c.Buffer("out", 2*block))
	p.set(10, p.out.Base)
	p.finishes(c)
}

func (p *pair) has(c *engine.Case) []engine.Has {
	return []engine.Has{c.Register(p.in.message).Has(p.call.Base)}
}

// is claims that registers have the lanes after so many bytes.
func (p *pair) is(c *engine.Case, a *engine.Claim, unknown []spec.Lane, n func() int64) {
	p.state(c, unknown, a.Any)
	a.Where = func(v engine.View) error {
		return p.are(c, v, unknown, append(slices.Clip(p.after(c, 0, n()).lanes), p.after(c, 1, n()).lanes...))
	}
}

// after returns what there is of one message after n bytes, as message.after does.
func (p *pair) after(c *engine.Case, i int, n int64) *outcome {
	return term.Once(c.Store, [3]any{i, n, c.Looped}, func() *outcome {
		after := &outcome{lanes: slices.Clone(p.head[2*i:][:2])}
		for lane := range after.lanes {
			if !c.Looped {
				after.lanes[lane] = p.start(c, i, lane)
			}
		}
		after.dst = make([]term.Byte, n)
		p.message.src = p.src[i]
		for from := int64(0); from < n; from += p.rate() {
			p.take(c, after, from, n)
		}
		return after
	})
}

// start returns a lane of a message before its text.
func (p *pair) start(c *engine.Case, i, lane int) spec.Lane {
	key, nonce := []spec.Block{load(p.key, 0), load(p.key, block)}, int64(2*block*i)
	return spec.AEGISLane(c.Store, key, []spec.Block{load(p.nonce, nonce), load(p.nonce, nonce+block)}, load(p.ctx, int64(block*(2*i+lane))))
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
