// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package asm reads the text of Go's assembler: what the .s files of this module
// contain, and nothing else. What it does not know is an error.
package asm

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
	Lane        int    // arm64: of an element, else -1
	Shift       string // arm64: "<<", ">>", "->" or none
	Amount      int64
	Regs        []Operand
}
