// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package isa

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

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
	data := func(kind byte) Operand {
		if env.Data[o.Name] == nil {
			machine.Fail("undefined data symbol %s", o.Name)
		}
		return Operand{Kind: kind, Imm: uint64(o.Imm), Base: -1, Index: -1, fixed: env.Data[o.Name].Base}
	}
	switch o.Kind {
	case asm.Immediate:
		return Operand{Kind: 'i', Imm: uint64(o.Imm)}
	case asm.Register:
		return a.Register(o)
	case asm.Label:
		if to, ok := fn.Labels[o.Name]; ok {
			return Operand{Kind: 'l', To: to}
		}
		return Operand{Kind: 'n', Name: o.Name}
	case asm.Memory:
		m := Operand{Kind: 'm', Imm: uint64(o.Imm), Base: a.addressed(o.Reg), Index: -1, scale: uint64(o.Scale)}
		if o.Index != "" {
			m.Index = a.addressed(o.Index)
		}
		return m
	case asm.Argument:
		return Operand{Kind: 'm', Imm: uint64(o.Imm), Base: -1, Index: -1, fixed: env.Args.Base}
	case asm.Symbol:
		return data('m')
	case asm.AddressOf:
		return data('a')
	}
	machine.Fail("unsupported operand kind %d", o.Kind)
	return Operand{}
}

func (a *Architecture) addressed(name string) int {
	o := a.Register(&asm.Operand{Kind: asm.Register, Reg: name, Lane: -1})
	if o.Kind != 'w' || o.At < 0 {
		machine.Fail("unsupported register %s in an address", name)
	}
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
	switch {
	case o.Index >= 0:
		sum = x.T.Linear(64, offset, []term.Term{sum, x.Word(o.Index, 8)}, []uint64{1, o.scale})
	case offset != 0:
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
		x.Load(b, x.Address(o), nil)
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
	case x.Mask != nil && o.Kind != 'v':
		machine.Fail("mask for a destination that is not a vector register")
	case o.Kind == 'm':
		x.Store(b, x.Address(o), nil)
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
