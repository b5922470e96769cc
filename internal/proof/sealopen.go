// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"errors"
	"fmt"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

const aeadARM64 = "internal/chacha20poly1305/kernel_arm64.s"

// sealOpen are the kernels that encrypt and authenticate in one pass.
var sealOpen = []Kernel{sealOpenNEON("sealNEON", false), sealOpenNEON("openNEON", true)}

// sealOpenNEON is RFC 8439, section 2.8, in one call or in several.
func sealOpenNEON(name string, open bool) Kernel {
	const step = 448
	const max = 64 << 10
	general := func(n int) int { return 8 * n }
	chain := polyChain{
		h:     [3]int{general(3), general(4), general(5)},
		words: [][2]int{{general(13), general(14)}, {general(11), general(12)}},
	}
	m := aeadMessage{polyChain: chain}
	r := [2]int{general(0), general(1)}
	var x cipher
	var tag *machine.Object
	var variants []string
	for _, call := range []string{"the only call", "the first call", "another call", "the last call"} {
		variants = append(variants, call+", apart", call+", in place")
	}
	is := func(c *Case, call string) bool { return strings.Contains(c.Variant, call) }
	first := func(c *Case) bool { return is(c, "only") || is(c, "first") }
	ends := func(c *Case) bool { return is(c, "only") || is(c, "last") }
	// cut is after each block that Poly1305 adds, and before the last reduction.
	cut := func(c *Case, s *machine.State, p *polyChain) {
		p.restore(s)
		constant := func(pc int, op string, value int64) bool {
			in := &c.fn.Code[pc]
			return in.Op == op && in.Args[0].Kind == asm.Immediate && in.Args[0].Imm == value
		}
		switch {
		case constant(s.PC, "ADD", 1) && c.fn.Code[s.PC].Args[1].Reg == "R5":
			p.added(c, s)
		case s.Next < len(c.fn.Code) && constant(s.Next, "ADDS", 5):
			p.ended(c, s)
		}
	}
	ad := additionalData(name, chain, cut, max)
	return Kernel{
		File: aeadARM64, Func: name,
		Claim:    "dst = src XOR the key stream after block counter; modulo 2^130 - 5, h takes 0 to 65536 bytes of additional data and the ciphertext, each with zeros up to whole blocks; the first call takes r, clamped, and s from block counter; all but the last have whole blocks of ChaCha20; the last one makes the tag, and zeros of the key, h, r and s",
		Variants: variants,
		Wipes:    true,
		Unit:     1, Min: 0, Max: max, Step: step, Reached: step + 1,
		Given:    func(c *Case, n int64) bool { return ends(c) || n%64 == 0 },
		Sections: []Kernel{ad},
		Setup: func(c *Case) {
			m.declare(c, first(c))
			x.texts(c, c.N)
			x.src.Public = open // the ciphertext
			c.Pointers(m.memory, x.dst, x.src)
			c.Arg(c.N)
			c.Pointers(c.Buffer("ad", 0))
			c.Arg(c.Input("adLen", true))
			tag = Writable(c.Buffer("tag", 16))
			if ends(c) {
				c.Pointers(tag)
			} else {
				c.Arg(c.Const(64, 0))
			}
		},
		Prior: func(c *Case, s *machine.State) { m.standIn(c, s) },
		Cut: func(c *Case, s *machine.State) {
			cut(c, s, &m.polyChain)
			if s.Next == c.fn.Labels[ad.From] {
				if s.Note != nil {
					machine.Fail("reads additional data twice")
				}
				m.keyed(c, s, r, first(c))
				c.Pass(s, &ad)
				h, ok := c.Memo[ad.To].(polyNumber)
				if !ok {
					h = c.newPolyNumber("a", maxChain)
					c.Memo[ad.To] = h
				}
				m.set(s, h)
				s.SetWord(general(2), c.Scale(c.Shr(m.r[1], 2), 5))
				s.Note = polyNote{h: h}
			}
		},
		Spec: func(c *Case, n int64, last bool) {
			for i := range n {
				c.Expect(x.dst, i, c.Xor(c.Load(x.src, i, 1), c.Gather([]term.Byte{m.stream(c, 64+i)})))
			}
			if !last {
				return
			}
			for i := range int64(2) {
				c.Expect(m.memory, aeadR+8*i, m.r[i])
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
		Advance: func(c *Case) {
			c.Move(x.dst, step)
			c.Move(x.src, step)
			c.Become(m.counter, c.AddConst(m.counter, step/64))
		},
		Widen: func(c *Case, head *machine.State) { m.enter(c, head, "g") },
		Holds: func(c *Case, _, then *machine.State, first bool) error { return m.arrives(c, then, first) },
		Left: func(c *Case, s *machine.State, n int64, last bool) error {
			var text []term.Byte
			for i := range n {
				if open {
					text = append(text, x.src.Initial(i))
				} else {
					text = append(text, s.Mem.Byte(x.dst, i))
				}
			}
			if !last || !ends(c) {
				err := m.read(c, s, text)
				if err == nil && last {
					err = m.holds(s, polyNumber{c.stored(s, m.memory, aeadH), c.stored(s, m.memory, aeadH+8), c.stored(s, m.memory, aeadH+16)})
				}
				return err
			}
			for len(text)%poly1305Block != 0 {
				text = append(text, term.ConstByte(0))
			}
			for i := range int64(16) {
				text = append(text, m.memory.Initial(aeadLengths+i))
			}
			if err := m.read(c, s, text); err != nil {
				return err
			}
			note := s.Note.(polyNote)
			if note.times {
				return errors.New("the last product is missing")
			}
			for i, want := range c.polyTag(note.h, m.s, c.reachesFour) {
				if got := c.stored(s, tag, int64(8*i)); got != want {
					return fmt.Errorf("the tag is %s, want %s", c.Format(got), c.Format(want))
				}
			}
			return nil
		},
	}
}

// additionalData is the section in which a kernel reads it, with zeros up to whole blocks.
func additionalData(name string, p polyChain, cut func(*Case, *machine.State, *polyChain), max int64) Kernel {
	var ad *machine.Object
	return Kernel{
		File: aeadARM64, Func: name,
		From: "keyed", To: "adRead",
		Changes: strings.Fields("R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R24"),
		Unit:    1, Min: 0, Max: max, Step: poly1305Block,
		Setup: func(c *Case) {
			p.begin(c)
			ad = c.Bytes("ad", c.N)
			c.Pointers(c.Buffer("m", 0), c.Buffer("dst", 0), c.Buffer("src", 0))
			c.Arg(c.Input("n", true))
			c.Pointers(ad)
			c.Arg(c.N)
			c.Pointers(c.Buffer("tag", 0))
		},
		Enter: func(c *Case, s *machine.State) {
			s.SetWord(0, p.r[0])
			s.SetWord(8, p.r[1])
			p.enter(c, s, "h")
		},
		Prior:   func(c *Case, s *machine.State) { p.standIn(c, s) },
		Cut:     func(c *Case, s *machine.State) { cut(c, s, &p) },
		Spec:    func(*Case, int64, bool) {},
		Advance: func(c *Case) { c.Move(ad, poly1305Block) },
		Widen:   func(c *Case, head *machine.State) { p.enter(c, head, "g") },
		Holds:   func(c *Case, _, then *machine.State, first bool) error { return p.arrives(c, then, first) },
		Left: func(c *Case, s *machine.State, n int64, last bool) error {
			var bytes []term.Byte
			for i := range n {
				bytes = append(bytes, ad.Initial(i))
			}
			err := p.read(c, s, bytes)
			if err == nil && last {
				err = p.holds(s, p.get(s))
				if s.Word(16, 8) != c.Scale(c.Shr(p.r[1], 2), 5) {
					err = fmt.Errorf("R2 is not r1·5/4")
				}
			}
			return err
		},
	}
}
