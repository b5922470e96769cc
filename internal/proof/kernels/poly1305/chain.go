// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Chain describes code that hashes blocks sequentially with Poly1305. The running
// hash h is held in three registers, and the multiplier r is the first half of the key.
// For each block, h becomes (h + block)·r. If the Times field is true, the
// multiplication comes first: h becomes h·r + block.
type Chain struct {
	H        [3]string // the registers of h
	Times    bool      // h must still be multiplied by r between blocks
	MaxUpper uint64    // bound of h's upper word between blocks
	R, S     [2]term.Term
	*Ring

	upper   term.Term // unknown that represents the upper word of r
	quarter term.Term // unknown that represents a quarter of the upper word

	fn   *asm.Func // the function that adds and ends describe
	adds []int     // the block word that each instruction adds: 1, 2 or, for none, 0
	ends []bool    // for each instruction, whether it ends a product
}

// Begin declares new unknowns for r, which is clamped, and for s.
func (p *Chain) Begin(c *engine.Case) {
	p.Ring = &Ring{Algebra: algebra.New(c.Store)} // numbers are polynomials in the words of r
	p.R, p.quarter = clamped(c)
	p.S = [2]term.Term{c.Input("s0", false), c.Input("s1", false)}
	p.upper = c.NewLeaf(64, term.LeafInfo{Name: "r1"})
}

// learn finds the instructions that add blocks and those that end products.
func (p *Chain) learn(fn *asm.Func) {
	if p.fn == fn {
		return
	}
	p.fn, p.ends, p.adds = fn, make([]bool, len(fn.Code)), make([]int, len(fn.Code))
	carry := func(i int) bool { // adds nothing except the carry
		a := &fn.Code[i].Args[0]
		return strings.HasPrefix(fn.Code[i].Op, "ADC") && (a.Reg == "ZR" || a.Kind == asm.Immediate && a.Imm == 0)
	}
	var sums []int // the additions so far
	for i := range fn.Code {
		in := &fn.Code[i]
		if op := strings.TrimRight(in.Op, "QS"); op != "ADD" && op != "ADC" {
			continue
		}
		if sums = append(sums, i); len(sums) < 4 {
			continue
		}
		three := sums[len(sums)-4 : len(sums)-1]
		sum := &fn.Code[three[1]]
		p.ends[i] = carry(i) && carry(three[2]) && sum.Op[:3] == "ADD" && sum.Args[0].Kind == asm.Register
		words := slices.DeleteFunc(slices.Clone(three), carry)
		bit := in.Args[0].Kind == asm.Immediate && in.Args[0].Imm == 1 && (in.Op == "ADCQ" || carry(three[2]))
		if bit && len(words) == 2 {
			p.adds[words[0]], p.adds[words[1]] = 1, 2
		}
	}
}

// AssertKey returns the assertion that the halves r and s of the key are wantR and
// wantS. From then on, the proof uses the unknowns p.R and p.S for them, so it forgets
// how they were computed. sAt is the location of s. places lists the locations of
// copies of r, which has two words. fives lists the locations of copies of 5·r1/4,
// where r1 is the upper word of r. The code needs this number to reduce products.
func (p *Chain) AssertKey(c *engine.Case, s engine.View, wantR, wantS [2]term.Term, sAt engine.Place, fives []engine.Place, places ...[2]engine.Place) *engine.Assertion {
	upper := s.At(places[0][1])
	a := &engine.Assertion{
		Of:    map[term.Term]term.Term{p.R[0]: wantR[0], p.upper: upper, p.quarter: c.Shr(upper, 2), p.S[0]: wantS[0], p.S[1]: wantS[1]},
		As:    map[term.Term]term.Term{p.upper: p.R[1]},
		Where: func(s engine.View) error { return s.Is("the upper word of r", upper, wantR[1]) },
	}
	for i, word := range p.S {
		a.Has = append(a.Has, engine.In(sAt.Object, sAt.At+8*int64(i)).Has(word))
	}
	for _, words := range places {
		a.Has = append(a.Has, words[0].Has(p.R[0]), words[1].Has(p.upper))
	}
	for _, place := range fives {
		a.Has = append(a.Has, place.Has(c.Add(c.Shr(p.upper, 2), p.upper)))
	}
	return a
}

// Fives returns 5·r1/4, where r1 is the upper word of r.
func (p *Chain) Fives(c *engine.Case) term.Term { return c.Add(c.Shr(p.R[1], 2), p.R[1]) }

// A Note records the last asserted h and the blocks added so far.
type Note struct {
	H      Number
	Times  bool
	Blocks [][2]term.Term

	words, by [2]term.Term // the block being added, and the unknowns that replace it
}

// At returns the assertion that the registers p.H contain h.
func (p *Chain) At(c *engine.Case, h Number) *engine.Assertion {
	a := &engine.Assertion{Algebra: p.Algebra, Note: Note{H: h, Times: p.Times}}
	for i, register := range p.H {
		a.HasUnknown(c.Register(register), h[i])
	}
	return a
}

// Get returns the contents of the registers of h.
func (p *Chain) Get(c *engine.Case, s engine.View) Number {
	return Number{s.At(c.Register(p.H[0])), s.At(c.Register(p.H[1])), s.At(c.Register(p.H[2]))}
}

// Adds reports whether the instruction at s.PC adds a word of a block.
func (p *Chain) Adds(c *engine.Case, s engine.View) bool {
	p.learn(c.Fn)
	return p.adds[s.PC] > 0
}

// StandIn returns an assertion for the next instruction. If this instruction adds a
// word of a block to h, the assertion substitutes an unknown, a symbol for any value,
// for that word until the instruction has been executed. The unknown depends only on
// the word's position, so paths share it, and each product is proven only once. If the
// next instruction adds no block word, or if hashing has not begun, StandIn returns
// nil.
func (p *Chain) StandIn(c *engine.Case, s engine.View) *engine.Assertion {
	note, begun := s.Note.(Note)
	if !begun || !p.Adds(c, s) {
		return nil
	}
	i := p.adds[s.PC] - 1
	if i == 0 {
		note.words, note.by = [2]term.Term{}, [2]term.Term{}
	}
	block := len(note.Blocks)
	by := term.Memo(c.Store, [4]any{"word", block, i, c.Looped}, func() term.Term {
		return c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("block%d.%d", block, i)})
	})
	place := placeOf(c, s, &c.Fn.Code[s.PC].Args[0])
	note.words[i], note.by[i] = s.At(place), by
	a := &engine.Assertion{NextInstruction: true, Note: note}
	a.HasUnknown(place, by)
	return a
}

func placeOf(c *engine.Case, s engine.View, o *asm.Operand) engine.Place {
	switch {
	case o.Kind == asm.Register:
		return c.Register(o.Reg)
	case o.Kind == asm.Argument:
		return engine.In(c.Arguments, o.Imm)
	case o.Kind != asm.Memory || o.Index != "":
		machine.Fail("a block that is no word")
	}
	return engine.In(s.Resolve(c.AddConst(s.At(c.Register(o.Reg)), uint64(o.Imm))))
}

// Cut checks h after a product and then replaces h with unknowns.
func (p *Chain) Cut(c *engine.Case, s engine.View) *engine.Assertion {
	if p.learn(c.Fn); !p.ends[s.PC] {
		return nil
	}
	note, begun := s.Note.(Note)
	by := note.by
	added := by[0] != 0 && by[1] != 0
	if !begun || !added && (by != [2]term.Term{} || !p.Times) {
		machine.Fail("a product before there is a block")
	}
	got := p.Get(c, s)
	h := term.Memo(c.Store, [5]any{"product", note.H, got, note.Times, by}, func() Number {
		err := algebra.Safely(func() error {
			want, r, block := p.Number(64, note.H[:]...), p.Number(64, p.R[:]...), algebra.Poly{}
			if added {
				block = p.Number(64, by[:]...).Plus(algebra.Constant(spec.Poly1305Marker))
			}
			if note.Times {
				want = want.Mul(r)
			}
			if want = want.Plus(block); !p.Times {
				want = want.Mul(r)
			}
			return p.Same(s, fmt.Sprintf("h after %d blocks", len(note.Blocks)), p.Number(64, got[:]...), want)
		})
		if err != nil {
			machine.Fail("%v", err)
		}
		return NewNumber(c, "h", p.Algebra.UpperBound(got[2]).Uint64())
	})
	a := p.At(c, h)
	next := Note{H: h, Times: p.Times && added, Blocks: note.Blocks}
	if n := len(note.Blocks); added {
		next.Blocks = append(note.Blocks[:n:n], note.words)
	}
	a.Note = next
	return a
}

// CheckNumber returns an error unless h is the expected running hash.
func (p *Chain) CheckNumber(s engine.View, h Number) error {
	note, begun := s.Note.(Note)
	if !begun || note.Times != p.Times {
		return errors.New("h is another number")
	}
	for i, word := range h {
		if err := s.Is("h", word, note.H[i]); err != nil {
			return err
		}
	}
	return s.AtMost(p.Algebra, h[2], p.MaxUpper)
}

// Invariant returns the assertion that Poly1305 has read exactly the bytes of text.
func (p *Chain) Invariant(c *engine.Case, text func(engine.View) []term.Byte) *engine.Assertion {
	head := NewNumber(c, "g", p.MaxUpper)
	a := p.At(c, head)
	a.Where = func(s engine.View) error {
		if err := p.Read(c, s, text(s)); err != nil {
			return err
		}
		return p.CheckNumber(s, Number(s.Of(head[:]...)))
	}
	return a
}

// Padded returns bytes padded with zeros to whole blocks.
func Padded(bytes []term.Byte) []term.Byte {
	for len(bytes)%spec.Poly1305Block != 0 {
		bytes = append(bytes, term.ConstByte(0))
	}
	return bytes
}

// Read checks that the blocks in the Note equal the padded bytes.
func (p *Chain) Read(c *engine.Case, s engine.View, bytes []term.Byte) error {
	note, begun := s.Note.(Note)
	bytes = Padded(bytes)
	if want := len(bytes) / spec.Poly1305Block; !begun || len(note.Blocks) != want {
		return fmt.Errorf("Poly1305 has read %d blocks, want %d", len(note.Blocks), want)
	}
	for i, block := range note.Blocks {
		for j, got := range block {
			at := spec.Poly1305Block*i + 8*j
			if err := s.Is(fmt.Sprintf("what Poly1305 has read at byte %d", at), got, c.Gather(bytes[at:at+8])); err != nil {
				return err
			}
		}
	}
	return nil
}

// HasTag returns an error unless o[at:] holds the tag for h.
func (p *Chain) HasTag(c *engine.Case, s engine.View, o *machine.Object, at int64) error {
	note, _ := s.Note.(Note)
	if note.Times {
		return errors.New("the last product is missing")
	}
	if err := s.AtMost(p.Algebra, note.H[2], MaxChain); err != nil {
		return fmt.Errorf("the upper word of h %w", err)
	}
	for i, want := range spec.Poly1305Tag(c.Store, note.H, p.S, !p.Times) {
		if err := s.Is("the tag", s.Stored(o, at+int64(8*i)), want); err != nil {
			return err
		}
	}
	return nil
}
