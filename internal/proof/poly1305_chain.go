// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
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
	fn    *asm.Func           // of which adds is known
	adds  map[int]asm.Operand // the additions of words to the two lower registers of h
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
	if block, ok := s.Held.(polyBlock); ok {
		s.Held = nil
		if block.by[0] != 0 && block.by[1] != 0 {
			p.add(c, s, block)
			return
		}
	}
	var blocks []polyBlock
	for _, words := range p.words {
		block := [2]term.Term{s.Word(words[0], 8), s.Word(words[1], 8)}
		blocks = append(blocks, polyBlock{words: block, by: block})
	}
	p.add(c, s, blocks...)
}

// standIn has an addition of a word of a block add an unknown in its place, the same for all blocks
// that come so far on a way: what is shown of h for one then holds for all.
func (p *polyChain) standIn(c *Case, s *machine.State) {
	if p.fn != c.fn {
		p.fn, p.adds = c.fn, map[int]asm.Operand{}
		for i := range c.fn.Code {
			in := &c.fn.Code[i]
			for _, words := range p.words {
				for j, op := range []string{"ADDS", "ADCS"} {
					if in.Op == op && len(in.Args) == 2 && in.Args[1].Kind == asm.Register && in.Args[0].Kind == asm.Register &&
						in.Args[0].Reg == fmt.Sprintf("R%d", words[j]/8) && in.Args[1].Reg == fmt.Sprintf("R%d", p.h[j]/8) {
						p.adds[i] = in.Args[0]
					}
				}
			}
		}
	}
	operand, ok := p.adds[s.PC]
	note, begun := s.Note.(polyNote)
	if !ok || !begun {
		return
	}
	i := 0
	if c.fn.Code[s.PC].Op == "ADCS" {
		i = 1
	}
	block, _ := s.Held.(polyBlock)
	if i == 0 {
		block = polyBlock{}
	}
	n, _ := strconv.Atoi(operand.Reg[1:])
	at := 8 * n
	block.words[i] = s.Word(at, 8)
	block.by[i] = p.unknown(c, len(note.blocks), i)
	block.undo = &swapped{at: int64(at), before: append([]term.Byte(nil), s.Regs[at:at+8]...)}
	s.SetWord(at, block.by[i])
	s.Held = block
}

// unknown stands for a word of a block.
func (p *polyChain) unknown(c *Case, block, word int) term.Term {
	type key struct {
		block, word int
		looped      bool
	}
	k := key{block, word, c.Looped}
	t, ok := c.Memo[k].(term.Term)
	if !ok {
		t = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("block%d.%d", block, word)})
		p.a.Word(t)
		c.Memo[k] = t
	}
	return t
}

// restore puts what something stood for back in its place.
func (p *polyChain) restore(s *machine.State) {
	block, _ := s.Held.(polyBlock)
	if u := block.undo; u != nil {
		if u.in == nil {
			copy(s.Regs[u.at:], u.before)
		} else {
			s.Mem.Swap(u.in, u.at, u.before)
		}
		block.undo = nil
		s.Held = block
	}
}

// add is added for a block that is one of some.
func (p *polyChain) add(c *Case, s *machine.State, blocks ...polyBlock) {
	type key struct {
		last  polyNumber
		times bool
		h     polyNumber
	}
	type cut struct {
		h     polyNumber
		which int
	}
	note, h := s.Note.(polyNote), p.get(s)
	done, ok := c.Memo[key{note.h, note.times, h}].(cut)
	if !ok {
		err := algebra.Safely(func() (err error) {
			for i, block := range blocks {
				done.which = i
				want := p.last(note).Plus(p.a.Number(64, block.by[:]...)).Plus(algebra.Constant(poly1305Marker))
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
	s.Note = polyNote{done.h, true, append(note.blocks[:n:n], blocks[done.which].words)}
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
