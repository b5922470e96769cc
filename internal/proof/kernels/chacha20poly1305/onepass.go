// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"
	"slices"
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

// A onePass describes a kernel that computes a sealing in one or more calls.
type onePass struct {
	sealing
	arm64      bool
	message    *machine.Object
	size, base int64 // size and offset of the part of the message that the kernel accesses
	adAt       int64 // offset of the additional data's pointer in the arguments

	step        int64           // bytes per iteration of the loop
	before      [2]int64        // bytes sealed and opened before the loop if a single call processes the message
	words       bool            // 32-bit counters; before applies to any first call
	unit        int64           // every call except the last processes a multiple of unit bytes
	ahead       int64           // bytes of the text that have been hashed on entry to the loop
	begun       poly1305.Number // h at the start of the call
	first, last bool            // first or last call; the first computes r and s

	sites [][2]string // pairs of labels that enclose code hashing the additional data
	r0    string      // the register of r's lower word
	r1    int64       // on amd64, the offset of r's upper word in the frame, before 5·r1/4
}

var calls = []string{"the only call", "the first call", "another call", "the last call"}

// kernel returns the statement without the parts that depend on the architecture.
func (p *onePass) kernel(file, name, claim string, reached int64, setup func(*engine.Case)) engine.Kernel {
	k := engine.Kernel{
		File: file, Func: name, Claim: claim,
		Variants: calls,
		Range:    engine.Range{Unit: 1, Min: 0, Max: 64 << 10, Given: func(_ *engine.Case, n int64) bool { return p.last || n%p.unit == 0 }},
		Loop: engine.Loop{
			Step: p.step, Reached: reached,
			Advance: func(c *engine.Case) { p.x.Advance(c, p.step) },
			Invariant: func(c *engine.Case) *engine.Assertion {
				return p.invariant(c, "g", func(s engine.View) []term.Byte {
					return padded(s, p.ciphertext(), p.ahead*c.Iterations(), p.ahead+p.step*c.Iterations())
				})
			},
		},
		Weakenings: engine.Weakenings{At: engine.Assertions{}, Before: p.standIn, After: p.cut},
		Setup:      setup, Spec: p.spec, Left: p.left,
	}
	for _, site := range p.sites {
		k.Segments = append(k.Segments, p.hashSegment(file, name, site))
		k.At[site[0]] = func(c *engine.Case, s engine.View) *engine.Assertion { return p.checkKey(c, s, site[1]) }
	}
	return k
}

// part converts an offset in the message to one in the kernel's part.
func (p *onePass) part(at int64) int64 { return at - p.base }

func (p *onePass) declare(c *engine.Case) {
	only := strings.HasSuffix(c.Variant, "the only call")
	p.first, p.last = only || strings.HasSuffix(c.Variant, "the first call"), only || strings.HasSuffix(c.Variant, "the last call")
	p.begin(c)
	p.x.Texts(c, c.N)
	p.ad = c.Bytes("ad", c.NewLeaf(64, term.LeafInfo{Name: "adLen", Public: true, Max: maxData}))
	p.message = engine.Writable(c.Buffer("m", p.size))
	p.message.Set(p.part(layout.MessageNonce), c.Input("nonce", true))
	p.x.Nonce, p.x.NonceAt = p.message, p.part(layout.MessageNonce)
	p.x.Counter = c.Input("counter", true)
	if p.words {
		p.x.After = 0
		if p.first { // the first block contains the key of Poly1305
			p.x.After = 1
		}
		p.x.Counter, p.x.NonceAt = c.NewLeaf(32, term.LeafInfo{Name: "counter", Public: true}), p.x.NonceAt-4
		p.message.Set(p.x.NonceAt, c.NewLeaf(32, term.LeafInfo{Name: "nonce0", Public: true}))
	}
	p.message.Set(p.part(layout.MessageCounter), p.x.Counter)
	if zero := c.Const(64, 0); p.first {
		p.begun = poly1305.Number{zero, zero, zero}
	} else {
		p.begun = poly1305.NewNumber(c, "h", p.maxUpper)
		p.message.Set(p.part(layout.MessageH), p.begun[:]...)
		p.message.Set(p.part(layout.MessageR), p.r[0], p.r[1], p.s[0], p.s[1])
	}
	// A carry out of the 32-bit counter would change the nonce.
	number := c.Low(c.AddConst(p.x.Counter, p.x.After), 32)
	blocks := c.Shr(c.AddConst(c.N, 63), 6)
	c.AtMost("the number after the last block", c.Add(c.Extend(number, 64), blocks), 1<<32)
}

func (p *onePass) spec(c *engine.Case, n int64, last bool) {
	p.x.Expect(c, n, chacha20.ChaCha20)
	if !last {
		return
	}
	if p.last {
		c.ExpectZeros(p.message, p.part(layout.MessageH), p.part(layout.MessageLengths))
		c.Checked(p.tag, p.tagAt, p.tagAt+16)
	} else {
		c.Checked(p.message, p.part(layout.MessageH), p.part(layout.MessageR))
		c.Expect(p.message, p.part(layout.MessageR), p.r[0], p.r[1], p.s[0], p.s[1])
	}
	if p.arm64 {
		if p.first {
			c.Expect(p.message, layout.OnePassBegun, c.Const(64, 1))
		}
		if p.last {
			c.ExpectZeros(p.message, layout.MessageKey, layout.MessageCounter)
			c.ExpectZeros(p.message, layout.MessageLengths, layout.MessageLengths+8)
		}
		return
	}
	c.Free(c.Arguments, 16, 40) // dst, src and n
	if p.last {
		c.Free(p.message, 0, 8)
		return
	}
	c.Expect(p.message, 0, c.AddConst(p.x.Counter, p.x.After+uint64(n/64)))
	if p.words { // the counter has 32 bits, and the nonce follows
		c.Expect(p.message, 4, p.message.Load(4, 4))
	}
}

// keyAt returns where r and, on amd64, 5·r1/4 are stored where a site begins.
func (p *onePass) keyAt(c *engine.Case) (r [2]engine.Place, fives []engine.Place) {
	if p.arm64 {
		return [2]engine.Place{c.Register(p.r0), c.Register("R1")}, nil
	}
	return [2]engine.Place{c.Register(p.r0), engine.In(c.Locals(), p.r1)}, []engine.Place{engine.In(c.Locals(), p.r1+8)}
}

// checkKey checks h, r and s before the segment that ends at the label to reads the
// additional data.
func (p *onePass) checkKey(c *engine.Case, s engine.View, to string) *engine.Assertion {
	machine.Refuse(s.Note != nil, "h begins twice")
	at, fives := p.keyAt(c)
	places := [][2]engine.Place{at}
	r, add := p.r, p.s
	if p.first {
		r, add = p.key(c)
	}
	if p.arm64 { // the kernel has already stored r
		places = append(places, [2]engine.Place{engine.In(p.message, layout.MessageR), engine.In(p.message, layout.MessageR+8)})
	}
	a := p.assertKey(c, s, r, add, engine.In(p.message, p.part(layout.MessageS)), fives, places...)
	for i, word := range p.begun {
		a.Has = append(a.Has, c.Register(p.h[i]).Has(word))
	}
	data := p.contains(c, term.Memo(c.Store, "data", func() poly1305.Number { return poly1305.NewNumber(c, "data", p.maxUpper) }))
	a.Note = data.Note
	a.Call = &engine.Call{To: to, Results: data.Unknown, Buffers: map[string]engine.Place{"ad": engine.In(p.ad, 0)}}
	for rest := range uint64(spec.Poly1305Block) {
		lengths := engine.Values{Min: rest, Max: maxData, Step: spec.Poly1305Block}
		inputs := map[term.Term]engine.Values{c.SizeOf(p.ad): lengths}
		a.Call.Cases = append(a.Call.Cases, engine.Entry{Variant: fmt.Sprint(rest), Inputs: inputs})
	}
	return a
}

func (p *onePass) left(c *engine.Case, s engine.View, n int64) error {
	text := padded(s, p.ciphertext(), p.ahead*c.Iterations(), n)
	if p.last { // arm64 has wiped the first length
		lengths := p.part(layout.MessageLengths)
		return p.checkTag(c, s, text, p.message.Load(lengths, 8), s.At(engine.In(p.message, lengths+8)))
	}
	return p.checkHash(c, s, text, poly1305.Stored(s, p.message, p.part(layout.MessageH)))
}

// hashSegment returns the statement of the segment that hashes the additional data. Its
// variants are the sizes of the last, partial block.
func (p onePass) hashSegment(file, name string, site [2]string) engine.Kernel {
	var rest int64
	k := engine.Kernel{
		File: file, Func: name,
		Segment: engine.Segment{
			From: site[0], To: site[1],
			Enter: func(c *engine.Case) *engine.Assertion {
				a := p.contains(c, poly1305.NewNumber(c, "g", p.maxUpper))
				r, fives := p.keyAt(c)
				p.hasR(c, a, p.r[1], fives, r)
				return a
			},
			Exit: func(c *engine.Case) *engine.Assertion {
				a := p.invariant(c, "data", func(s engine.View) []term.Byte {
					n, _ := s.Value(s.Length)
					return padded(s, p.ad, 0, spec.Poly1305Block*int64(n)+rest)
				})
				if p.arm64 {
					p.hasR(c, a, p.r[1], []engine.Place{c.Register("R2")})
				} else { // no bytes are left
					a.Has = append(a.Has, engine.In(c.Locals(), p.r1+16).Has(c.Const(64, 0)))
				}
				return a
			},
		},
		Range: engine.Range{Unit: 1, Min: 0, Max: poly1305.MaxPolyBlocks},
		Loop: engine.Loop{
			Step: 1,
			Invariant: func(c *engine.Case) *engine.Assertion {
				return p.invariant(c, "g", func(s engine.View) []term.Byte { return padded(s, p.ad, 0, spec.Poly1305Block*c.Iterations()) })
			},
		},
		Setup: func(c *engine.Case) {
			p.begin(c)
			fmt.Sscan(c.Variant, &rest)
			n := c.AddConst(c.Scale(c.N, spec.Poly1305Block), uint64(rest))
			p.ad = c.Bytes("ad", n)
			c.Arguments.Set(p.adAt, p.ad.Base, n)
		},
		Weakenings: engine.Weakenings{Before: p.standIn, After: p.cut},
		Spec:       func(*engine.Case, int64, bool) {},
	}
	for i := range spec.Poly1305Block {
		k.Variants = append(k.Variants, fmt.Sprint(i))
	}
	return k
}

// crypt returns the statement of an amd64 kernel that keeps the running hash in the
// registers h. Each code path that computes the key has its own labels.
func crypt(name string, h [3]string, p onePass, paths ...string) engine.Kernel {
	p.h, p.times, p.maxUpper, p.unit, p.adAt = h, true, poly1305.MaxH2, 1024, 40
	p.size, p.base = layout.OnePassTag+16-layout.MessageCounter, layout.MessageCounter
	for _, path := range paths {
		p.sites = append(p.sites, [2]string{"data" + path, "additional" + path + "PartialDone"})
	}
	claim := "dst = src XOR the key stream from block counter, apart or in place; modulo 2^130 - 5, h takes 0 to 65551 bytes of additional data and the ciphertext, each with zeros up to whole blocks; the first call takes r, clamped, and s from block 0; the last one makes the tag, and zeros of h, r and s; other calls, for multiples of 1024 bytes, leave them and the counter; it changes its arguments dst, src and n"
	if p.words {
		claim = strings.NewReplacer("from block counter,", "from block counter, in a first call after it,", "from block 0", "from block counter").Replace(claim)
	}
	k := p.kernel(file, name, claim, p.before[0]+p.step, func(c *engine.Case) {
		p.declare(c)
		c.Head = "stepped"
		p.x.Key, p.tag, p.tagAt = c.Buffer("key", 32), p.message, p.part(layout.OnePassTag)
		p.message.Set(p.part(layout.MessageLengths), c.Input("lengths0", true))
		// Only the last call knows the whole text's length, which the tag covers.
		length := c.N
		if !p.last {
			length = c.Input("lengths1", true)
		} else if !p.first {
			units := c.NewLeaf(64, term.LeafInfo{Name: "before", Public: true, Max: 1 << 32 * 64 / 1024}) // up to 256 GiB
			length = c.Add(c.Scale(units, uint64(p.unit)), c.N)
		}
		p.message.Set(p.part(layout.MessageLengths+8), length)
		open := slices.IndexFunc(directions, func(direction string) bool { return strings.HasPrefix(c.Variant, direction) })
		p.open, p.ahead = open == 1, p.step*int64(open)
		if p.first && (p.last || p.words) { // the call processes some blocks before the loop
			p.ahead += p.before[open]
		}
		flags := uint64(0)
		for flag, isSet := range map[uint64]bool{layout.FirstCall: p.first, layout.LastCall: p.last, layout.Opening: p.open} {
			if isSet {
				flags |= flag
			}
		}
		c.Arg(p.message.Base, p.x.Key.Base, p.x.Dst.Base, p.x.Src.Base, c.N, p.ad.Base, c.SizeOf(p.ad), c.Const(64, flags))
		engine.Writable(c.Arguments)
	})
	k.Variants = nil
	for _, call := range calls {
		k.Variants = append(k.Variants, "seal, "+call, "open, "+call)
	}
	return k
}

func sealOpenNEON(name string, open bool) engine.Kernel {
	p := onePass{
		sealing: sealing{h: [3]string{"R3", "R4", "R5"}, maxUpper: poly1305.MaxChain, open: open, x: chacha20.Cipher{After: 1}},
		arm64:   true, r0: "R0", adAt: 32, step: 448, unit: 64, size: layout.OnePassBegun + 8,
		sites: [][2]string{{"keyed", "adRead"}},
	}
	claim := "dst = src XOR the key stream after block counter, apart or in place; modulo 2^130 - 5, h takes 0 to 65551 bytes of additional data and the ciphertext, each with zeros up to whole blocks; the first call takes r, clamped, and s from block counter; all but the last have whole blocks of ChaCha20; the last one makes the tag, and zeros of the key, h, r and s"
	return p.kernel("internal/chacha20poly1305/chacha20poly1305_arm64.s", name, claim, p.step+1, func(c *engine.Case) {
		p.declare(c)
		p.x.Key, p.x.KeyAt = p.message, layout.MessageKey
		p.x.Src.Public = open // the ciphertext is public
		for i, v := range spec.ChaCha20Constants {
			p.message.Set(int64(layout.MessageConstants+4*i), c.Const(32, v))
		}
		begun, tag := c.Const(64, 0), c.Const(64, 0)
		if !p.first {
			begun = c.NewLeaf(64, term.LeafInfo{Name: "begun", Public: true, Min: 1, Max: 1 << 60})
		}
		p.message.Set(layout.OnePassBegun, begun)
		if p.tag = engine.Writable(c.Buffer("tag", 16)); p.last {
			tag = p.tag.Base
		}
		c.Arg(p.message.Base, p.x.Dst.Base, p.x.Src.Base, c.N, p.ad.Base, c.SizeOf(p.ad), tag)
	})
}

// shortKernel returns the statement of a kernel for 1 to 64 bytes.
func shortKernel(name string) engine.Kernel {
	p := sealing{h: [3]string{"R11", "R12", "R13"}, times: true}
	var count int64 // bytes of additional data
	k := engine.Kernel{
		File: file, Func: name,
		Claim: "dst = src XOR the key stream from block 1, apart or in place; the tag of the ciphertext and 0 to 16 bytes of additional data, which is public, with the key from block 0",
		Range: engine.Range{Unit: 1, Min: 1, Max: 64, Lengths: "1 to 64 bytes"},
		Setup: func(c *engine.Case) {
			var direction string
			fmt.Sscan(c.Variant, &direction, &count)
			open := slices.Index(directions, direction)
			p.open = open == 1
			p.begin(c)
			p.x.Texts(c, c.N)
			p.x.Key, p.x.Nonce = c.Buffer("key", 32), engine.Public(c.Buffer("nonce", 12))
			p.x.Counter, p.x.After = c.Const(32, 0), 1
			p.tag, p.ad = engine.Writable(c.Buffer("tag", 16)), engine.Public(c.Buffer("ad", count))
			c.Arg(p.tag.Base, p.x.Dst.Base, p.x.Src.Base, c.N, p.ad.Base, c.SizeOf(p.ad))
			c.Arg(p.x.Key.Base, p.x.Nonce.Base, c.Const(64, uint64(open)))
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			p.x.Expect(c, n, chacha20.ChaCha20)
			c.Checked(p.tag, 0, 16)
		},
		Left: func(c *engine.Case, s engine.View, n int64) error {
			text := append(padded(s, p.ad, 0, count), padded(s, p.ciphertext(), 0, n)...)
			return p.checkTag(c, s, text, c.SizeOf(p.ad), c.Const(64, uint64(n)))
		},
		Weakenings: engine.Weakenings{
			At: engine.Assertions{"keyed": func(c *engine.Case, s engine.View) *engine.Assertion {
				r, add := p.key(c)
				at := [2]engine.Place{c.Register("R8"), c.Register("R9")}
				return p.assertKey(c, s, r, add, engine.In(c.Locals(), 352), []engine.Place{c.Register("R10")}, at) // s is in the frame
			}},
			Before: func(c *engine.Case, s engine.View) *engine.Assertion {
				// The kernel loads the first block instead of adding it.
				if p.learn(c.Fn); s.Note == nil && p.adds[s.PC] > 0 {
					h := p.contents(c, s)
					machine.Refuse(h[2] != c.Const(64, 1), "h begins without the bit above a block")
					s.Note = hashNote{h: h, times: true, blocks: [][2]term.Term{{h[0], h[1]}}}
				}
				return p.standIn(c, s)
			},
			After: p.cut,
		},
	}
	for i := range 16 + 1 {
		k.Variants = append(k.Variants, fmt.Sprint("seal ", i), fmt.Sprint("open ", i))
	}
	return k
}
