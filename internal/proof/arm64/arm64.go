// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package arm64 has the meanings of the instructions that the arm64 kernels use: tables in files for words and
// vectors. What is not there is an error.
package arm64

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Where registers lie in State.Regs: R0 to R30 and the stack pointer, 8 bytes each,
// then 32 vectors of 16.
const (
	stackPointer = 31 * 8
	vectors      = 32 * 8
)

// Layout describes State.Regs.
var Layout = machine.NewLayout(names(), "V", 32, 16, "", 0)

func names() (list []string) {
	for i := range 31 {
		list = append(list, fmt.Sprint("R", i))
	}
	return append(list, "RSP")
}

// Begin sets what holds when a function is entered. The stack pointer is 8 bytes
// below the frame, where the assembler keeps the link register.
func Begin(s *machine.State, env *machine.Env) {
	s.SetWord(stackPointer, s.T.AddConst(env.Frame.Base, ^uint64(7)))
}

// End checks what must hold when it returns: the platform's register, g, the frame
// pointer, the link register and the stack pointer are as they were.
func End(s *machine.State, entry *machine.State, fn *asm.Func) error {
	for _, r := range []int{18, 28, 29, 30, 31} {
		if s.Word(8*r, 8) != entry.Word(8*r, 8) {
			return fmt.Errorf("%s is changed", Layout.Of[r])
		}
	}
	return nil
}

var architecture = &isa.Architecture{Register: register, Stack: stackPointer,
	SetVector: func(x *isa.Instr, o *isa.Operand, b []term.Byte) { x.SetBytes(o.At, 16, b) }}

// table has every instruction, by its name without suffixes.
var table = isa.NewTable(words, vectorRows)

// Operations lists the instructions that have a meaning.
func Operations() []string { return slices.Sorted(maps.Keys(table)) }

// narrow has the names with a letter for fewer, or more, than the 8 bytes of a word.
var narrow = regexp.MustCompile(`^(?:MOV|LDP|STP|ADD|EOR|ROR|REV|FMOV|FLDP|FSTP)([BHWQ])U?$`)

// Compile returns a function's program.
func Compile(fn *asm.Func, env *machine.Env) (*machine.Program, error) {
	return machine.Compile(fn, func(in *asm.Instr) machine.Op {
		if in.Op == "WORD" {
			decoded, err := Decode(in)
			if err != nil {
				machine.Fail("%v", err)
			}
			in = decoded
		}
		name, suffix, _ := strings.Cut(in.Op, ".")
		row, ok := table[name]
		if !ok {
			machine.Fail("no meaning is known")
		}
		x := architecture.New(name, in, fn, env)
		x.N = 8
		if m := narrow.FindStringSubmatch(name); m != nil {
			x.N = map[string]int{"B": 1, "H": 2, "W": 4, "Q": 16}[m[1]]
		}
		x.PostIndex, x.PreIndex = suffix == "P", suffix == "W"
		if suffix != "" && !x.PostIndex && !x.PreIndex {
			machine.Fail("suffix %s", suffix)
		}
		op := x.Op(row)
		addresses(x)
		return op
	})
}

// addresses refuses addresses by two registers. An instruction that changes the register of the address must not
// load or store that as well: what it does then is open.
func addresses(x *isa.Instr) {
	changes := x.PreIndex || x.PostIndex
	i := slices.IndexFunc(x.Args, func(o isa.Operand) bool { return o.Kind == 'm' })
	if i < 0 {
		if changes {
			machine.Fail("no such form")
		}
		return
	}
	m := &x.Args[i]
	if m.Index >= 0 || changes && (m.Base < 0 || m.Base == stackPointer) {
		machine.Fail("an address of a form that is not known")
	}
	for _, o := range x.Args {
		if changes && o.Kind == 'w' && o.At == m.Base {
			machine.Fail("one register for two things")
		}
	}
}

// Sets lists the instruction sets that an instruction needs, by the names of internal/cpu.
func Sets(in *asm.Instr) (sets []string, err error) {
	if in.Op == "WORD" {
		if in, err = Decode(in); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(in.Op, "AES") {
		sets = append(sets, "AES")
	}
	for _, o := range in.Args {
		regs := append([]asm.Operand{o}, o.Regs...)
		for _, r := range regs {
			if r.Reg != "" && (r.Reg[0] == 'V' || r.Reg[0] == 'F') {
				return append(sets, "ASIMD"), nil
			}
		}
	}
	return sets, nil
}

// arrangements have the bytes of a vector and those of a lane.
var arrangements = map[string][2]int{
	"B16": {16, 1}, "B8": {8, 1}, "H8": {16, 2}, "H4": {8, 2}, "S4": {16, 4}, "S2": {8, 4}, "D2": {16, 8}, "D1": {8, 8},
}

var elements = map[string]int{"B": 1, "H": 2, "S": 4, "D": 8}

func register(o *asm.Operand) isa.Operand {
	switch o.Reg {
	case "ZR":
		return isa.Operand{Kind: 'w', At: -1}
	case "RSP":
		return isa.Operand{Kind: 'w', At: stackPointer}
	}
	n, err := strconv.Atoi(o.Reg[1:])
	at := vectors + 16*n
	switch {
	case err != nil || n > 31:
	case o.Reg[0] == 'R' && (n > 26 || n == 18): // the platform's, the assembler's, Go's
	case o.Reg[0] == 'R' && o.Shift != "":
		return isa.Operand{Kind: 's', At: 8 * n, Shift: o.Shift, By: int(o.Amount)}
	case o.Reg[0] == 'R':
		return isa.Operand{Kind: 'w', At: 8 * n}
	case o.Reg[0] == 'F':
		return isa.Operand{Kind: 'f', At: at}
	case o.Reg[0] == 'V' && o.Lane >= 0:
		if w := elements[o.Arrangement]; w > 0 && int(o.Lane) < 16/w {
			return isa.Operand{Kind: 'e', At: at + w*int(o.Lane), Lane: w}
		}
	case o.Reg[0] == 'V':
		if a, ok := arrangements[o.Arrangement]; ok {
			return isa.Operand{Kind: 'v', At: at, Size: a[0], Lane: a[1]}
		}
	}
	machine.Fail("register %s", o.Reg)
	return isa.Operand{}
}
