// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"strings"

	"fmt"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Scalar is Poly1305 on the scalar multiplier of amd64, where h is still to be multiplied
// by r when a block is added.
type Scalar struct {
	Chain
	fn    *asm.Func // of which it knows:
	words map[int][2]asm.Operand
	adds  map[int]int // the additions of words, and which ones
	ends  map[int]bool
}

// Start declares r.
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
		if isVector(in) {
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

// isVector reports whether an instruction is one on vectors, whatever its encoding.
func isVector(in *asm.Instr) bool {
	return in.Op[0] == 'V' || in.Op[0] == 'P' || strings.HasPrefix(in.Op, "MOVO")
}

// Adding reports whether the instruction adds the bit above a block.
func (p *Scalar) Adding(c *engine.Case, s engine.View) bool {
	if p.fn != c.Fn {
		p.learn(c.Fn)
	}
	_, ok := p.words[s.PC]
	return ok
}

// StandIn has an addition of a word of a block add an unknown in its place.
func (p *Scalar) StandIn(c *engine.Case, s engine.View) *engine.StandIn {
	note, ok := s.Note.(Note)
	if p.fn != c.Fn {
		p.learn(c.Fn)
	}
	i, adds := p.adds[s.PC]
	if !ok || !adds {
		return nil
	}
	operand := &c.Fn.Code[s.PC].Args[0]
	return p.standIn(c, note, i, placeOf(c, s, operand), wordOf(c, s, operand))
}

// Adds is the claim where a block is added to h for the first time, on a way that has come so far.
func (p *Scalar) Adds(c *engine.Case, s engine.View, note Note) *engine.Claim {
	for i, operand := range p.words[s.PC] {
		note.adding.words[i] = wordOf(c, s, &operand)
		p.A.Word(note.adding.words[i])
	}
	note.adding.by = note.adding.words
	return &engine.Claim{Note: note}
}

// BlocksAdded is the claim after each block, and after the last product.
func (p *Scalar) BlocksAdded(c *engine.Case, s engine.View) *engine.Claim {
	note, begun := s.Note.(Note)
	if begun && p.Adding(c, s) && note.adding.by[1] == 0 {
		return p.Adds(c, s, note)
	}
	switch {
	case !p.ends[s.PC]:
		return nil
	case !begun:
		machine.Fail("a product before there is a block")
	case note.adding == block{}:
		return p.Ended(c, s)
	}
	return p.add(c, s, note.adding)
}

// wordOf returns the value of an operand of 8 bytes.
func wordOf(c *engine.Case, s engine.View, o *asm.Operand) term.Term {
	return s.Has(placeOf(c, s, o), 64)
}

// placeOf returns where an operand is.
func placeOf(c *engine.Case, s engine.View, o *asm.Operand) engine.Place {
	switch {
	case o.Kind == asm.Register:
		return engine.InRegisters(amd64.Register(o.Reg))
	case o.Kind == asm.Argument:
		return engine.In(c.Arguments, o.Imm)
	case o.Kind != asm.Memory || o.Index != "":
		machine.Fail("a block that is no word")
	}
	return engine.In(s.Resolve(c.AddConst(Register(o.Reg).Word(s), uint64(o.Imm))))
}

// HasTag has memory be the tag of h.
func HasTag(c *engine.Case, s engine.View, o *machine.Object, at int64, h Number, add [2]term.Term) error {
	for i, want := range spec.Poly1305Tag(c.Store, h, add, spec.ReachesAbove) {
		if got := s.Stored(o, at+int64(8*i)); got != want {
			return fmt.Errorf("the tag is %s, want %s", c.Format(got), c.Format(want))
		}
	}
	return nil
}

// A Register is one of amd64, by its name.
type Register string

// Word returns what the register has.
func (g Register) Word(s engine.View) term.Term { return s.Word(amd64.Register(string(g)), 8) }

// Has says what the register has.
func (g Register) Has(t term.Term) engine.Has {
	return engine.Has{Place: g.Place(), Term: t}
}

// Place returns where the register is.
func (g Register) Place() engine.Place { return engine.InRegisters(amd64.Register(string(g))) }
