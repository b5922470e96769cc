// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package isa defines the operands, forms and operations that both architectures share.
package isa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/cpu"
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
	Stack    int                                         // offset in State.Regs of the stack pointer, which no instruction changes
	Below    uint64                                      // distance from the stack pointer up to the frame
	End      func(s, entry *machine.State, fn *asm.Func) // checks the state on return
	Sets     func(in *asm.Instr) []string                // returns the instruction sets that in needs, named as in internal/cpu
	Baseline string                                      // instruction set that every processor has, named as in internal/cpu

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
	Mask                *Operand         // amd64: mask register that selects vector elements
	Zeroing             bool             // amd64: unselected elements become 0
	Wanted              func(i int) bool // amd64: reports whether byte i of memory is accessed; nil for all
	Broadcast           bool             // amd64: all elements are copies of one in memory
	Legacy              bool             // amd64: only the first 16 bytes of a vector change
	Align               int64
	PreIndex, PostIndex bool // arm64: the base changes before or after the access

	Control func(src, element int) int // for a Source: returns the lowest byte of an element, which must be constant
	inOut   bool                       // the destination is also the last source
	memos   []memo
	*scratch
}

// scratch is memory that a program's instructions share. Every instruction empties it first.
type scratch struct {
	src      []term.Byte // sources of a VectorOp
	operands []term.Byte // operands that are not in registers
}

// Program returns the program of fn, which compiles instructions when they are first executed.
func (a *Architecture) Program(fn *asm.Func, env *machine.Env) *machine.Program {
	n, shared := len(fn.Code), &scratch{}
	p := &machine.Program{Ops: make([]machine.Op, n), Lines: make([]int, n)}
	for i := range fn.Code {
		p.Lines[i] = fn.Code[i].Line
	}
	p.Compile = func(i int) (op machine.Op, err error) {
		in := &fn.Code[i]
		if err = machine.Try(func() { op = a.compile(in, fn, env, shared) }); err != nil {
			err = fmt.Errorf("%s: %w", in.Op, err)
		}
		return op, err
	}
	return p
}

func (a *Architecture) compile(in *asm.Instr, fn *asm.Func, env *machine.Env, shared *scratch) machine.Op {
	a.Sets(in) // rejects forms that no instruction set contains
	in = a.Decode(in)
	x := &Instr{Architecture: a, scratch: shared, Args: make([]Operand, 0, len(in.Args)+1)}
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
	machine.Refuse(!slices.ContainsFunc(strings.Split(row.Form, "|"), x.fits), "unsupported instruction form")
	a.Check(x, row.Form)
	return func(s *machine.State) {
		x.State, x.operands = s, x.operands[:0]
		row.Do(x)
		x.State = nil // do not keep the state, because a program outlives its states
	}
}

// letters maps the sizes of vectors to the letters that stand for a vector in a Row.
var letters = map[int]string{8: "vdu", 16: "vdux", 32: "vduy", 64: "vduz"}

func (x *Instr) fits(form string) bool {
	fields, args := strings.Fields(form), x.Args
	if len(args) == len(fields)-1 && len(args) > 0 && x.Name[0] != 'V' {
		args = append(slices.Clone(args), args[len(args)-1])
	}
	if len(args) != len(fields) {
		return false
	}
	x.Size = 0
	lane, memory := 0, 0
	for i, field := range fields {
		o := &args[i]
		if !strings.ContainsAny(field, cmp.Or(letters[o.Size], string(o.Kind))) {
			return false
		}
		switch {
		case o.Kind == 'm' && i < len(x.Args):
			memory++
		case o.Kind == 'e':
			x.N = o.Lane
		case o.Kind == 'v' && strings.ContainsAny(field, "vd"):
			if x.Size == 0 {
				x.Size, lane = o.Size, o.Lane
			}
			if o.Size != x.Size || o.Lane != lane {
				return false
			}
		}
	}
	x.N = cmp.Or(lane, x.N)
	x.Args, x.inOut = args, strings.HasSuffix(form, "d")
	return memory <= 1
}

// An Operand is a compiled operand.
type Operand struct {
	Kind byte   // letter of the operand in a Row; v for all vectors
	Imm  uint64 // constant, or offset of memory
	At   int    // offset of the register in State.Regs, or -1 for the zero register
	Size int    // size of a vector in bytes
	Lane int    // arm64: size of a lane, or of the element, in bytes
	Name string // name of a condition
	To   int    // target of a label

	Shift string // shift of a register
	By    int

	Base, Index int // memory: offsets of the registers in State.Regs, or -1
	scale       uint64
	fixed       term.Term // base that is not in a register, or address of data
}

func (a *Architecture) operand(o *asm.Operand, fn *asm.Func, env *machine.Env) Operand {
	r := Operand{Kind: 'm', Imm: uint64(o.Imm), Base: -1, Index: -1, Name: o.Name, scale: uint64(o.Scale)}
	switch o.Kind {
	case asm.Immediate:
		r.Kind = 'i'
	case asm.Register:
		return a.Register(o)
	case asm.Label:
		r.Kind = 'n'
		if to, ok := fn.Labels[o.Name]; ok {
			r.Kind, r.To = 'l', to
		}
	case asm.Memory:
		r.Base = a.addressed(o.Reg)
		if o.Index != "" {
			r.Index = a.addressed(o.Index)
		}
	case asm.Argument:
		r.fixed = env.Args.Base
	case asm.Symbol, asm.AddressOf:
		machine.Refuse(env.Data[o.Name] == nil, "undefined data symbol %s", o.Name)
		r.Kind, r.fixed = map[asm.Kind]byte{asm.Symbol: 'm', asm.AddressOf: 'a'}[o.Kind], env.Data[o.Name].Base
	default:
		machine.Fail("unsupported operand kind %d", o.Kind)
	}
	return r
}

func (a *Architecture) addressed(name string) int {
	o := a.Register(&asm.Operand{Kind: asm.Register, Reg: name, Lane: -1})
	machine.Refuse(o.Kind != 'w' || o.At < 0, "unsupported register %s in an address", name)
	return o.At
}

// Last returns the index of the last operand, which is usually the destination.
func (x *Instr) Last() int { return len(x.Args) - 1 }

// Address returns the address of a memory or data operand.
func (x *Instr) Address(o *Operand) term.Term {
	sum, offset := o.fixed, o.Imm
	if o.Base >= 0 {
		sum = x.Word(o.Base, 8)
	}
	if x.PostIndex {
		offset = 0
	}
	if o.Index >= 0 {
		sum = x.T.Linear(64, offset, []term.Term{sum, x.Word(o.Index, 8)}, []uint64{1, o.scale})
	} else if offset != 0 {
		sum = x.T.AddConst(sum, offset)
	}
	if x.Align > 1 {
		x.Aligned(sum, x.Align)
	}
	return sum
}

func (x *Instr) moveBase(o *Operand) {
	if x.PreIndex || x.PostIndex {
		x.SetWord(o.Base, x.T.AddConst(x.Word(o.Base, 8), o.Imm))
	}
}

// Get returns the low n bytes of operand i, which are read-only.
func (x *Instr) Get(i, n int) []term.Byte {
	o := &x.Args[i]
	switch {
	case o.Kind == 'm' && x.Broadcast && n == x.Size:
		b := make([]term.Byte, x.N, 64)
		x.Load(b, x.Address(o), nil)
		return repeat(b, n)
	case o.Kind == 'm':
		b := x.room(n)
		x.Load(b, x.Address(o), x.Wanted)
		x.moveBase(o)
		return b
	case o.Kind == 'i':
		return x.bytes(x.T.Const(8*n, o.Imm))
	case o.Kind == 'a':
		return x.bytes(x.Address(o))
	case o.At < 0:
		return make([]term.Byte, n)
	case o.Shift == "<<":
		return x.bytes(x.T.Shl(x.Word(o.At, n), o.By))
	case o.Shift == ">>":
		return x.bytes(x.T.Shr(x.Word(o.At, n), o.By))
	case o.Shift != "":
		machine.Fail("unsupported shift %s", o.Shift)
	}
	return x.Regs[o.At : o.At+n]
}

func (x *Instr) bytes(t term.Term) []term.Byte {
	b := x.room(x.T.Width(t) / 8)
	x.T.Bytes(b, t)
	return b
}

// room returns n bytes for use until the instruction ends.
func (x *Instr) room(n int) []term.Byte {
	at := len(x.operands)
	x.operands = append(x.operands, make([]term.Byte, n)...)
	return x.operands[at:len(x.operands):len(x.operands)]
}

// Value returns operand i as an N-byte term.
func (x *Instr) Value(i int) term.Term { return x.T.Gather(x.Get(i, x.N)) }

// Put stores b in operand i, usually the destination. The other bytes of a register
// become 0, unless the instruction preserves them, as 1- and 2-byte writes on amd64 do.
func (x *Instr) Put(i int, b []term.Byte) {
	o := &x.Args[i]
	switch {
	case x.Mask != nil && x.Wanted == nil && o.Kind != 'v':
		machine.Fail("mask for a destination that is not a vector register")
	case o.Kind == 'm':
		x.Store(b, x.Address(o), x.Wanted)
		x.moveBase(o)
	case o.Kind == 'v' || o.Kind == 'f':
		x.SetVector(x, o, b)
	case o.Kind == 'e' || x.Narrow && o.Kind == 'w' && len(b) < 4 && o.At != x.Stack:
		x.SetBytes(o.At, len(b), b)
	case o.At == x.Stack:
		machine.Fail("changes SP")
	case o.At >= 0:
		x.SetBytes(o.At, 8, b)
	}
}

// Set stores t in operand i as Put does.
func (x *Instr) Set(i int, t term.Term) { x.Put(i, x.bytes(t)) }

// CheckLevel returns an error if the level in fn's name does not include an instruction.
func (a *Architecture) CheckLevel(fn *asm.Func) error {
	level := cpu.LevelOf(fn.Name)
	if level == cpu.Generic {
		level = cpu.LevelOf(a.Baseline)
	}
	included := level.Sets()
	for i := range fn.Code {
		in := &fn.Code[i]
		var sets []string
		if err := machine.Try(func() { sets = a.Sets(in) }); err != nil {
			return fmt.Errorf("line %d: %s: %w", in.Line, in.Op, err)
		}
		for _, set := range sets {
			if !slices.Contains(included, set) {
				return fmt.Errorf("line %d: %s needs %s, which the level in the function's name does not include", in.Line, in.String(), set)
			}
		}
	}
	return nil
}
