// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package isa has what the meanings of both architectures' instructions share: operands, the forms
// that a table allows, and the operations on words, lanes and bytes.
package isa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Row of a table is what instructions with its name mean, and what their operands may be: a field for
// each, with the letters of all kinds that are allowed there; | is before another form.
//
//	i  constant                       v  vector, all v and d of one size and arrangement
//	w  general purpose register       d  such a one that is read, too, as the last source
//	s  one that is shifted            x  vector of 16 bytes, y of 32, z of 64
//	c  CL                             u  vector of any size
//	m  memory, at most one            e  element of a vector
//	k  mask                           f  vector by its name as a float
//	l  label                          a  address of data
//	n  name of a condition
//
// An instruction whose last two operands are one may leave one out, but for those whose names begin with V.
type Row = struct {
	Form string
	Do   Meaning
}

// A Meaning runs an instruction.
type Meaning func(x *Instr)

// NewTable returns a table with an entry for each name, from parts that have one for several, with spaces between.
func NewTable[T any](parts ...map[string]T) map[string]T {
	t := map[string]T{}
	for _, part := range parts {
		for names, entry := range part {
			for _, name := range strings.Fields(names) {
				if _, twice := t[name]; twice {
					panic("isa: two meanings of " + name)
				}
				t[name] = entry
			}
		}
	}
	return t
}

// An Architecture is what differs between them.
type Architecture struct {
	*machine.Layout
	Stack    int                                               // where the stack pointer lies, which no instruction changes
	Below    uint64                                            // how far it points below the frame
	End      func(s, entry *machine.State, fn *asm.Func) error // what must hold on return
	Sets     func(in *asm.Instr) []string                      // that an instruction needs, by the names of internal/cpu
	Baseline string                                            // what every processor has, by its name there

	Decode    func(in *asm.Instr) *asm.Instr // what an instruction is, if the text has only its number
	Row       func(x *Instr) Row             // by its name and suffix, which it reads
	Check     func(x *Instr, form string)    // refuses operands that the form alone does not
	Register  func(o *asm.Operand) Operand
	SetVector func(x *Instr, o *Operand, b []term.Byte)
	Narrow    bool // changes of 1 or 2 bytes leave the rest of a word
}

// An Instr is a compiled instruction, and the state while it runs.
type Instr struct {
	*machine.State
	*Architecture
	Name, Suffix string
	N            int // bytes of a word, by the name, or of a lane
	Size         int // of the vectors, if all have one
	Args         []Operand

	// Amd64: the mask, whose elements alone are changed, or the others become 0; one element of memory is
	// repeated; bytes above the first 16 stay; what memory must be a multiple of.
	Mask                       *Operand
	Zeroing, Broadcast, Legacy bool
	Align                      int64
	// Arm64: the register of the address is changed before or after the access.
	PreIndex, PostIndex bool

	inOut bool // the destination is the last source
	memos []memo
	src   [][]term.Byte // here, so that runs need no memory for them
	out   [64]term.Byte
}

// Compile returns a function's program.
func (a *Architecture) Compile(fn *asm.Func, env *machine.Env) (*machine.Program, error) {
	p := &machine.Program{}
	for i := range fn.Code {
		in := &fn.Code[i]
		if err := machine.Try(func() { p.Ops = append(p.Ops, a.compile(in, fn, env)) }); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", in.Line, in.Op, err)
		}
		p.Lines = append(p.Lines, in.Line)
	}
	return p, nil
}

func (a *Architecture) compile(in *asm.Instr, fn *asm.Func, env *machine.Env) machine.Op {
	in = a.Decode(in)
	x := &Instr{Architecture: a}
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
		machine.Fail("no such form")
	}
	a.Check(x, row.Form)
	return func(s *machine.State) {
		x.State = s
		row.Do(x)
		x.State = nil // a program outlives states
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
