// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"slices"
	"strconv"
	"strings"

	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

const maxData = spec.Poly1305Block*poly1305.MaxPolyBlocks + spec.Poly1305Block - 1

// An aead describes a sealing in one or more calls.
type aead struct {
	sealing
	file       string
	message    *machine.Object
	size, base int64      // size and offset of the part of the message that the kernel accesses
	wiped      [][2]int64 // ranges of the message that the last call zeroes
	adAt       int64      // offset of the additional data's pointer in the arguments

	step        int64           // bytes per iteration of the loop
	before      int64           // bytes sealed before the loop if a single call processes the message
	opened      int64           // bytes opened before the loop if a single call processes the message
	words       bool            // 32-bit counters; before and opened apply to any first call
	unit        int64           // every call except the last processes a multiple of unit bytes
	ahead       int64           // bytes of the text that have been hashed on entry to the loop
	begun       poly1305.Number // h at the start of the call
	call        int             // index in calls
	first, last bool            // first or last call; the first computes r and s

	// sites lists pairs of labels that enclose code hashing the additional data.
	sites [][2]string
	// keyAt returns where r and 5·r1/4 are stored at the first label.
	keyAt func(c *engine.Case) (r [2]engine.Place, fives []engine.Place)
	// leaves returns further facts that must be true at the second label.
	leaves func(c *engine.Case, p *aead) []engine.Has
}

var calls = []string{"the only call", "the first call", "another call", "the last call"}

// kernel returns the statement without the parts that depend on the architecture.
func (p *aead) kernel(name string) engine.Kernel {
	at := engine.Assertions{}
	var sections []engine.Kernel
	for _, site := range p.sites {
		sections = append(sections, p.hashSegment(name, site))
		at[site[0]] = func(c *engine.Case, s engine.View) *engine.Assertion { return p.checkKey(c, s, site) }
	}
	return engine.Kernel{
		File: p.file, Func: name,
		Variants: calls,
		Range:    engine.Range{Unit: 1, Min: 0, Max: 64 << 10, Given: func(_ *engine.Case, n int64) bool { return p.last || n%p.unit == 0 }},
		Loop: engine.Loop{
			Step:    p.step,
			Advance: func(c *engine.Case) { p.x.Advance(c, p.step) },
			Invariant: func(c *engine.Case) *engine.Assertion {
				return p.invariant(c, "g", func(s engine.View) []term.Byte {
					return padded(s, p.ciphertext(), p.ahead*c.Iterations(), p.ahead+p.step*c.Iterations())
				})
			},
		},
		Segments:   sections,
		Weakenings: engine.Weakenings{At: at, Before: p.standIn, After: p.cut},
		Left:       p.left,
	}
}

func (p *aead) declare(c *engine.Case) {
	p.call = slices.IndexFunc(calls, func(call string) bool { return strings.HasSuffix(c.Variant, call) })
	p.first, p.last = p.call < 2, p.call == 0 || p.call == 3
	o := engine.Writable(c.Buffer("m", p.size))
	p.begin(c)
	p.x.Texts(c, c.N)
	p.ad = c.Bytes("ad", c.NewLeaf(64, term.LeafInfo{Name: "adLen", Public: true, Max: maxData}))
	p.message, p.x.Counter = o, c.Input("counter", true)
	p.x.Nonce, p.x.NonceAt = o, p.partOffset(layout.MessageNonce)
	if p.words {
		p.x.After = 0
		if p.first { // the first block contains the key of Poly1305
			p.x.After = 1
		}
		p.x.Counter, p.x.NonceAt = c.NewLeaf(32, term.LeafInfo{Name: "counter", Public: true}), p.x.NonceAt-4
		o.Set(p.x.NonceAt, c.NewLeaf(32, term.LeafInfo{Name: "nonce0", Public: true}))
	}
	o.Set(p.partOffset(layout.MessageCounter), p.x.Counter)
	o.Set(p.partOffset(layout.MessageNonce), c.Input("nonce", true))
	if zero := c.Const(64, 0); p.first {
		p.begun = poly1305.Number{zero, zero, zero}
	} else {
		p.begun = poly1305.NewNumber(c, "h", p.maxUpper)
		o.Set(p.partOffset(layout.MessageH), p.begun[:]...)
		o.Set(p.partOffset(layout.MessageR), p.r[0], p.r[1], p.s[0], p.s[1])
	}
	// A carry out of the 32-bit counter would change the nonce.
	number := c.Low(c.AddConst(p.x.Counter, p.x.After), 32)
	blocks := c.Shr(c.AddConst(c.N, 63), 6)
	c.AtMost("the number after the last block", c.Add(c.Extend(number, 64), blocks), 1<<32)
}

func (p *aead) spec(c *engine.Case, n int64, last bool) {
	p.x.Expect(c, n, chacha20.ChaCha20)
	switch m := p.message; {
	case !last:
	case p.last:
		for _, wiped := range p.wiped {
			c.ExpectZeros(m, p.partOffset(wiped[0]), p.partOffset(wiped[1]))
		}
		c.Checked(p.tag, p.tagAt, p.tagAt+16)
	default:
		c.Checked(m, p.partOffset(layout.MessageH), p.partOffset(layout.MessageR))
		c.Expect(m, p.partOffset(layout.MessageR), p.r[0], p.r[1], p.s[0], p.s[1])
	}
}

// checkKey checks h, r and s before a segment reads the additional data.
func (p *aead) checkKey(c *engine.Case, s engine.View, site [2]string) *engine.Assertion {
	if s.Note != nil {
		machine.Fail("h begins twice")
	}
	at, fives := p.keyAt(c)
	places := [][2]engine.Place{at}
	r, add := p.r, p.s
	if p.first {
		r, add = p.key(c)
	}
	if p.base == 0 { // on arm64, the kernel has already stored r
		places = append(places, [2]engine.Place{engine.In(p.message, layout.MessageR), engine.In(p.message, layout.MessageR+8)})
	}
	a := p.assertKey(c, s, r, add, engine.In(p.message, p.partOffset(layout.MessageS)), fives, places...)
	for i, word := range p.begun {
		a.Has = append(a.Has, c.Register(p.h[i]).Has(word))
	}
	data := p.contains(c, term.Memo(c.Store, "data", func() poly1305.Number { return poly1305.NewNumber(c, "data", p.maxUpper) }))
	var cases []engine.Entry // by the number of bytes in the last block
	for rest := range uint64(spec.Poly1305Block) {
		cases = append(cases, engine.Entry{
			Variant: strconv.FormatUint(rest, 10),
			Inputs:  map[term.Term]engine.Values{c.SizeOf(p.ad): {Min: rest, Max: maxData, Step: spec.Poly1305Block}},
		})
	}
	a.Call, a.Note = &engine.Call{To: site[1], Cases: cases, Results: data.Unknown, Buffers: map[string]engine.Place{"ad": engine.In(p.ad, 0)}}, data.Note
	return a
}

func (p *aead) left(c *engine.Case, s engine.View, n int64) error {
	text := padded(s, p.ciphertext(), p.ahead*c.Iterations(), n)
	if p.last { // arm64 has wiped the first length
		lengths := p.partOffset(layout.MessageLengths)
		return p.checkTag(c, s, text, p.message.Load(lengths, 8), s.Stored(p.message, lengths+8))
	}
	return p.checkHash(c, s, text, poly1305.Stored(s, p.message, p.partOffset(layout.MessageH)))
}
