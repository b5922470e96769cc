// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"strconv"
	"strings"

	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// partOffset converts an offset in the message to one in the kernel's part.
func (p *aead) partOffset(at int64) int64 { return at - p.base }

// hashSegment returns the statement of the segment that hashes the additional data.
func (p aead) hashSegment(name string, at [2]string) engine.Kernel {
	var rest int64
	k := engine.Kernel{
		File: p.file, Func: name,
		Segment: engine.Segment{
			From: at[0],
			To:   at[1],
			Enter: func(c *engine.Case) *engine.Assertion {
				a := p.contains(c, poly1305.NewNumber(c, "g", p.maxUpper))
				r, fives := p.keyAt(c)
				a.Has = append(a.Has, r[0].Has(p.r[0]), r[1].Has(p.r[1]))
				for _, place := range fives {
					a.Has = append(a.Has, place.Has(fiveQuarters(c, p.r[1])))
				}
				return a
			},
			Exit: func(c *engine.Case) *engine.Assertion {
				a := p.invariant(c, "data", func(s engine.View) []term.Byte {
					n, _ := s.Value(s.Length())
					return padded(s, p.ad, 0, spec.Poly1305Block*int64(n)+rest)
				})
				a.Has = append(a.Has, p.leaves(c, &p)...)
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
			rest, _ = strconv.ParseInt(c.Variant, 10, 64)
			n := c.AddConst(c.Scale(c.N, spec.Poly1305Block), uint64(rest))
			p.ad = c.Bytes("ad", n)
			c.Arguments.Set(p.adAt, p.ad.Base, n)
		},
		Weakenings: engine.Weakenings{Before: p.standIn, After: p.cut},
		Spec:       func(*engine.Case, int64, bool) {},
	}
	for i := range spec.Poly1305Block { // a variant per size of the last, partial block
		k.Variants = append(k.Variants, strconv.Itoa(i))
	}
	return k
}

// onePassAMD64 describes an amd64 kernel by its registers and frame offsets.
func onePassAMD64(step, before, opened int64, h [3]string, r0 string, r1, left int64, steps ...string) aead {
	p := aead{
		file: file, adAt: 40,
		size: layout.OnePassTag + 16 - layout.MessageCounter, base: layout.MessageCounter, wiped: [][2]int64{{layout.MessageH, layout.MessageLengths}},
		sealing: sealing{h: h, times: true, maxUpper: poly1305.MaxH2},
		step:    step, before: before, opened: opened, unit: 1024,
		keyAt: func(c *engine.Case) ([2]engine.Place, []engine.Place) {
			frame := c.Locals()
			return [2]engine.Place{c.Register(r0), engine.In(frame, r1)}, []engine.Place{engine.In(frame, r1+8)}
		},
		leaves: func(c *engine.Case, _ *aead) []engine.Has {
			return []engine.Has{engine.In(c.Locals(), left).Has(c.Const(64, 0))}
		},
	}
	for _, step := range append(steps, "") { // each code path that computes the key has its own labels
		p.sites = append(p.sites, [2]string{"data" + step, "additional" + step + "PartialDone"})
	}
	return p
}

var (
	onePassAVX2 = onePassAMD64(512, 448, 192, [3]string{"DX", "CX", "BX"}, "SI",
		1744, 1760, "rounds8", "First")
	onePassSSE41 = onePassAMD64(256, 0, 0, [3]string{"SI", "DI", "R8"}, "R9",
		392, 408, "rounds4")
	onePassAVX512 = wordCounters(onePassAMD64(1024, 960, 192, [3]string{"CX", "BX", "SI"}, "DI",
		1128, 1144))
)

func wordCounters(p aead) aead {
	p.words = true
	return p
}

func crypt(name string, p aead) engine.Kernel {
	const before = 1 << 32 * 64 / 1024 // units in the longest text, 256 GiB
	k := p.kernel(name)
	k.Claim = "dst = src XOR the key stream from block counter, apart or in place; modulo 2^130 - 5, h takes 0 to 65551 bytes of additional data and the ciphertext, each with zeros up to whole blocks; the first call takes r, clamped, and s from block 0; the last one makes the tag, and zeros of h, r and s; other calls, for multiples of 1024 bytes, leave them and the counter; it changes its arguments dst, src and n"
	if p.words {
		k.Claim = strings.NewReplacer("from block counter,", "from block counter, in a first call after it,", "from block 0", "from block counter").Replace(k.Claim)
	}
	k.Variants = nil
	for _, call := range calls {
		k.Variants = append(k.Variants, "seal, "+call, "open, "+call)
	}
	k.Reached = p.before + p.step
	k.Setup = func(c *engine.Case) {
		p.declare(c)
		c.Head = "stepped"
		p.x.Key, p.tag, p.tagAt = c.Buffer("key", 32), p.message, p.partOffset(layout.OnePassTag)
		p.message.Set(p.partOffset(layout.MessageLengths), c.Input("lengths0", true))
		// Only the last call knows the whole text's length, which the tag covers.
		length := c.N
		if !p.last {
			length = c.Input("lengths1", true)
		} else if !p.first {
			length = c.Add(c.Scale(c.NewLeaf(64, term.LeafInfo{Name: "before", Public: true, Max: before}), uint64(p.unit)), c.N)
		}
		p.message.Set(p.partOffset(layout.MessageLengths+8), length)
		flags := []uint64{layout.FirstCall | layout.LastCall, layout.FirstCall, 0, layout.LastCall}[p.call]
		p.ahead = 0
		begins := p.call == 0 || p.words && p.first // the call processes some blocks before the loop
		if p.open = strings.HasPrefix(c.Variant, "open"); p.open {
			p.ahead, flags = p.step, flags|layout.Opening
		}
		switch {
		case begins && p.open:
			p.ahead += p.opened
		case begins:
			p.ahead = p.before
		}
		c.Arg(p.message.Base, p.x.Key.Base, p.x.Dst.Base, p.x.Src.Base, c.N, p.ad.Base, c.SizeOf(p.ad), c.Const(64, flags))
		engine.Writable(c.Arguments)
	}
	k.Spec = func(c *engine.Case, n int64, last bool) {
		p.spec(c, n, last)
		switch {
		case !last:
			return
		case p.last:
			c.Free(p.message, 0, 8)
		default:
			c.Expect(p.message, 0, c.AddConst(p.x.Counter, p.x.After+uint64(n/64)))
			if p.words { // the counter has 32 bits, and the nonce follows
				c.Expect(p.message, 4, p.message.Load(4, 4))
			}
		}
		c.Free(c.Arguments, 16, 40) // dst, src and n
	}
	return k
}

var onePassNEON = aead{
	file: "internal/chacha20poly1305/chacha20poly1305_arm64.s", adAt: 32,
	size: layout.OnePassBegun + 8, wiped: [][2]int64{{layout.MessageKey, layout.MessageCounter}, {layout.MessageH, layout.MessageLengths + 8}}, // including one of the lengths
	sealing: sealing{h: [3]string{"R3", "R4", "R5"}, maxUpper: poly1305.MaxChain, x: chacha20.Cipher{After: 1}},
	step:    448, unit: 64,
	sites: [][2]string{{"keyed", "adRead"}},
	keyAt: func(c *engine.Case) ([2]engine.Place, []engine.Place) {
		return [2]engine.Place{c.Register("R0"), c.Register("R1")}, nil
	},
	leaves: func(c *engine.Case, p *aead) []engine.Has {
		return []engine.Has{c.Register("R2").Has(fiveQuarters(c, p.r[1]))}
	},
}

func sealOpenNEON(name string, open bool) engine.Kernel {
	p := onePassNEON
	p.open = open
	k := p.kernel(name)
	k.Claim = "dst = src XOR the key stream after block counter, apart or in place; modulo 2^130 - 5, h takes 0 to 65551 bytes of additional data and the ciphertext, each with zeros up to whole blocks; the first call takes r, clamped, and s from block counter; all but the last have whole blocks of ChaCha20; the last one makes the tag, and zeros of the key, h, r and s"
	k.Reached = p.step + 1
	k.Setup = func(c *engine.Case) {
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
	}
	k.Spec = func(c *engine.Case, n int64, last bool) {
		if p.spec(c, n, last); last && p.first {
			c.Expect(p.message, layout.OnePassBegun, c.Const(64, 1))
		}
	}
	return k
}
