// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

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
	vector
	mask
	memory
	label
)

// An arg is a compiled operand.
type arg struct {
	kind kind
	imm  uint64
	at   int // of a register in State.Regs
	size int // of a vector, in bytes
	to   int // of a label

	base, index int // memory: where the registers lie, or -1
	scale       uint64
	fixed       term.Term // memory: the base, if no register is
}

func (c *compiler) arg(o *asm.Operand) arg {
	switch o.Kind {
	case asm.Immediate:
		return arg{kind: immediate, imm: uint64(o.Imm)}
	case asm.Register:
		return c.register(o.Reg)
	case asm.Label:
		to, ok := c.fn.Labels[o.Name]
		if !ok {
			machine.Fail("no label %s", o.Name)
		}
		return arg{kind: label, to: to}
	case asm.Memory:
		a := arg{kind: memory, imm: uint64(o.Imm), base: c.general(o.Reg), index: -1, scale: uint64(o.Scale)}
		if o.Index != "" {
			a.index = c.general(o.Index)
		}
		return a
	case asm.Argument:
		return arg{kind: memory, imm: uint64(o.Imm), base: -1, index: -1, fixed: c.env.Args.Base}
	case asm.Symbol:
		d := c.env.Data[o.Name]
		if d == nil {
			machine.Fail("no data %s", o.Name)
		}
		return arg{kind: memory, imm: uint64(o.Imm), base: -1, index: -1, fixed: d.Base}
	}
	machine.Fail("an operand of a kind that is not known")
	return arg{}
}

func (c *compiler) general(name string) int {
	at, ok := general[name]
	if !ok {
		machine.Fail("register %s in an address", name)
	}
	return at
}

func (c *compiler) register(name string) arg {
	if at, ok := general[name]; ok {
		return arg{kind: word, at: at}
	}
	if name == "CL" {
		return arg{kind: word, at: general["CX"], size: 1}
	}
	n, err := strconv.Atoi(name[1:])
	size := map[byte]int{'X': 16, 'Y': 32, 'Z': 64}[name[0]]
	switch {
	case err == nil && size > 0 && n < 32:
		return arg{kind: vector, at: Vectors + 64*n, size: size}
	case err == nil && name[0] == 'K' && n < 8:
		return arg{kind: mask, at: masks + 8*n}
	}
	machine.Fail("register %s", name)
	return arg{}
}

// want fails unless there are as many operands as kinds, each of its kind. A kind
// of memory or a register is spelled by the two.
func want(a []arg, kinds ...[]kind) {
	if len(a) != len(kinds) {
		machine.Fail("%d operands, want %d", len(a), len(kinds))
	}
	for i, allowed := range kinds {
		ok := false
		for _, k := range allowed {
			ok = ok || a[i].kind == k
		}
		if !ok || a[i].size == 1 && a[i].kind == word && i != 0 {
			machine.Fail("operand %d is of another kind", i+1)
		}
	}
}

// What operands may be.
var (
	isImm        = []kind{immediate}
	isWord       = []kind{word}
	isVector     = []kind{vector}
	isMask       = []kind{mask}
	isLabel      = []kind{label}
	isMemory     = []kind{memory}
	wordOrMem    = []kind{word, memory}
	vectorOrMem  = []kind{vector, memory}
	wordMemOrImm = []kind{word, memory, immediate}
)

// address returns the address of a memory operand.
func (a *arg) address(s *machine.State) term.Term {
	t := s.T
	sum := a.fixed
	if a.base >= 0 {
		sum = s.Word(a.base, 8)
	}
	if a.index >= 0 {
		return t.Linear(64, a.imm, []term.Term{sum, s.Word(a.index, 8)}, []uint64{1, a.scale})
	}
	if a.imm == 0 {
		return sum
	}
	return t.AddConst(sum, a.imm)
}

// value returns the n lower bytes of a word, of memory or of a constant, which is
// extended from 32 bits by its sign as the processor does.
func (a *arg) value(s *machine.State, n int) term.Term {
	switch a.kind {
	case word:
		return s.Word(a.at, n)
	case immediate:
		return s.T.Const(8*n, a.imm)
	case memory:
		var b [8]term.Byte
		s.Load(b[:n], a.address(s))
		return s.T.Gather(b[:n])
	}
	machine.Fail("an operand that has no value")
	return 0
}

// set stores t: in memory, or in a register, whose upper half becomes 0 if t has 32
// bits, and whose upper bits stay if it has fewer. SP stays as it is: arguments are
// addressed by it.
func (a *arg) set(s *machine.State, t term.Term) {
	a.keepsSP()
	var b [8]term.Byte
	n := s.T.Width(t) / 8
	s.T.Bytes(b[:], t)
	switch {
	case a.kind == memory:
		s.Store(b[:n], a.address(s))
	case n == 4:
		s.SetBytes(a.at, 8, b[:4])
	default:
		s.SetBytes(a.at, n, b[:n])
	}
}

func (a *arg) keepsSP() {
	if a.kind == word && a.at == sp {
		machine.Fail("changes SP")
	}
}

// bytes returns the bytes of a vector, or so many of memory.
func (a *arg) bytes(s *machine.State, n int) []term.Byte {
	if a.kind == vector {
		return s.Regs[a.at : a.at+n]
	}
	b := make([]term.Byte, n)
	s.Load(b, a.address(s))
	return b
}

// setBytes stores in a vector, whose upper bytes become 0, or in memory.
func (a *arg) setBytes(s *machine.State, b []term.Byte) {
	if a.kind == memory {
		s.Store(b, a.address(s))
		return
	}
	s.SetBytes(a.at, 64, b)
	if len(b) > 16 && a.at < Vectors+16*64 {
		s.Dirty = true
	}
}
