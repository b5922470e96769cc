// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// marks names places: where additional data begins, and what follows a whole turn.
func (l *layout) marks(fn *asm.Func) error {
	site := len(l.sites)
	for i := range fn.Code {
		in := &fn.Code[i]
		switch {
		case in.Op == "SUBQ" && in.Args[0].Imm == l.step && in.Args[1].Name == "n":
			fn.Labels["stepped"] = i + 1
		case in.Op == "MOVQ" && in.Args[0].Kind == asm.Argument && in.Args[0].Name == "ad":
			for _, name := range l.sites {
				if at, ok := fn.Labels["hashAdditional"+name]; ok && i < at && at < i+8 {
					fn.Labels["data"+name] = i
					site--
				}
			}
		}
	}
	if _, ok := fn.Labels["stepped"]; !ok || site > 0 {
		return errors.New("places of the kernel are not found")
	}
	return nil
}

// An avx2Poly is Poly1305 in cryptAVX2 and cryptSSE41.
type avx2Poly struct {
	poly1305.Scalar
	layout *layout
	head   poly1305.Number // h at a loop's head
}

// begins claims that h is unknown words.
func (p *avx2Poly) begins(h poly1305.Number) *engine.Claim {
	a := p.At(h)
	a.Note = poly1305.Note{H: h, Times: true}
	return a
}

// arrives checks that h is in its registers.
func (p *avx2Poly) arrives(c *engine.Case, s engine.View) error {
	note := s.Note.(poly1305.Note)
	if p.Get(s) != note.H || !note.Times {
		return errors.New("h is another number")
	}
	return algebra.Safely(func() error { return p.A.AtMost(note.H[2], poly1305.MaxH2) })
}

// invariant is that of a loop, at whose head Poly1305 has read text at first.
func (p *avx2Poly) invariant(c *engine.Case, s engine.View, first bool, text []term.Byte) *engine.Claim {
	if first {
		p.head = poly1305.NewNumber(c, "g", poly1305.MaxH2)
	}
	a := p.begins(p.head)
	a.Where = func(func(term.Term) term.Term) error {
		if s.Note == nil {
			return errors.New("additional data is not read")
		}
		if first {
			if err := p.Read(c, s, text); err != nil {
				return err
			}
		}
		return p.arrives(c, s)
	}
	return a
}

// key says that r is in its places.
func (p *avx2Poly) key(c *engine.Case) []engine.Has {
	return []engine.Has{
		p.layout.r0.Has(p.R[0]), {Place: engine.In(c.Locals(), p.layout.r1), Term: p.R[1]}, {Place: engine.In(c.Locals(), p.layout.r1+8), Term: p.Fives(c)},
	}
}

// section has the labels of a section, and what it may change.
func (l *layout) section(site string) engine.Kernel {
	return engine.Kernel{
		From: "data" + site, To: "additional" + site + "PartialDone",
		Changes: strings.Fields(l.changes),
		Scratch: []int64{l.left},
	}
}

// data are the sections that hash additional data, with zeros up to whole blocks. There is a variant
// for each number of bytes in the last block; lengths count the others.
func (l *layout) data(file, name string) (sections []engine.Kernel) {
	for _, site := range l.sites {
		p := avx2Poly{layout: l}
		var ad *machine.Object
		var rest int64
		k := l.section(site)
		k.File, k.Func, k.Marks = file, name, l.marks
		for i := range spec.Poly1305Block {
			k.Variants = append(k.Variants, fmt.Sprint(i))
		}
		k.Unit, k.Min, k.Max, k.Step = 1, 0, poly1305.MaxPolyBlocks, 1
		k.Setup = func(c *engine.Case) {
			rest = int64(slices.Index(k.Variants, c.Variant))
			p.Start(c, l.h)
			n := c.AddConst(c.Scale(c.N, spec.Poly1305Block), uint64(rest))
			ad = c.Bytes("ad", n)
			c.Pointers(c.Buffer("m", 0), c.Buffer("key", 0), c.Buffer("dst", 0), c.Buffer("src", 0))
			c.Arg(c.Input("n", true))
			c.Pointers(ad)
			c.Arg(n)
			c.Arg(c.Input("flags", true))
		}
		k.Enter = func(c *engine.Case) *engine.Claim {
			a := p.begins(poly1305.NewNumber(c, "g", poly1305.MaxH2))
			a.Has = append(a.Has, p.key(c)...)
			return a
		}
		k.Cut, k.StandIn = p.BlocksAdded, p.StandIn
		k.Spec = func(*engine.Case, int64, bool) {}
		k.Advance = func(c *engine.Case) { c.Move(ad, spec.Poly1305Block) }
		k.Invariant = func(c *engine.Case, s engine.View, first bool) *engine.Claim { return p.invariant(c, s, first, nil) }
		k.Left = func(c *engine.Case, s engine.View, n int64, last bool) error {
			var bytes []term.Byte
			if n *= spec.Poly1305Block; last {
				n += rest
			}
			for i := range n {
				bytes = append(bytes, ad.Initial(i))
			}
			err := p.Read(c, s, bytes)
			if err == nil && last {
				if err = p.arrives(c, s); s.Stored(c.Locals(), l.left) != c.Const(64, 0) {
					err = errors.New("blocks are left")
				}
			}
			return err
		}
		sections = append(sections, k)
	}
	return sections
}
