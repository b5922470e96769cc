// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"strconv"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

type kind uint8

const (
	immediate kind = iota
	word           // general purpose register
	vector         // with an arrangement
	element        // of a vector
	float          // a vector register by its F name
	memory
	label
	list
	condition
)

// An arg is a compiled operand.
type arg struct {
	kind  kind
	imm   uint64
	at    int // of a register in State.Regs, -1 for the register of zeros
	size  int // of a vector: bytes; of an element: its bytes
	lanes int // of a vector: bytes of a lane
	to    int // of a label
	name  string
	shift string // of a word that is shifted
	by    int
	regs  []arg

	base  int       // memory: where the register lies, or -1
	fixed term.Term // memory: the base, if no register is; an address
}

// arrangements have the bytes of a vector and those of a lane.
var arrangements = map[string][2]int{
	"B16": {16, 1}, "B8": {8, 1}, "H8": {16, 2}, "H4": {8, 2}, "S4": {16, 4}, "S2": {8, 4}, "D2": {16, 8}, "D1": {8, 8},
}

var elements = map[string]int{"B": 1, "H": 2, "S": 4, "D": 8}

func (c *compiler) arg(o *asm.Operand) arg {
	switch o.Kind {
	case asm.Immediate:
		return arg{kind: immediate, imm: uint64(o.Imm)}
	case asm.Register:
		return register(o)
	case asm.List:
		a := arg{kind: list}
		for i := range o.Regs {
			a.regs = append(a.regs, register(&o.Regs[i]))
		}
		return a
	case asm.Label:
		if to, ok := c.fn.Labels[o.Name]; ok {
			return arg{kind: label, to: to}
		}
		return arg{kind: condition, name: o.Name}
	case asm.Memory:
		base := register(&asm.Operand{Reg: o.Reg, Lane: -1})
		if base.kind != word || base.at < 0 || o.Index != "" {
			machine.Fail("an address of a form that is not known")
		}
		return arg{kind: memory, imm: uint64(o.Imm), base: base.at}
	case asm.Argument:
		return arg{kind: memory, imm: uint64(o.Imm), base: -1, fixed: c.env.Args.Base}
	case asm.AddressOf:
		return arg{kind: immediate, fixed: c.data(o), name: o.Name}
	}
	machine.Fail("an operand of a kind that is not known")
	return arg{}
}

// data returns the address of data.
func (c *compiler) data(o *asm.Operand) term.Term {
	if c.env.Data[o.Name] == nil {
		machine.Fail("no data %s", o.Name)
	}
	return c.t.AddConst(c.env.Data[o.Name].Base, uint64(o.Imm))
}

func register(o *asm.Operand) arg {
	if o.Reg == "ZR" {
		return arg{kind: word, at: -1}
	}
	if o.Reg == "RSP" {
		return arg{kind: word, at: stackPointer}
	}
	n, err := strconv.Atoi(o.Reg[1:])
	switch {
	case err != nil || n > 31:
	case o.Reg[0] == 'R' && n < 27 && n != 18: // the others are the platform's, the assembler's, Go's
		return arg{kind: word, at: 8 * n, shift: o.Shift, by: int(o.Amount)}
	case o.Reg[0] == 'F':
		return arg{kind: float, at: Vectors + 16*n}
	case o.Reg[0] == 'V' && o.Lane >= 0:
		if w := elements[o.Arrangement]; w > 0 && o.Lane < 16/w {
			return arg{kind: element, at: Vectors + 16*n + w*o.Lane, size: w}
		}
	case o.Reg[0] == 'V':
		if a, ok := arrangements[o.Arrangement]; ok {
			return arg{kind: vector, at: Vectors + 16*n, size: a[0], lanes: a[1]}
		}
	}
	machine.Fail("register %s", o.Reg)
	return arg{}
}

// want fails unless there are as many operands as kinds, each of its kind.
func want(a []arg, kinds ...kind) {
	if len(a) != len(kinds) {
		machine.Fail("%d operands, want %d", len(a), len(kinds))
	}
	for i, k := range kinds {
		if a[i].kind != k || a[i].shift != "" && i > 0 {
			machine.Fail("operand %d is of another kind", i+1)
		}
	}
}

// value returns the n lower bytes of a word, shifted as the operand says, or of a
// constant.
func (a *arg) value(s *machine.State, n int) term.Term {
	switch {
	case a.kind == immediate && a.fixed != 0:
		return a.fixed
	case a.kind == immediate:
		return s.T.Const(8*n, a.imm)
	case a.kind != word:
		machine.Fail("an operand that has no value")
	case a.at < 0:
		return s.T.Const(8*n, 0)
	}
	t := s.Word(a.at, n)
	switch a.shift {
	case "<<":
		return s.T.Shl(t, a.by)
	case ">>":
		return s.T.Shr(t, a.by)
	case "":
		return t
	}
	machine.Fail("shift %s", a.shift)
	return 0
}

// set stores t in a register, extended by zeros. The stack pointer stays as it is:
// arguments are addressed by it.
func (a *arg) set(s *machine.State, t term.Term) {
	if a.kind != word || a.shift != "" || a.at == stackPointer {
		machine.Fail("a destination of another kind")
	}
	if a.at >= 0 {
		s.SetWord(a.at, s.T.Extend(t, 64))
	}
}

// get sets b to the lower bytes of a register.
func (a *arg) get(s *machine.State, b []term.Byte) {
	if a.kind == float {
		copy(b, s.Regs[a.at:])
	} else {
		s.T.Bytes(b, a.value(s, len(b)))
	}
}

// put sets a register to b, with zeros above it.
func (a *arg) put(s *machine.State, b []term.Byte) {
	if a.kind == float {
		a.setVector(s, b)
	} else {
		a.set(s, s.T.Gather(b))
	}
}

// setVector stores the bytes of a vector, whose upper ones become 0.
func (a *arg) setVector(s *machine.State, b []term.Byte) { s.SetBytes(a.at, 16, b) }

// A place is memory that an instruction loads or stores. It may change the register of the address, before the
// access or after it.
type place struct {
	arg
	before, after bool
}

// place returns the place of an operand. An instruction that changes the register of the address must not load or store
// that as well: what it does then is open.
func (c *compiler) place(a arg, regs ...arg) place {
	p := place{a, c.before, c.after}
	if a.kind != memory || p.changes() && (a.base < 0 || a.base == stackPointer) {
		machine.Fail("an address of a form that is not known")
	}
	for _, r := range regs {
		if p.changes() && r.at == a.base {
			machine.Fail("one register for two things")
		}
	}
	return p
}

func (p *place) changes() bool { return p.before || p.after }

func (p *place) load(s *machine.State, b []term.Byte) {
	address, sum := p.addresses(s)
	s.Load(b, address)
	if p.changes() {
		s.SetWord(p.base, sum)
	}
}

func (p *place) store(s *machine.State, b []term.Byte) {
	address, sum := p.addresses(s)
	s.Store(b, address)
	if p.changes() {
		s.SetWord(p.base, sum)
	}
}

// addresses returns the address, and the sum of base and offset.
func (p *place) addresses(s *machine.State) (address, sum term.Term) {
	base := p.fixed
	if p.base >= 0 {
		base = s.Word(p.base, 8)
	}
	sum = s.T.AddConst(base, p.imm)
	if p.after {
		return base, sum
	}
	return sum, sum
}
