// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A polyChain is Poly1305 block by block, h = (h + block)·r, with h in three general
// registers. Where a block has been added, h is shown to be what it was before, times r if
// that was still to come, plus the block, modulo the prime; then it becomes new unknowns.
// So no number is larger than one product, and what remains of a message is the list of
// its blocks.
type polyChain struct {
	h     [3]int   // where the registers lie
	words [][2]int // where the words of a block may be when it is added
	r     [2]term.Term
	a     *algebra.Algebra
}

// begin makes r new unknowns, clamped as in RFC 8439, section 2.5.
func (p *polyChain) begin(c *Case) {
	p.a = algebra.New(c.Store)
	p.r[0] = c.NewLeaf(64, term.LeafInfo{Name: "r0", Max: 1<<60 - 1})
	p.r[1] = c.Shl(c.NewLeaf(64, term.LeafInfo{Name: "r1/4", Max: 1<<58 - 1}), 2)
}

// maxChain is the most that the upper word of h is when no block has been added since the
// last product.
const maxChain = 4

// A polyNumber is h in words.
type polyNumber [3]term.Term

func (c *Case) newPolyNumber(name string, most uint64) (h polyNumber) {
	for i, max := range []uint64{^uint64(0), ^uint64(0), most} {
		h[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("%s%d", name, i), Max: max})
	}
	return h
}

// A polyNote is what is kept of the way in State.Note: h at the last cut, whether it is
// still to be multiplied by r, and the blocks since the way began.
type polyNote struct {
	h      polyNumber
	times  bool
	blocks [][2]term.Term
}

// enter begins a way with h as new unknowns.
func (p *polyChain) enter(c *Case, s *machine.State, name string) {
	h := c.newPolyNumber(name, maxChain)
	p.set(s, h)
	s.Note = polyNote{h: h}
}

func (p *polyChain) set(s *machine.State, h polyNumber) {
	for i, at := range p.h {
		s.SetWord(at, h[i])
	}
}

func (p *polyChain) get(s *machine.State) (h polyNumber) {
	for i, at := range p.h {
		h[i] = s.Word(at, 8)
	}
	return h
}

// last returns the number that h must be.
func (p *polyChain) last(n polyNote) algebra.Poly {
	v := p.a.Number(64, n.h[:]...)
	if n.times {
		v = v.Mul(p.a.Number(64, p.r[:]...))
	}
	return v
}

// added is the cut after a block was added, with the bit above it.
func (p *polyChain) added(c *Case, s *machine.State) {
	var blocks [][2]term.Term
	for _, words := range p.words {
		blocks = append(blocks, [2]term.Term{s.Word(words[0], 8), s.Word(words[1], 8)})
	}
	p.add(c, s, blocks...)
}

// add is added for a block that is one of some.
func (p *polyChain) add(c *Case, s *machine.State, blocks ...[2]term.Term) {
	type key struct {
		last  polyNumber
		times bool
		h     polyNumber
	}
	type cut struct {
		h     polyNumber
		block [2]term.Term
	}
	note, h := s.Note.(polyNote), p.get(s)
	done, ok := c.Memo[key{note.h, note.times, h}].(cut)
	if !ok {
		err := algebra.Safely(func() (err error) {
			for _, done.block = range blocks {
				want := p.last(note).Plus(p.a.Number(64, done.block[:]...)).Plus(algebra.Constant(poly1305Marker))
				if err = congruent(p.a.Number(64, h[:]...), want); err == nil {
					break
				}
			}
			return err
		})
		if err != nil {
			machine.Fail("after %d blocks: %v", len(note.blocks), err)
		}
		done.h = c.newPolyNumber("h", p.a.Most(h[2]).Uint64())
		c.Memo[key{note.h, note.times, h}] = done
	}
	p.set(s, done.h)
	n := len(note.blocks)
	s.Note = polyNote{done.h, true, append(note.blocks[:n:n], done.block)}
}

// holds checks that words are h.
func (p *polyChain) holds(s *machine.State, h polyNumber) error {
	return algebra.Safely(func() error {
		if most := p.a.Most(h[2]); most.Cmp(big.NewInt(maxChain)) > 0 {
			return fmt.Errorf("the upper word of h may be %s", most)
		}
		return congruent(p.a.Number(64, h[:]...), p.last(s.Note.(polyNote)))
	})
}

// ended is the cut after the last product.
func (p *polyChain) ended(c *Case, s *machine.State) {
	type key struct{ last, h polyNumber }
	note, h := s.Note.(polyNote), p.get(s)
	end, ok := c.Memo[key{note.h, h}].(polyNumber)
	if !ok {
		if err := p.holds(s, h); err != nil {
			machine.Fail("at the end: %v", err)
		}
		end = c.newPolyNumber("end", maxChain)
		c.Memo[key{note.h, h}] = end
	}
	p.set(s, end)
	s.Note = polyNote{h: end, blocks: note.blocks}
}

// arrives checks a loop's head: h is in its registers, and before the first turn there was
// no block.
func (p *polyChain) arrives(c *Case, s *machine.State, first bool) error {
	if first {
		if err := p.read(c, s, nil); err != nil {
			return err
		}
	}
	return p.holds(s, p.get(s))
}

// read checks that the blocks since the way began are bytes, with zeros up to whole blocks.
func (p *polyChain) read(c *Case, s *machine.State, bytes []term.Byte) error {
	blocks := s.Note.(polyNote).blocks
	if want := (len(bytes) + poly1305Block - 1) / poly1305Block; len(blocks) != want {
		return fmt.Errorf("Poly1305 has read %d blocks, want %d", len(blocks), want)
	}
	for i, block := range blocks {
		var got [poly1305Block]term.Byte
		c.Store.Bytes(got[:8], block[0])
		c.Store.Bytes(got[8:], block[1])
		for j, b := range got {
			want := term.ConstByte(0)
			if at := poly1305Block*i + j; at < len(bytes) {
				want = bytes[at]
			}
			if !c.Same(b, want) {
				return fmt.Errorf("Poly1305 has read %s as byte %d, want %s", c.FormatByte(b), poly1305Block*i+j, c.FormatByte(want))
			}
		}
	}
	return nil
}
