// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package asm parses the Go assembly syntax that this module's .s files use.
package asm

import (
	"fmt"
	"strings"
)

// A File contains the declarations of a .s file.
type File struct {
	Funcs []*Func
	Data  map[string][]byte // keys are symbol names without <>
}

// Func returns the function with the given name, or nil if none exists.
func (f *File) Func(name string) *Func {
	for _, fn := range f.Funcs {
		if fn.Name == name {
			return fn
		}
	}
	return nil
}

// A Func is a TEXT block.
type Func struct {
	Name   string
	Frame  int64 // size of the frame in bytes
	Args   int64 // size of arguments and results in bytes
	Split  bool  // without NOSPLIT: the assembler inserts a stack check
	Code   []Instr
	Labels map[string]int // index in Code of the instruction after the label
}

// An Instr is an instruction.
type Instr struct {
	Op   string // including suffixes, such as VPADDD.BCST
	Args []Operand
	Line int
}

// A Kind is the kind of an operand.
type Kind uint8

const (
	Immediate Kind = iota // $Imm
	Register              // Reg; on arm64 also Arrangement, Lane or Shift
	Memory                // Imm(Reg)(Index*Scale)
	Argument              // Name+Imm(FP)
	Label                 // Name
	Symbol                // Name<>+Imm(SB)
	AddressOf             // $ followed by a Symbol
	List                  // [Regs] of vectors or (Regs) of a pair
)

// An Operand is an operand of an instruction. Its Kind determines the fields in use.
type Operand struct {
	Kind  Kind
	Imm   int64
	Reg   string
	Index string
	Scale int64
	Name  string

	Arrangement string // arm64: B16, S4, D2, D, S …
	Lane        int64  // arm64: index of an element, or -1
	Shift       string // arm64: "<<", ">>" or none
	Amount      int64
	Regs        []Operand
}

// String returns the instruction as assembly text.
func (in *Instr) String() string {
	return strings.TrimSpace(in.Op + " " + join(in.Args))
}

func join(list []Operand) string {
	var texts []string
	for i := range list {
		texts = append(texts, list[i].String())
	}
	return strings.Join(texts, ", ")
}

// String returns o as text, with normalized numbers and without argument offsets.
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
		if o.Regs[0].Arrangement == "" {
			return "(" + join(o.Regs) + ")"
		}
		return "[" + join(o.Regs) + "]"
	}
	return o.Name
}

// Canonical returns fn as text without comments, line breaks and symbol names. Labels are
// positions in the code, and data is its contents.
func (f *File) Canonical(fn *Func) string {
	var text strings.Builder
	fmt.Fprintf(&text, "frame %d arguments %d split %t\n", fn.Frame, fn.Args, fn.Split)
	for _, in := range fn.Code {
		text.WriteString(in.Op)
		for _, o := range in.Args {
			operand := o.String()
			switch o.Kind {
			case Label:
				operand = fmt.Sprintf("to %d", fn.Labels[o.Name])
			case Argument:
				operand = fmt.Sprintf("kind %d %s%+d", o.Kind, o.Name, o.Imm)
			case Symbol, AddressOf:
				operand = fmt.Sprintf("kind %d %x%+d", o.Kind, f.Data[o.Name], o.Imm)
			}
			text.WriteString(", " + operand)
		}
		text.WriteByte('\n')
	}
	return text.String()
}
