// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A polyChain is Poly1305 block by block, h = (h + block)·r, with h in three general
// registers. Where a block has been added, h is shown to be what it was before, times r if
// that was still to come, plus the block, modulo the prime; then it becomes new unknowns.
// So no number is larger than one product, and what remains of a message is the list of
// its blocks.
type Chain struct {
	H     [3]int   // where the registers lie
	Words [][2]int // where the words of a block may be when it is added
	R     [2]term.Term
	A     *algebra.Algebra
	fn    *asm.Func           // of which adds is known
	adds  map[int]asm.Operand // the additions of words to the two lower registers of h
}

// begin makes r new unknowns, clamped as in RFC 8439, section 2.5.
func (p *Chain) Begin(c *engine.Case) {
	p.A = algebra.New(c.Store)
	p.R[0] = c.NewLeaf(64, term.LeafInfo{Name: "r0", Max: 1<<60 - 1})
	p.R[1] = c.Shl(c.NewLeaf(64, term.LeafInfo{Name: "r1/4", Max: 1<<58 - 1}), 2)
}

// maxChain is the most that the upper word of h is when no block has been added since the
// last product.
const MaxChain = 4

// A polyNumber is h in words.
type Number [3]term.Term

func NewNumber(c *engine.Case, name string, most uint64) (h Number) {
	for i, max := range []uint64{^uint64(0), ^uint64(0), most} {
		h[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("%s%d", name, i), Max: max})
	}
	return h
}

// A polyNote is what is kept of the way in State.Note: h at the last cut, whether it is
// still to be multiplied by r, and the blocks since the way began.
type Note struct {
	H      Number
	Times  bool
	Blocks [][2]term.Term
}

// enter begins a way with h as new unknowns.
func (p *Chain) Enter(c *engine.Case, s *machine.State, name string) {
	h := NewNumber(c, name, MaxChain)
	p.Set(s, h)
	s.Note = Note{H: h}
}

func (p *Chain) Set(s *machine.State, h Number) {
	for i, at := range p.H {
		s.SetWord(at, h[i])
	}
}

func (p *Chain) Get(s *machine.State) (h Number) {
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

// added is the cut after a block was added, with the bit above it.
func (p *Chain) Added(c *engine.Case, s *machine.State) {
	if block, ok := s.Held.(heldBlock); ok {
		s.Held = nil
		if block.by[0] != 0 && block.by[1] != 0 {
			p.add(c, s, block)
			return
		}
	}
	var blocks []heldBlock
	for _, words := range p.Words {
		block := [2]term.Term{s.Word(words[0], 8), s.Word(words[1], 8)}
		blocks = append(blocks, heldBlock{words: block, by: block})
	}
	p.add(c, s, blocks...)
}

// standIn has an addition of a word of a block add an unknown in its place, the same for all blocks
// that come so far on a way: what is shown of h for one then holds for all.
func (p *Chain) StandIn(c *engine.Case, s *machine.State) {
	if p.fn != c.Fn {
		p.fn, p.adds = c.Fn, map[int]asm.Operand{}
		for i := range c.Fn.Code {
			in := &c.Fn.Code[i]
			for _, words := range p.Words {
				for j, op := range []string{"ADDS", "ADCS"} {
					if in.Op == op && len(in.Args) == 2 && in.Args[1].Kind == asm.Register && in.Args[0].Kind == asm.Register &&
						in.Args[0].Reg == fmt.Sprintf("R%d", words[j]/8) && in.Args[1].Reg == fmt.Sprintf("R%d", p.H[j]/8) {
						p.adds[i] = in.Args[0]
					}
				}
			}
		}
	}
	operand, ok := p.adds[s.PC]
	note, begun := s.Note.(Note)
	if !ok || !begun {
		return
	}
	i := 0
	if c.Fn.Code[s.PC].Op == "ADCS" {
		i = 1
	}
	block, _ := s.Held.(heldBlock)
	if i == 0 {
		block = heldBlock{}
	}
	n, _ := strconv.Atoi(operand.Reg[1:])
	at := 8 * n
	block.words[i] = s.Word(at, 8)
	block.by[i] = p.unknown(c, len(note.Blocks), i)
	block.undo = &swapped{at: int64(at), before: append([]term.Byte(nil), s.Regs[at:at+8]...)}
	s.SetWord(at, block.by[i])
	s.Held = block
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

// restore puts what something stood for back in its place.
func (p *Chain) Restore(s *machine.State) {
	block, _ := s.Held.(heldBlock)
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
func (p *Chain) add(c *engine.Case, s *machine.State, blocks ...heldBlock) {
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
	done, ok := c.Memo[key{note.H, note.Times, h}].(cut)
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
		c.Memo[key{note.H, note.Times, h}] = done
	}
	p.Set(s, done.h)
	n := len(note.Blocks)
	s.Note = Note{done.h, true, append(note.Blocks[:n:n], blocks[done.which].words)}
}

// holds checks that words are h.
func (p *Chain) Holds(s *machine.State, h Number) error {
	return algebra.Safely(func() error {
		if most := p.A.Most(h[2]); most.Cmp(big.NewInt(MaxChain)) > 0 {
			return fmt.Errorf("the upper word of h may be %s", most)
		}
		return congruent(p.A.Number(64, h[:]...), p.last(s.Note.(Note)))
	})
}

// ended is the cut after the last product.
func (p *Chain) Ended(c *engine.Case, s *machine.State) {
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
	p.Set(s, end)
	s.Note = Note{H: end, Blocks: note.Blocks}
}

// arrives checks a loop's head: h is in its registers, and before the first turn there was
// no block.
func (p *Chain) Arrives(c *engine.Case, s *machine.State, first bool) error {
	if first {
		if err := p.Read(c, s, nil); err != nil {
			return err
		}
	}
	return p.Holds(s, p.Get(s))
}

// read checks that the blocks since the way began are bytes, with zeros up to whole blocks.
func (p *Chain) Read(c *engine.Case, s *machine.State, bytes []term.Byte) error {
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
