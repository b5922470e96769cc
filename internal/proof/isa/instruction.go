// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package isa defines operands, operand forms and operations that both architectures
// share.
package isa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Row describes the operands and effect of all instructions that share a name. Form
// lists the accepted operand forms, separated by |. Each form has one field per
// operand, whose letters are the operand kinds allowed there. For example, in "vm v v",
// the first operand is a vector or memory, and the others are vectors. If the last two
// operands are the same, source code can omit one, except in instructions whose names
// start with V.
//
//	i  constant                       v  vector; all v and d have the same size and arrangement
//	w  general purpose register       d  vector that is both the destination and the last source
//	s  shifted register               x  vector of 16 bytes, y of 32, z of 64
//	c  CL                             u  vector of any size
//	m  memory, at most one            e  element of a vector
//	k  mask                           f  vector under its floating-point name
//	l  label                          a  address of data
//	n  name of a condition
type Row = struct {
	Form string
	Do   Meaning
}

// A Meaning executes an instruction.
type Meaning func(x *Instr)

// NewTable merges parts. A key may contain several names, separated by spaces.
func NewTable[T any](parts ...map[string]T) map[string]T {
	t := map[string]T{}
	for _, part := range parts {
		for names, entry := range part {
			for _, name := range strings.Fields(names) {
				if _, twice := t[name]; twice {
					panic("isa: duplicate table entry for " + name)
				}
				t[name] = entry
			}
		}
	}
	return t
}

// An Architecture contains the differences between amd64 and arm64.
type Architecture struct {
	*machine.Layout
	Stack    int                                               // offset in State.Regs of the stack pointer, which no instruction changes
	Below    uint64                                            // distance from the stack pointer up to the frame
	End      func(s, entry *machine.State, fn *asm.Func) error // checks the state on return
	Sets     func(in *asm.Instr) []string                      // returns the instruction sets that an instruction needs, named as in internal/cpu
	Baseline string                                            // instruction set that every processor has, named as in internal/cpu

	Decode    func(in *asm.Instr) *asm.Instr // decodes an instruction that is written as a number
	Row       func(x *Instr) Row             // parses name and suffix and returns the row
	Check     func(x *Instr, form string)    // rejects invalid operands that the form allows
	Register  func(o *asm.Operand) Operand
	SetVector func(x *Instr, o *Operand, b []term.Byte)
	Narrow    bool // writes of 1 or 2 bytes preserve the rest of the register
}

// An Instr is a compiled instruction and the state that it changes.
type Instr struct {
	*machine.State
	*Architecture
	Name, Suffix string
	N            int // size of a word or a lane in bytes, according to the name
	Size         int // size of the vectors in bytes, if they all have the same size
	Args         []Operand

	// These describe the effects of a suffix, a mask and an address.
	Mask                *Operand // amd64: mask register that selects vector elements
	Zeroing             bool     // amd64: unselected elements become 0
	Broadcast           bool     // amd64: all elements are copies of one in memory
	Legacy              bool     // amd64: only the first 16 bytes of a vector change
	Align               int64
	PreIndex, PostIndex bool // arm64: the base changes before or after the access

	inOut bool // the destination is also the last source
	memos []memo
	*scratch
}

// scratch is memory that the instructions of a program share, so that executing them does
// not allocate. Each instruction begins with empty slices.
type scratch struct {
	src      [][]term.Byte
	out      []term.Byte // of a VectorOp
	operands []term.Byte // operands that are not in registers
}

// Compile returns the program of fn.
func (a *Architecture) Compile(fn *asm.Func, env *machine.Env) (*machine.Program, error) {
	p, shared := &machine.Program{}, &scratch{out: make([]term.Byte, 64)}
	for i := range fn.Code {
		in := &fn.Code[i]
		if err := machine.Try(func() { p.Ops = append(p.Ops, a.compile(in, fn, env, shared)) }); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", in.Line, in.Op, err)
		}
		p.Lines = append(p.Lines, in.Line)
	}
	return p, nil
}

func (a *Architecture) compile(in *asm.Instr, fn *asm.Func, env *machine.Env, shared *scratch) machine.Op {
	in = a.Decode(in)
	x := &Instr{Architecture: a, scratch: shared}
	x.Name, x.Suffix, _ = strings.Cut(in.Op, ".")
	for i := range in.Args {
		o := &in.Args[i]
		for j := range o.Regs {
			x.Args = append(x.Args, a.operand(&o.Regs[j], fn, env))
		}
		if o.Kind != asm.List {
			x.Args = append(x.Args, a.operand(o, fn, env))
		}
	}
	row := a.Row(x)
	if !slices.ContainsFunc(strings.Split(row.Form, "|"), x.fits) {
		machine.Fail("unsupported instruction form")
	}
	a.Check(x, row.Form)
	return func(s *machine.State) {
		x.State, x.operands = s, x.operands[:0]
		row.Do(x)
		x.State = nil // do not keep the state, because a program outlives its states
	}
}

func (x *Instr) fits(form string) bool {
	fields, args := strings.Fields(form), x.Args
	if len(args) == len(fields)-1 && len(args) > 0 && x.Name[0] != 'V' {
		args = append(slices.Clone(args), args[len(args)-1])
	}
	if len(args) != len(fields) {
		return false
	}
	var first *Operand
	memory := 0
	for i, field := range fields {
		o := &args[i]
		is := string(o.Kind)
		if o.Kind == 'v' {
			is = "vdu" + map[int]string{16: "x", 32: "y", 64: "z"}[o.Size]
		}
		if !strings.ContainsAny(field, is) {
			return false
		}
		switch {
		case o.Kind == 'm' && i < len(x.Args):
			memory++
		case o.Kind == 'e':
			x.N = o.Lane
		case o.Kind == 'v' && strings.ContainsAny(field, "vd"):
			if first == nil {
				first = o
			}
			if o.Size != first.Size || o.Lane != first.Lane {
				return false
			}
		}
	}
	if first != nil {
		x.Size = first.Size
		if lane := first.Lane; lane > 0 {
			x.N = lane
		}
	}
	x.Args, x.inOut = args, strings.HasSuffix(form, "d")
	return memory <= 1
}
