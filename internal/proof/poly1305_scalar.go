// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A scalarPoly is Poly1305 on the scalar multiplier of amd64, where h is still to be multiplied
// by r when a block is added.
type scalarPoly struct {
	polyChain
	fn      *asm.Func // of which it knows:
	words   map[int][2]asm.Operand
	ends    map[int]bool
	pending *[2]term.Term // the words of the block in hand
}

// start declares r.
func (p *scalarPoly) start(c *Case, h [3]int) {
	p.polyChain.h, p.pending = h, nil
	p.polyChain.begin(c)
}

// learn finds where blocks are added: at an addition of the bit above a block, whose words are those
// of the two additions before it; and where a product ends, with two carries.
func (p *scalarPoly) learn(fn *asm.Func) {
	p.fn, p.words, p.ends = fn, map[int][2]asm.Operand{}, map[int]bool{}
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
			}
			if adds(0, "ADCQ") && at(0).Kind == asm.Immediate && adds(1, "ADDQ") && at(1).Kind == asm.Register {
				p.ends[i] = true
			}
		}
		before = append(before, i)
	}
}

// adding reports whether the instruction adds the bit above a block.
func (p *scalarPoly) adding(c *Case, s *machine.State) bool {
	if p.fn != c.fn {
		p.learn(c.fn)
	}
	_, ok := p.words[s.PC]
	return ok
}

// blocks is the cut after each block, and after the last product.
func (p *scalarPoly) blocks(c *Case, s *machine.State) {
	if p.adding(c, s) {
		operands := p.words[s.PC]
		p.pending = new([2]term.Term)
		for i := range operands {
			p.pending[i] = c.operand(s, &operands[i])
			p.a.Word(p.pending[i])
		}
	}
	switch {
	case !p.ends[s.PC]:
	case s.Note == nil:
		machine.Fail("a product before there is a block")
	case p.pending == nil:
		p.ended(c, s)
	default:
		block := *p.pending
		p.pending = nil
		p.add(c, s, block)
	}
}

// operand returns the value of an operand of 8 bytes.
func (c *Case) operand(s *machine.State, o *asm.Operand) term.Term {
	switch o.Kind {
	case asm.Register:
		return register(o.Reg).word(s)
	case asm.Argument:
		return c.stored(s, c.args, o.Imm)
	}
	if o.Kind != asm.Memory || o.Index != "" {
		machine.Fail("a block that is no word")
	}
	object, at := s.Resolve(c.AddConst(register(o.Reg).word(s), uint64(o.Imm)))
	return c.stored(s, object, at)
}

// hasTag has memory be the tag of h.
func (c *Case) hasTag(s *machine.State, o *machine.Object, at int64, h polyNumber, add [2]term.Term) error {
	for i, want := range c.polyTag(h, add, c.reachesAbove) {
		if got := c.stored(s, o, at+int64(8*i)); got != want {
			return fmt.Errorf("the tag is %s, want %s", c.Format(got), c.Format(want))
		}
	}
	return nil
}
