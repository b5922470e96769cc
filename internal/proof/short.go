// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"errors"
	"fmt"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Where shortAVX512IFMA has r and h.
var (
	shortR     = [2]register{"R8", "R9"}
	shortFives = register("R10") // 5·r1/4
	shortH     = [3]int{amd64.Register("R11"), amd64.Register("R12"), amd64.Register("R13")}
)

const (
	shortText = 64 // bytes at most
	shortData = 16
)

// A shortProof is one of shortAVX512IFMA.
type shortProof struct {
	scalarPoly
	x     cipher
	ad    *machine.Object
	tag   *machine.Object
	count int64 // bytes of additional data
	open  bool
	s     [2]term.Term
}

// shortKernel is RFC 8439, section 2.8, for short messages. There is a variant for each number of
// bytes of additional data.
func shortKernel(file, name string) Kernel {
	var p shortProof
	var variants []string
	for i := range shortData + 1 {
		variants = append(variants, fmt.Sprintf("seal %d", i), fmt.Sprintf("open %d", i))
	}
	return Kernel{
		File: file, Func: name,
		Claim:    "dst = src XOR the key stream from block 1, apart or in place; the tag of the ciphertext and 0 to 16 bytes of additional data, which is public, with the key from block 0",
		Variants: variants,
		Wipes:    true,
		Unit:     1, Min: 1, Max: shortText, Lengths: "1 to 64 bytes",
		Setup: func(c *Case) {
			var way string
			if _, err := fmt.Sscanf(c.Variant, "%s %d", &way, &p.count); err != nil {
				panic(err)
			}
			p.open = way == "open"
			p.start(c, shortH)
			p.x.dst, p.x.src = Writable(c.Bytes("dst", c.N)), c.Bytes("src", c.N)
			p.x.key, p.x.nonce = c.Buffer("key", 32), Public(c.Buffer("nonce", 12))
			p.tag, p.ad = Writable(c.Buffer("tag", 16)), Public(c.Buffer("ad", p.count))
			p.s = [2]term.Term{c.Input("s0", false), c.Input("s1", false)}
			c.Pointers(p.tag, p.x.dst, p.x.src)
			c.Arg(c.N)
			c.Pointers(p.ad)
			c.Arg(c.Const(64, uint64(p.count)))
			c.Pointers(p.x.key, p.x.nonce)
			c.Arg(c.Const(64, map[bool]uint64{true: 1}[p.open]))
		},
		Cut: p.cut, Prior: p.standIn,
		Spec: func(c *Case, n int64, _ bool) {
			for i := range n {
				c.Expect(p.x.dst, i, c.Xor(c.Load(p.x.src, i, 1), c.Gather([]term.Byte{p.block(c, 1)[i]})))
			}
			c.Free(p.tag, 0, 16)
		},
		Left:  p.left,
		Watch: func(*Case) machine.Watch { return p.x.notLate },
	}
}

// block returns a block of key stream.
func (p *shortProof) block(c *Case, number uint64) [64]term.Byte {
	s := c.chachaKey(p.x.key)
	s[12] = c.Const(32, number)
	for i := range 3 {
		s[13+i] = c.Load(p.x.nonce, int64(4*i), 4)
	}
	return c.keptBlock(s)
}

// cut is the cut after each block. The first one is h itself, with the bit above it; before
// that r and s become unknowns.
func (p *shortProof) cut(c *Case, s *machine.State) {
	if in := &c.fn.Code[s.PC]; in.Op == "CMPQ" && in.Args[0].Name == "adLen" {
		p.keyed(c, s)
	}
	if p.adding(c, s) && s.Note == nil {
		h := p.get(s)
		if h[2] != c.Const(64, 1) {
			machine.Fail("h begins without the bit above a block")
		}
		p.a.Word(h[0])
		p.a.Word(h[1])
		s.Note = polyNote{h: h, times: true, blocks: [][2]term.Term{{h[0], h[1]}}}
	}
	p.blocks(c, s)
}

// keyed has r and s be those of block 0.
func (p *shortProof) keyed(c *Case, s *machine.State) {
	key := p.block(c, 0)
	for i := range 2 {
		r := c.And(c.Gather(key[8*i:8*i+8]), c.Const(64, poly1305Clamp[i]))
		if got := shortR[i].word(s); !c.equal(got, r) {
			machine.Fail("r has %s, want %s", c.Format(got), c.Format(r))
		}
		var with [8]term.Byte
		c.Store.Bytes(with[:], p.s[i])
		s.Replace(key[16+8*i:24+8*i], with[:])
	}
	if r1 := shortR[1].word(s); shortFives.word(s) != c.Add(c.Shr(r1, 2), r1) {
		machine.Fail("5·r1/4 is %s", c.Format(shortFives.word(s)))
	}
	shortR[0].set(s, p.r[0])
	shortR[1].set(s, p.r[1])
	shortFives.set(s, c.Add(c.Shr(p.r[1], 2), p.r[1]))
}

func (p *shortProof) left(c *Case, s *machine.State, n int64, _ bool) error {
	var text []term.Byte
	add := func(b term.Byte) { text = append(text, b) }
	pad := func() {
		for len(text)%poly1305Block != 0 {
			add(term.ConstByte(0))
		}
	}
	for i := range p.count {
		add(p.ad.Initial(i))
	}
	pad()
	for i := range n {
		if p.open {
			add(p.x.src.Initial(i))
		} else {
			add(s.Mem.Byte(p.x.dst, i))
		}
	}
	pad()
	for _, length := range []int64{p.count, n} {
		var b [8]term.Byte
		c.Store.Bytes(b[:], c.Const(64, uint64(length)))
		text = append(text, b[:]...)
	}
	note, ok := s.Note.(polyNote)
	if !ok || note.times {
		return errors.New("the last product is missing")
	}
	if err := p.read(c, s, text); err != nil {
		return err
	}
	return c.hasTag(s, p.tag, 0, note.h, p.s)
}
