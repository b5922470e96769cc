// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A scalarPoly is Poly1305 on the scalar multiplier of amd64, where h is still to be multiplied
// by r when a block is added.
type Scalar struct {
	Chain
	fn    *asm.Func // of which it knows:
	words map[int][2]asm.Operand
	adds  map[int]int // the additions of words, and which ones
	ends  map[int]bool
}

// start declares r.
func (p *Scalar) Start(c *engine.Case, h [3]int) {
	p.Chain.H = h
	p.Chain.Begin(c)
}

// learn finds where blocks are added: at an addition of the bit above a block, whose words are those
// of the two additions before it; and where a product ends, with two carries.
func (p *Scalar) learn(fn *asm.Func) {
	p.fn, p.words, p.ends, p.adds = fn, map[int][2]asm.Operand{}, map[int]bool{}, map[int]int{}
	var before []int // scalar instructions
	adds := func(i int, op string) bool {
		return i < len(before) && fn.Code[before[len(before)-1-i]].Op == op
	}
	at := func(i int) *asm.Operand { return &fn.Code[before[len(before)-1-i]].Args[0] }
	for i := range fn.Code {
		in := &fn.Code[i]
		if in.Op[0] == 'V' {
			continue
		}
		if in.Op == "ADCQ" && in.Args[0].Kind == asm.Immediate {
			if in.Args[0].Imm == 1 && adds(0, "ADDQ") && adds(1, "ADCQ") && adds(2, "ADDQ") {
				p.words[i] = [2]asm.Operand{*at(2), *at(0)}
				p.adds[before[len(before)-3]], p.adds[before[len(before)-1]] = 0, 1
			}
			if adds(0, "ADCQ") && at(0).Kind == asm.Immediate && adds(1, "ADDQ") && at(1).Kind == asm.Register {
				p.ends[i] = true
			}
		}
		before = append(before, i)
	}
}

// adding reports whether the instruction adds the bit above a block.
func (p *Scalar) Adding(c *engine.Case, s *machine.State) bool {
	if p.fn != c.Fn {
		p.learn(c.Fn)
	}
	_, ok := p.words[s.PC]
	return ok
}

// A polyBlock is the block in hand: its words, and what stands for them while they are added.
type heldBlock struct {
	words, by [2]term.Term
	undo      *swapped
}

// swapped is an operand that something else stands for.
type swapped struct {
	in     *machine.Object // or a register
	at     int64
	before []term.Byte
}

// standIn has an addition of a word of a block add an unknown in its place, the same for all blocks
// that come so far on a way: what is shown of h for one then holds for all.
func (p *Scalar) StandIn(c *engine.Case, s *machine.State) {
	note, ok := s.Note.(Note)
	if p.fn != c.Fn {
		p.learn(c.Fn)
	}
	i, adds := p.adds[s.PC]
	if !ok || !adds {
		return
	}
	block, _ := s.Held.(heldBlock)
	if i == 0 {
		block = heldBlock{}
	}
	operand := &c.Fn.Code[s.PC].Args[0]
	word := wordOf(c, s, operand)
	by := p.unknown(c, len(note.Blocks), i)
	var bytes [8]term.Byte
	c.Store.Bytes(bytes[:], by)
	undo := &swapped{}
	if operand.Kind == asm.Register {
		undo.at = int64(amd64.Register(operand.Reg))
		undo.before = append(undo.before, s.Regs[undo.at:undo.at+8]...)
		copy(s.Regs[undo.at:], bytes[:])
	} else {
		undo.in, undo.at = placeOf(c, s, operand)
		undo.before = s.Mem.Swap(undo.in, undo.at, bytes[:])
	}
	block.words[i], block.by[i], block.undo = word, by, undo
	s.Held = block
}

// blocks is the cut after each block, and after the last product.
func (p *Scalar) Blocks(c *engine.Case, s *machine.State) {
	p.Restore(s)
	block, held := s.Held.(heldBlock)
	if p.Adding(c, s) && (!held || block.by[1] == 0) {
		block, held = heldBlock{}, true
		for i, operand := range p.words[s.PC] {
			block.words[i] = wordOf(c, s, &operand)
			p.A.Word(block.words[i])
		}
		block.by = block.words
		s.Held = block
	}
	switch {
	case !p.ends[s.PC]:
	case s.Note == nil:
		machine.Fail("a product before there is a block")
	case !held:
		p.Ended(c, s)
	default:
		s.Held = nil
		p.add(c, s, block)
	}
}

// operand returns the value of an operand of 8 bytes.
func wordOf(c *engine.Case, s *machine.State, o *asm.Operand) term.Term {
	switch o.Kind {
	case asm.Register:
		return Register(o.Reg).Word(s)
	case asm.Argument:
		return c.Stored(s, c.Arguments, o.Imm)
	}
	if o.Kind != asm.Memory || o.Index != "" {
		machine.Fail("a block that is no word")
	}
	object, at := placeOf(c, s, o)
	return c.Stored(s, object, at)
}

// place returns where an operand in memory is.
func placeOf(c *engine.Case, s *machine.State, o *asm.Operand) (object *machine.Object, at int64) {
	if o.Kind == asm.Argument {
		return c.Arguments, o.Imm
	}
	return s.Resolve(c.AddConst(Register(o.Reg).Word(s), uint64(o.Imm)))
}

// hasTag has memory be the tag of h.
func HasTag(c *engine.Case, s *machine.State, o *machine.Object, at int64, h Number, add [2]term.Term) error {
	for i, want := range spec.Poly1305Tag(c.Store, h, add, spec.ReachesAbove) {
		if got := c.Stored(s, o, at+int64(8*i)); got != want {
			return fmt.Errorf("the tag is %s, want %s", c.Format(got), c.Format(want))
		}
	}
	return nil
}

// A register is one of amd64, by its name.
type Register string

func (g Register) Word(s *machine.State) term.Term { return s.Word(amd64.Register(string(g)), 8) }

func (g Register) Set(s *machine.State, t term.Term) { s.SetWord(amd64.Register(string(g)), t) }
