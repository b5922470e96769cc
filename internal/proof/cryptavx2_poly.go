// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// avx2Sites are the places where cryptAVX2 hashes additional data: after a step of so many
// blocks in which the key was made, or without one.
var avx2Sites = []string{"", "rounds6", "rounds8", "rounds16"}

// avx2Marks names places: where additional data begins, and what follows a step of 16 blocks.
func avx2Marks(fn *asm.Func) error {
	site := len(avx2Sites)
	for i := range fn.Code {
		in := &fn.Code[i]
		switch {
		case in.Op == "SUBQ" && in.Args[0].Imm == avx2Step && in.Args[1].Name == "n":
			fn.Labels["stepped"] = i + 1
		case in.Op == "MOVQ" && in.Args[0].Kind == asm.Argument && in.Args[0].Name == "ad":
			for _, name := range avx2Sites {
				if at, ok := fn.Labels["hashAdditional"+name]; ok && i < at && at < i+8 {
					fn.Labels["data"+name] = i
					site--
				}
			}
		}
	}
	if _, ok := fn.Labels["stepped"]; !ok || site > 0 {
		return errors.New("places of cryptAVX2 are not found")
	}
	return nil
}

// An avx2Poly is Poly1305 in cryptAVX2.
type avx2Poly struct{ scalarPoly }

// begin is a way that begins with h as unknowns.
func (p *avx2Poly) begin(c *Case, s *machine.State) {
	h := c.newPolyNumber("g", maxH2)
	p.set(s, h)
	s.Note = polyNote{h: h, times: true}
}

// arrives checks that h is in its registers.
func (p *avx2Poly) arrives(c *Case, s *machine.State) error {
	note := s.Note.(polyNote)
	if p.get(s) != note.h || !note.times {
		return errors.New("h is another number")
	}
	return algebra.Safely(func() error { return p.a.AtMost(note.h[2], maxH2) })
}

// key puts r in its places.
func (p *avx2Poly) key(c *Case, s *machine.State) {
	avx2R0.set(s, p.r[0])
	c.put(s, c.locals(), avx2R1, p.r[1])
	c.put(s, c.locals(), avx2R1+8, c.Add(c.Shr(p.r[1], 2), p.r[1]))
}

// locals returns the frame, not what is aligned in it.
func (c *Case) locals() *machine.Object {
	for _, o := range c.Mem.Objects() {
		if o.Name == "frame" {
			return o
		}
	}
	return nil
}

// avx2Section has the labels of a section, and what it may change.
func avx2Section(site string) Kernel {
	return Kernel{
		From: "data" + site, To: "additional" + site + "PartialDone",
		Changes: strings.Fields("DX CX BX DI R8 R9 R10 R11 R12 R13 R14"),
		Scratch: []int64{avx2Left},
	}
}

// avx2Data are the sections that hash additional data, with zeros up to whole blocks. There is a variant
// for each number of bytes in the last block; lengths count the others.
func avx2Data(file, name string) (sections []Kernel) {
	for _, site := range avx2Sites {
		var p avx2Poly
		var ad *machine.Object
		var rest int64
		k := avx2Section(site)
		k.File, k.Func, k.Marks = file, name, avx2Marks
		for i := range poly1305Block {
			k.Variants = append(k.Variants, fmt.Sprint(i))
		}
		k.Unit, k.Min, k.Max, k.Step = 1, 0, maxPolyBlocks, 1
		k.Setup = func(c *Case) {
			rest = int64(slices.Index(k.Variants, c.Variant))
			p.start(c, avx2Chain)
			n := c.AddConst(c.Scale(c.N, poly1305Block), uint64(rest))
			ad = c.Bytes("ad", n)
			c.Pointers(c.Buffer("m", 0), c.Buffer("key", 0), c.Buffer("dst", 0), c.Buffer("src", 0))
			c.Arg(c.Input("n", true))
			c.Pointers(ad)
			c.Arg(n)
			c.Arg(c.Input("flags", true))
		}
		k.Enter = func(c *Case, s *machine.State) {
			p.key(c, s)
			p.begin(c, s)
		}
		k.Cut = func(c *Case, s *machine.State) { p.blocks(c, s) }
		k.Prior = func(c *Case, s *machine.State) { p.standIn(c, s) }
		k.Spec = func(*Case, int64, bool) {}
		k.Advance = func(c *Case) { c.Move(ad, poly1305Block) }
		k.Widen = p.begin
		k.Holds = func(c *Case, _, then *machine.State, first bool) error {
			if first {
				if err := p.read(c, then, nil); err != nil {
					return err
				}
			}
			return p.arrives(c, then)
		}
		k.Left = func(c *Case, s *machine.State, n int64, last bool) error {
			var bytes []term.Byte
			if n *= poly1305Block; last {
				n += rest
			}
			for i := range n {
				bytes = append(bytes, ad.Initial(i))
			}
			err := p.read(c, s, bytes)
			if err == nil && last {
				if err = p.arrives(c, s); c.stored(s, c.locals(), avx2Left) != c.Const(64, 0) {
					err = errors.New("blocks are left")
				}
			}
			return err
		}
		sections = append(sections, k)
	}
	return sections
}
