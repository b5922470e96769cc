// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Chain is Poly1305 block by block, h = (h + block)·r, with h in three general
// registers. Where a block has been added, h is shown to be what it was before, times r if
// that was still to come, plus the block, modulo the prime; then it becomes new unknowns.
// So no number is larger than one product, and what remains of a message is the list of
// its blocks.
type Chain struct {
	H     [3]int   // where the registers lie
	Words [][2]int // where the words of a block may be when it is added
	R     [2]term.Term
	A     *algebra.Algebra

	upper   term.Term // any upper word of r
	quarter term.Term // of it
	head    Number    // h at a loop's head
}

// Begin makes r new unknowns, clamped as in RFC 8439, section 2.5.
func (p *Chain) Begin(c *engine.Case) {
	p.A = algebra.New(c.Store)
	p.R[0] = c.NewLeaf(64, term.LeafInfo{Name: "r0", Max: 1<<60 - 1})
	p.quarter = c.NewLeaf(64, term.LeafInfo{Name: "r1/4", Max: 1<<58 - 1})
	p.R[1] = c.Shl(p.quarter, 2)
	p.upper = c.NewLeaf(64, term.LeafInfo{Name: "r1"})
}

// Keyed is the claim that words are r, as it is to be; from there on r is unknown. It has places of the
// words, and of 5/4 times the upper one.
func (p *Chain) Keyed(c *engine.Case, got, want [2]term.Term, low, high []engine.Place, fives ...engine.Place) *engine.Claim {
	a := &engine.Claim{Of: map[term.Term]term.Term{p.R[0]: got[0], p.upper: got[1]}, As: map[term.Term]term.Term{p.upper: p.R[1]}}
	if got[1] != p.R[1] {
		a.Of[p.quarter] = c.Shr(got[1], 2)
	}
	for _, place := range low {
		a.Has = append(a.Has, engine.Has{Place: place, Term: p.R[0]})
	}
	for _, place := range high {
		a.Has = append(a.Has, engine.Has{Place: place, Term: p.upper})
	}
	for _, place := range fives {
		a.Has = append(a.Has, engine.Has{Place: place, Term: c.Add(c.Shr(p.upper, 2), p.upper)})
	}
	a.Where = func(func(term.Term) term.Term) error {
		for i := range got {
			if !c.Equal(got[i], want[i]) {
				return fmt.Errorf("r has %s, want %s", c.Format(got[i]), c.Format(want[i]))
			}
		}
		return nil
	}
	return a
}

// Fives returns 5·r1/4.
func (p *Chain) Fives(c *engine.Case) term.Term { return c.Add(c.Shr(p.R[1], 2), p.R[1]) }

// MaxChain is the most that the upper word of h is when no block has been added since the
// last product.
const MaxChain = 4

// A Number is h in words.
type Number [3]term.Term

// NewNumber returns words of which nothing is known but a bound of the upper one.
func NewNumber(c *engine.Case, name string, most uint64) (h Number) {
	for i, max := range []uint64{^uint64(0), ^uint64(0), most} {
		h[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("%s%d", name, i), Max: max})
	}
	return h
}

// A Note is what is kept of the way: h at the last claim, whether it is still to be multiplied by r,
// the blocks since the way began, and the one that is being added.
type Note struct {
	H      Number
	Times  bool
	Blocks [][2]term.Term
	adding block
}

// A block is one that is being added: its words, and what stands for them meanwhile.
type block struct{ words, by [2]term.Term }

// At claims that h is unknown words in its registers.
func (p *Chain) At(h Number) *engine.Claim {
	a := &engine.Claim{Unknown: h[:], Bounds: p.A}
	for i, at := range p.H {
		a.Has = append(a.Has, engine.Has{Place: engine.InRegisters(at), Term: h[i]})
	}
	return a
}

// Get returns what the registers have.
func (p *Chain) Get(s engine.View) (h Number) {
	for i, at := range p.H {
		h[i] = s.Word(at, 8)
	}
	return h
}

// last returns the number that h must be.
func (p *Chain) last(n Note) algebra.Poly {
	v := p.A.Number(64, n.H[:]...)
	if n.Times {
		v = v.Mul(p.A.Number(64, p.R[:]...))
	}
	return v
}

// Added is the claim after a block was added, with the bit above it.
func (p *Chain) Added(c *engine.Case, s engine.View) *engine.Claim {
	if b := s.Note.(Note).adding; b.by[0] != 0 && b.by[1] != 0 {
		return p.add(c, s, b)
	}
	var blocks []block
	for _, words := range p.Words {
		w := [2]term.Term{s.Word(words[0], 8), s.Word(words[1], 8)}
		blocks = append(blocks, block{w, w})
	}
	return p.add(c, s, blocks...)
}

// StandIn has an addition of a word of a block add an unknown in its place, the same for all blocks
// that come so far on a way: what is shown of h for one then holds for all.
func (p *Chain) StandIn(c *engine.Case, s engine.View) *engine.StandIn {
	note, ok := s.Note.(Note)
	in := &c.Fn.Code[s.PC]
	word := slices.Index([]string{"ADDS", "ADCS"}, in.Op)
	if !ok || word < 0 || len(in.Args) != 2 || in.Args[1].Kind != asm.Register || in.Args[0].Kind != asm.Register {
		return nil
	}
	for _, words := range p.Words {
		if in.Args[0].Reg == fmt.Sprintf("R%d", words[word]/8) && in.Args[1].Reg == fmt.Sprintf("R%d", p.H[word]/8) {
			return p.standIn(c, note, word, engine.InRegisters(words[word]), s.Word(words[word], 8))
		}
	}
	return nil
}

// standIn has an unknown be in the place of a word.
func (p *Chain) standIn(c *engine.Case, note Note, i int, place engine.Place, word term.Term) *engine.StandIn {
	if i == 0 {
		note.adding = block{}
	}
	by := p.unknown(c, len(note.Blocks), i)
	note.adding.words[i], note.adding.by[i] = word, by
	return &engine.StandIn{Place: place, Unknown: by, Note: note}
}

// unknown stands for a word of a block.
func (p *Chain) unknown(c *engine.Case, block, word int) term.Term {
	type key struct {
		block, word int
		looped      bool
	}
	k := key{block, word, c.Looped}
	t, ok := c.Memo[k].(term.Term)
	if !ok {
		t = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("block%d.%d", block, word)})
		p.A.Word(t)
		c.Memo[k] = t
	}
	return t
}

// add is the claim after one of some blocks was added.
func (p *Chain) add(c *engine.Case, s engine.View, blocks ...block) *engine.Claim {
	type key struct {
		last  Number
		times bool
		h     Number
	}
	type cut struct {
		h     Number
		which int
	}
	note, h := s.Note.(Note), p.Get(s)
	k := key{note.H, note.Times, h}
	done, ok := c.Memo[k].(cut)
	if !ok {
		err := algebra.Safely(func() (err error) {
			for i, block := range blocks {
				done.which = i
				want := p.last(note).Plus(p.A.Number(64, block.by[:]...)).Plus(algebra.Constant(spec.Poly1305Marker))
				if err = congruent(p.A.Number(64, h[:]...), want); err == nil {
					break
				}
			}
			return err
		})
		if err != nil {
			machine.Fail("after %d blocks: %v", len(note.Blocks), err)
		}
		done.h = NewNumber(c, "h", p.A.Most(h[2]).Uint64())
		c.Memo[k] = done
	}
	a, n := p.At(done.h), len(note.Blocks)
	a.Note = Note{H: done.h, Times: true, Blocks: append(note.Blocks[:n:n], blocks[done.which].words)}
	return a
}

// Holds checks that words are h.
func (p *Chain) Holds(s engine.View, h Number) error {
	return algebra.Safely(func() error {
		if most := p.A.Most(h[2]); most.Cmp(big.NewInt(MaxChain)) > 0 {
			return fmt.Errorf("the upper word of h may be %s", most)
		}
		return congruent(p.A.Number(64, h[:]...), p.last(s.Note.(Note)))
	})
}

// Ended is the claim after the last product.
func (p *Chain) Ended(c *engine.Case, s engine.View) *engine.Claim {
	type key struct{ last, h Number }
	note, h := s.Note.(Note), p.Get(s)
	end, ok := c.Memo[key{note.H, h}].(Number)
	if !ok {
		if err := p.Holds(s, h); err != nil {
			machine.Fail("at the end: %v", err)
		}
		end = NewNumber(c, "end", MaxChain)
		c.Memo[key{note.H, h}] = end
	}
	a := p.At(end)
	a.Note = Note{H: end, Blocks: note.Blocks}
	return a
}

// Invariant is that of a loop that has read whole blocks at its head, and none at first.
func (p *Chain) Invariant(c *engine.Case, s engine.View, first bool) *engine.Claim {
	if first {
		p.head = NewNumber(c, "g", MaxChain)
	}
	a := p.At(p.head)
	a.Note = Note{H: p.head}
	a.Where = func(func(term.Term) term.Term) error {
		if first {
			if err := p.Read(c, s, nil); err != nil {
				return err
			}
		}
		return p.Holds(s, p.Get(s))
	}
	return a
}

// Read checks that the blocks since the way began are bytes, with zeros up to whole blocks.
func (p *Chain) Read(c *engine.Case, s engine.View, bytes []term.Byte) error {
	blocks := s.Note.(Note).Blocks
	if want := (len(bytes) + spec.Poly1305Block - 1) / spec.Poly1305Block; len(blocks) != want {
		return fmt.Errorf("Poly1305 has read %d blocks, want %d", len(blocks), want)
	}
	for i, block := range blocks {
		var got [spec.Poly1305Block]term.Byte
		c.Store.Bytes(got[:8], block[0])
		c.Store.Bytes(got[8:], block[1])
		for j, b := range got {
			want := term.ConstByte(0)
			if at := spec.Poly1305Block*i + j; at < len(bytes) {
				want = bytes[at]
			}
			if !c.Same(b, want) {
				return fmt.Errorf("Poly1305 has read %s as byte %d, want %s", c.FormatByte(b), spec.Poly1305Block*i+j, c.FormatByte(want))
			}
		}
	}
	return nil
}
