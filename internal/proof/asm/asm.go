// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package asm reads the text of Go's assembler: what the .s files of this module
// contain, and nothing else. What it does not know is an error.
package asm

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// A File is what one .s file declares.
type File struct {
	Name  string
	Funcs []*Func
	Data  map[string][]byte // by the symbol's name, without <>
}

// A Func is one TEXT block.
type Func struct {
	Name   string
	Line   int
	Frame  int64 // bytes of the frame
	Args   int64 // bytes of arguments and results
	Split  bool  // without NOSPLIT: the assembler puts a check of the stack first
	Code   []Instr
	Labels map[string]int // index in Code of what follows the label
}

// An Instr is one instruction.
type Instr struct {
	Op   string // with its suffixes, as VPADDD.BCST
	Args []Operand
	Line int
}

// Kind says what an operand is.
type Kind uint8

const (
	Immediate Kind = iota // $Imm
	Register              // Reg, and on arm64 Arrangement, Lane or Shift
	Memory                // Imm(Reg)(Index*Scale)
	Argument              // Name+Imm(FP)
	Label                 // Name
	Symbol                // Name<>+Imm(SB)
	AddressOf             // $ and a Symbol
	List                  // [Regs] of vectors, (Regs) of a pair
)

// An Operand is one operand.
type Operand struct {
	Kind  Kind
	Imm   int64
	Reg   string
	Index string
	Scale int64
	Name  string

	Arrangement string // arm64: B16, S4, D2, D, S …
	Lane        int64  // arm64: of an element, else -1
	Shift       string // arm64: "<<", ">>", "->" or none
	Amount      int64
	Regs        []Operand
}

// String returns an instruction as it is written.
func (in *Instr) String() string {
	var args []string
	for i := range in.Args {
		args = append(args, in.Args[i].String())
	}
	return strings.TrimSpace(in.Op + " " + strings.Join(args, ", "))
}

// String returns an operand as it is written: numbers in one way of several, and
// arguments by their names alone.
func (o *Operand) String() string {
	switch o.Kind {
	case Immediate:
		return fmt.Sprintf("$%#x", o.Imm)
	case Register:
		s := o.Reg
		if o.Arrangement != "" {
			s += "." + o.Arrangement
		}
		if o.Lane >= 0 {
			s += fmt.Sprintf("[%d]", o.Lane)
		}
		if o.Shift != "" {
			s += fmt.Sprintf("%s%d", o.Shift, o.Amount)
		}
		return s
	case Memory:
		s := fmt.Sprintf("%d(%s)", o.Imm, o.Reg)
		if o.Index != "" {
			s += fmt.Sprintf("(%s*%d)", o.Index, o.Scale)
		}
		return s
	case Argument:
		return o.Name + "(FP)"
	case Symbol:
		return fmt.Sprintf("%s+%d(SB)", o.Name, o.Imm)
	case AddressOf:
		return "$" + o.Name
	case List:
		var regs []string
		for i := range o.Regs {
			regs = append(regs, o.Regs[i].String())
		}
		if o.Regs[0].Arrangement == "" {
			return "(" + strings.Join(regs, ", ") + ")"
		}
		return "[" + strings.Join(regs, ", ") + "]"
	}
	return o.Name
}

// Digest returns 16 hexadecimal digits that change when a function of the file does: its frame, an
// instruction, or a byte of the data that it names. Comments, lines, and the names of labels and of
// data have no part in it.
func (f *File) Digest(fn *Func) string {
	h := sha256.New()
	fmt.Fprintf(h, "frame %d arguments %d split %t\n", fn.Frame, fn.Args, fn.Split)
	for i := range fn.Code {
		in := &fn.Code[i]
		fmt.Fprint(h, in.Op)
		for j := range in.Args {
			fmt.Fprint(h, ", ", f.meaning(fn, &in.Args[j]))
		}
		fmt.Fprintln(h)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// meaning returns an operand with what its names stand for. String has less.
func (f *File) meaning(fn *Func, o *Operand) string {
	switch o.Kind {
	case Label:
		return fmt.Sprintf("to %d", fn.Labels[o.Name])
	case Argument:
		return fmt.Sprintf("kind %d %s%+d", o.Kind, o.Name, o.Imm)
	case Symbol, AddressOf:
		return fmt.Sprintf("kind %d %x%+d", o.Kind, f.Data[o.Name], o.Imm)
	}
	return o.String()
}
