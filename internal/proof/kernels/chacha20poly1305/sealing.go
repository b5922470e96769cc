// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"errors"
	"fmt"
	"strings"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A sealing describes the AEAD of RFC 8439, section 2.8, in code that hashes blocks
// sequentially. Three registers hold the running hash h. The key consists of r, by which
// h is multiplied, and s. For each block, h becomes (h + block)·r. If the times field is
// true, the multiplication comes first: h becomes h·r + block.
type sealing struct {
	x       chacha20.Cipher
	ad, tag *machine.Object
	tagAt   int64
	open    bool

	h        [3]string // the registers of h
	times    bool      // h must still be multiplied by r between blocks
	maxUpper uint64    // bound of h's upper word between blocks

	*poly1305.Ring              // its polynomials have the words of r as variables
	r, s           [2]term.Term // unknowns that represent the key
	upper, quarter term.Term    // unknowns that represent the upper word of r and a quarter of this word

	fn   *asm.Func // the function that adds and ends describe
	adds []int     // the block word that each instruction adds: 1, 2 or, for none, 0
	ends []bool    // for each instruction, whether it ends a product
}

// begin declares new unknowns for r, which is clamped, and for s.
func (p *sealing) begin(c *engine.Case) {
	p.Ring = &poly1305.Ring{Algebra: algebra.New(c.Store)}
	p.r, p.quarter = poly1305.Clamped(c)
	p.s = [2]term.Term{c.Input("s0", false), c.Input("s1", false)}
	p.upper = c.NewLeaf(64, term.LeafInfo{Name: "r1"})
}

// learn finds the instructions that add blocks and those that end products.
func (p *sealing) learn(fn *asm.Func) {
	if p.fn == fn {
		return
	}
	p.fn, p.ends, p.adds = fn, make([]bool, len(fn.Code)), make([]int, len(fn.Code))
	sums := make([]int, 2) // the additions so far, except for those of only a carry
	carries := 0           // additions of only a carry after the last sum
	for i, in := range fn.Code {
		op := strings.TrimRight(in.Op, "QS")
		if op != "ADD" && op != "ADC" {
			continue
		}
		last, number := len(sums)-1, in.Args[0]
		switch {
		case op == "ADC" && (number.Reg == "ZR" || number.Kind == asm.Immediate && number.Imm == 0):
			sum := fn.Code[sums[last]]
			carries++
			p.ends[i] = carries == 2 && strings.HasPrefix(sum.Op, "ADD") && sum.Args[0].Kind == asm.Register
			continue
		case number.Kind == asm.Immediate && number.Imm == 1 && (op == "ADC" || carries == 1): // the bit above a block
			p.adds[sums[last-1]], p.adds[sums[last]] = 1, 2
		}
		sums, carries = append(sums, i), 0
	}
}

// key returns Poly1305's r and s, which are part of the keystream.
func (p *sealing) key(c *engine.Case) (r, s [2]term.Term) {
	number := p.x.Counter
	if p.x.After == 0 {
		number = c.And(number, c.Const(64, 1<<64-1<<32))
	}
	return spec.Poly1305Key(c.Store, chacha20.ChaCha20(c, &p.x, number))
}

// assertKey returns the assertion that the key is wantR and wantS, which p's unknowns r
// and s replace. sAt is the location of s. places lists the locations of copies of r,
// which has two words. fives lists the locations of copies of 5·r1/4, where r1 is the
// upper word of r. The code needs this number to reduce products.
func (p *sealing) assertKey(c *engine.Case, s engine.View, wantR, wantS [2]term.Term, sAt engine.Place, fives []engine.Place, places ...[2]engine.Place) *engine.Assertion {
	upper := s.At(places[0][1])
	a := &engine.Assertion{
		Of:    map[term.Term]term.Term{p.r[0]: wantR[0], p.upper: upper, p.quarter: c.Shr(upper, 2), p.s[0]: wantS[0], p.s[1]: wantS[1]},
		As:    map[term.Term]term.Term{p.upper: p.r[1]},
		Where: func(s engine.View) error { return s.Is("the upper word of r", upper, wantR[1]) },
	}
	for i, word := range p.s {
		a.Has = append(a.Has, engine.In(sAt.Object, sAt.At+8*int64(i)).Has(word))
	}
	p.hasR(c, a, p.upper, fives, places...)
	return a
}

// hasR adds to a the contents of places and fives, for the upper word r1.
func (p *sealing) hasR(c *engine.Case, a *engine.Assertion, r1 term.Term, fives []engine.Place, places ...[2]engine.Place) {
	for _, words := range places {
		a.Has = append(a.Has, words[0].Has(p.r[0]), words[1].Has(r1))
	}
	for _, place := range fives {
		a.Has = append(a.Has, place.Has(c.Add(c.Shr(r1, 2), r1)))
	}
}

// A hashNote records the last asserted h and the blocks added so far.
type hashNote struct {
	h      poly1305.Number
	times  bool // h must still be multiplied by r
	blocks [][2]term.Term

	words, by [2]term.Term // the block being added, and the unknowns that replace it
}

// contains returns the assertion that the registers of h contain the given words.
func (p *sealing) contains(c *engine.Case, h poly1305.Number) *engine.Assertion {
	a := &engine.Assertion{Algebra: p.Algebra, Note: hashNote{h: h, times: p.times}}
	for i, register := range p.h {
		a.HasUnknown(c.Register(register), h[i])
	}
	return a
}

// contents returns the contents of the registers of h.
func (p *sealing) contents(c *engine.Case, s engine.View) poly1305.Number {
	return poly1305.Number{s.At(c.Register(p.h[0])), s.At(c.Register(p.h[1])), s.At(c.Register(p.h[2]))}
}

// standIn returns an assertion for the next instruction or, if this instruction adds no
// word of a block to h or hashing has not begun, nil. The assertion substitutes an
// unknown for the word until the instruction has been executed. The unknown depends
// only on the word's position, so paths share it, and each product is proven only once.
func (p *sealing) standIn(c *engine.Case, s engine.View) *engine.Assertion {
	note, begun := s.Note.(hashNote)
	if p.learn(c.Fn); !begun || p.adds[s.PC] == 0 {
		return nil
	}
	i, block := p.adds[s.PC]-1, len(note.blocks)
	by := term.Memo(c.Store, [4]any{"word", block, i, c.Looped}, func() term.Term {
		return c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("block%d.%d", block, i)})
	})
	var place engine.Place
	switch word := c.Fn.Code[s.PC].Args[0]; word.Kind {
	case asm.Argument:
		place = engine.In(c.Arguments, word.Imm)
	case asm.Memory:
		place = engine.In(s.Resolve(c.AddConst(s.At(c.Register(word.Reg)), uint64(word.Imm))))
	default:
		place = c.Register(word.Reg)
	}
	note.words[i], note.by[i] = s.At(place), by
	a := &engine.Assertion{NextInstruction: true, Note: note}
	a.HasUnknown(place, by)
	return a
}

// cut checks h after a product and then replaces h with unknowns.
func (p *sealing) cut(c *engine.Case, s engine.View) *engine.Assertion {
	if p.learn(c.Fn); !p.ends[s.PC] {
		return nil
	}
	note, begun := s.Note.(hashNote)
	by := note.by
	added := by[0] != 0 && by[1] != 0
	machine.Refuse(!begun || !added && (by != [2]term.Term{} || !p.times), "a product before there is a block")
	got := p.contents(c, s)
	h := term.Memo(c.Store, [5]any{"product", note.h, got, note.times, by}, func() poly1305.Number {
		err := algebra.Safely(func() error {
			want, r, block := p.Number(64, note.h[:]...), p.Number(64, p.r[:]...), algebra.Poly{}
			if added {
				block = p.Number(64, by[:]...).Plus(algebra.Constant(spec.Poly1305Marker))
			}
			if note.times {
				want = want.Mul(r)
			}
			if want = want.Plus(block); !p.times {
				want = want.Mul(r)
			}
			return p.Same(s, fmt.Sprintf("h after %d blocks", len(note.blocks)), p.Number(64, got[:]...), want)
		})
		if err != nil {
			machine.Fail("%v", err)
		}
		return poly1305.NewNumber(c, "h", p.UpperBound(got[2]).Uint64())
	})
	a := p.contains(c, h)
	if n := len(note.blocks); added {
		note.blocks = append(note.blocks[:n:n], note.words)
	}
	a.Note = hashNote{h: h, times: p.times && added, blocks: note.blocks}
	return a
}

// ciphertext returns the object that contains the ciphertext.
func (p *sealing) ciphertext() *machine.Object {
	if p.open {
		return p.x.Src
	}
	return p.x.Dst
}

// padded returns o[from:to], padded with zeros to whole blocks.
func padded(s engine.View, o *machine.Object, from, to int64) (bytes []term.Byte) {
	for i := from; i < to; i++ {
		bytes = append(bytes, s.Mem.Byte(o, i))
	}
	for len(bytes)%spec.Poly1305Block != 0 {
		bytes = append(bytes, term.ConstByte(0))
	}
	return bytes
}

// read returns the path's note after checking that its blocks equal bytes.
func read(c *engine.Case, s engine.View, bytes []term.Byte) (hashNote, error) {
	note, begun := s.Note.(hashNote)
	if want := len(bytes) / spec.Poly1305Block; !begun || len(note.blocks) != want {
		return note, fmt.Errorf("Poly1305 has read %d blocks, want %d", len(note.blocks), want)
	}
	for i, block := range note.blocks {
		for j, got := range block {
			at := spec.Poly1305Block*i + 8*j
			if err := s.Is("what Poly1305 has read", got, c.Gather(bytes[at:at+8])); err != nil {
				return note, fmt.Errorf("at byte %d: %w", at, err)
			}
		}
	}
	return note, nil
}

// checkHash returns an error unless h is the running hash of the blocks in text.
func (p *sealing) checkHash(c *engine.Case, s engine.View, text []term.Byte, h poly1305.Number) error {
	note, err := read(c, s, text)
	if err != nil {
		return err
	}
	if note.times != p.times {
		return errors.New("h is another number")
	}
	for i, word := range h {
		if err := s.Is("h", word, note.h[i]); err != nil {
			return err
		}
	}
	return s.AtMost(p.Algebra, h[2], p.maxUpper)
}

// invariant returns the assertion that the registers contain the running hash of the
// blocks in text. Its unknowns have the given name.
func (p *sealing) invariant(c *engine.Case, name string, text func(engine.View) []term.Byte) *engine.Assertion {
	h := poly1305.NewNumber(c, name, p.maxUpper)
	a := p.contains(c, h)
	a.Where = func(s engine.View) error { return p.checkHash(c, s, text(s), poly1305.Number(s.Of(h[:]...))) }
	return a
}

// checkTag returns an error unless the tag is correct for the blocks in text, followed by
// the lengths of the additional data and of the ciphertext.
func (p *sealing) checkTag(c *engine.Case, s engine.View, text []term.Byte, lengths ...term.Term) error {
	for _, n := range lengths {
		var length [8]term.Byte
		c.Store.Bytes(length[:], n)
		text = append(text, length[:]...)
	}
	note, err := read(c, s, text)
	if err != nil {
		return err
	}
	if note.times {
		return errors.New("the last product is missing")
	}
	if err := s.AtMost(p.Algebra, note.h[2], poly1305.MaxChain); err != nil {
		return fmt.Errorf("the upper word of h %w", err)
	}
	for i, want := range spec.Poly1305Tag(c.Store, note.h, p.s, !p.times) {
		if err := s.Is("the tag", s.At(engine.In(p.tag, p.tagAt+int64(8*i))), want); err != nil {
			return err
		}
	}
	return nil
}
