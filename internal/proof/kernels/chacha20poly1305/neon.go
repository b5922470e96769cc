// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"errors"
	"fmt"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

const aeadARM64 = "internal/chacha20poly1305/kernel_arm64.s"

// sealOpen are the kernels that encrypt and authenticate in one pass.
var sealOpen = []engine.Kernel{sealOpenNEON("sealNEON", false), sealOpenNEON("openNEON", true)}

// sealOpenNEON is RFC 8439, section 2.8, in one call or in several.
func sealOpenNEON(name string, open bool) engine.Kernel {
	const step = 448
	const max = 64 << 10
	general := func(n int) int { return 8 * n }
	chain := poly1305.Chain{
		H:     [3]int{general(3), general(4), general(5)},
		Words: [][2]int{{general(13), general(14)}, {general(11), general(12)}},
	}
	m := aeadMessage{Chain: chain}
	r := [2]int{general(0), general(1)}
	var x chacha20.Cipher
	var tag *machine.Object
	var variants []string
	for _, call := range []string{"the only call", "the first call", "another call", "the last call"} {
		variants = append(variants, call+", apart", call+", in place")
	}
	is := func(c *engine.Case, call string) bool { return strings.Contains(c.Variant, call) }
	first := func(c *engine.Case) bool { return is(c, "only") || is(c, "first") }
	ends := func(c *engine.Case) bool { return is(c, "only") || is(c, "last") }
	// cut is the claim after each block that Poly1305 adds, and before the last reduction.
	cut := func(c *engine.Case, s engine.View, p *poly1305.Chain) *engine.Claim {
		constant := func(pc int, op string, value int64) bool {
			in := &c.Fn.Code[pc]
			return in.Op == op && in.Args[0].Kind == asm.Immediate && in.Args[0].Imm == value
		}
		switch {
		case constant(s.PC, "ADD", 1) && c.Fn.Code[s.PC].Args[1].Reg == "R5":
			return p.Added(c, s)
		case s.Next < len(c.Fn.Code) && constant(s.Next, "ADDS", 5):
			return p.Ended(c, s)
		}
		return nil
	}
	ad := additionalData(name, chain, cut, max)
	return engine.Kernel{
		File: aeadARM64, Func: name,
		Claim:    "dst = src XOR the key stream after block counter; modulo 2^130 - 5, h takes 0 to 65536 bytes of additional data and the ciphertext, each with zeros up to whole blocks; the first call takes r, clamped, and s from block counter; all but the last have whole blocks of ChaCha20; the last one makes the tag, and zeros of the key, h, r and s",
		Variants: variants,
		Wipes:    true,
		Unit:     1, Min: 0, Max: max, Step: step, Reached: step + 1,
		Given:    func(c *engine.Case, n int64) bool { return ends(c) || n%64 == 0 },
		Sections: []engine.Kernel{ad},
		Setup: func(c *engine.Case) {
			m.declare(c, first(c))
			endsAfter(c, c.AddConst(m.counter, 1))
			x.Texts(c, c.N)
			x.Src.Public = open // the ciphertext
			c.Pointers(m.memory, x.Dst, x.Src)
			c.Arg(c.N)
			c.Pointers(c.Buffer("ad", 0))
			c.Arg(c.Input("adLen", true))
			tag = engine.Writable(c.Buffer("tag", 16))
			if ends(c) {
				c.Pointers(tag)
			} else {
				c.Arg(c.Const(64, 0))
			}
		},
		StandIn: func(c *engine.Case, s engine.View) *engine.StandIn { return m.StandIn(c, s) },
		Cut: func(c *engine.Case, s engine.View) *engine.Claim {
			if s.Next != c.Fn.Labels[ad.From] {
				return cut(c, s, &m.Chain)
			}
			if s.Note != nil {
				machine.Fail("reads additional data twice")
			}
			h, ok := c.Memo[ad.To].(poly1305.Number)
			if !ok {
				h = poly1305.NewNumber(c, "a", poly1305.MaxChain)
				c.Memo[ad.To] = h
			}
			a := m.keyed(c, s, r, first(c))
			a.To, a.Then = ad.To, m.At(h).Has
			a.Then = append(a.Then, engine.Has{Place: engine.InRegisters(general(2)), Term: c.Scale(c.Shr(m.R[1], 2), 5)})
			a.Note = poly1305.Note{H: h}
			return a
		},
		Spec: func(c *engine.Case, n int64, last bool) {
			for i := range n {
				c.Expect(x.Dst, i, c.Xor(c.Load(x.Src, i, 1), c.Gather([]term.Byte{m.stream(c, 64+i)})))
			}
			if !last {
				return
			}
			for i := range int64(2) {
				c.Expect(m.memory, aeadR+8*i, m.R[i])
				c.Expect(m.memory, aeadS+8*i, m.s[i])
			}
			c.Free(m.memory, aeadH, aeadR)
			if first(c) {
				c.Expect(m.memory, aeadBegun, c.Const(64, 1))
			}
			if ends(c) {
				for i := int64(aeadKey); i < aeadLengths+8; i += 8 { // and one of the lengths
					if i < aeadCounter || i >= aeadH {
						c.Expect(m.memory, i, c.Const(64, 0))
					}
				}
				c.Free(tag, 0, 16)
			}
		},
		Advance: func(c *engine.Case) {
			c.Move(x.Dst, step)
			c.Move(x.Src, step)
			c.Become(m.counter, c.AddConst(m.counter, step/64))
		},
		Invariant: func(c *engine.Case, s engine.View, first bool) *engine.Claim { return m.Chain.Invariant(c, s, first) },
		Left: func(c *engine.Case, s engine.View, n int64, last bool) error {
			var text []term.Byte
			for i := range n {
				if open {
					text = append(text, x.Src.Initial(i))
				} else {
					text = append(text, s.Mem.Byte(x.Dst, i))
				}
			}
			if !last || !ends(c) {
				err := m.Read(c, s, text)
				if err == nil && last {
					err = m.Holds(s, poly1305.Number{s.Stored(m.memory, aeadH), s.Stored(m.memory, aeadH+8), s.Stored(m.memory, aeadH+16)})
				}
				return err
			}
			for len(text)%spec.Poly1305Block != 0 {
				text = append(text, term.ConstByte(0))
			}
			for i := range int64(16) {
				text = append(text, m.memory.Initial(aeadLengths+i))
			}
			if err := m.Read(c, s, text); err != nil {
				return err
			}
			note := s.Note.(poly1305.Note)
			if note.Times {
				return errors.New("the last product is missing")
			}
			for i, want := range spec.Poly1305Tag(c.Store, note.H, m.s, spec.ReachesFour) {
				if got := s.Stored(tag, int64(8*i)); got != want {
					return fmt.Errorf("the tag is %s, want %s", c.Format(got), c.Format(want))
				}
			}
			return nil
		},
	}
}

// additionalData is the section in which a kernel reads it, with zeros up to whole blocks.
func additionalData(name string, p poly1305.Chain, cut func(*engine.Case, engine.View, *poly1305.Chain) *engine.Claim, max int64) engine.Kernel {
	var ad *machine.Object
	return engine.Kernel{
		File: aeadARM64, Func: name,
		From: "keyed", To: "adRead",
		Changes: strings.Fields("R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R24"),
		Unit:    1, Min: 0, Max: max, Step: spec.Poly1305Block,
		Setup: func(c *engine.Case) {
			p.Begin(c)
			ad = c.Bytes("ad", c.N)
			c.Pointers(c.Buffer("m", 0), c.Buffer("dst", 0), c.Buffer("src", 0))
			c.Arg(c.Input("n", true))
			c.Pointers(ad)
			c.Arg(c.N)
			c.Pointers(c.Buffer("tag", 0))
		},
		Enter: func(c *engine.Case) *engine.Claim {
			h := poly1305.NewNumber(c, "h", poly1305.MaxChain)
			a := p.At(h)
			a.Has = append(a.Has, engine.Has{Place: engine.InRegisters(0), Term: p.R[0]}, engine.Has{Place: engine.InRegisters(8), Term: p.R[1]})
			a.Note = poly1305.Note{H: h}
			return a
		},
		StandIn:   func(c *engine.Case, s engine.View) *engine.StandIn { return p.StandIn(c, s) },
		Cut:       func(c *engine.Case, s engine.View) *engine.Claim { return cut(c, s, &p) },
		Spec:      func(*engine.Case, int64, bool) {},
		Advance:   func(c *engine.Case) { c.Move(ad, spec.Poly1305Block) },
		Invariant: func(c *engine.Case, s engine.View, first bool) *engine.Claim { return p.Invariant(c, s, first) },
		Left: func(c *engine.Case, s engine.View, n int64, last bool) error {
			var bytes []term.Byte
			for i := range n {
				bytes = append(bytes, ad.Initial(i))
			}
			err := p.Read(c, s, bytes)
			if err == nil && last {
				err = p.Holds(s, p.Get(s))
				if s.Word(16, 8) != c.Scale(c.Shr(p.R[1], 2), 5) {
					err = fmt.Errorf("R2 is not r1·5/4")
				}
			}
			return err
		},
	}
}
