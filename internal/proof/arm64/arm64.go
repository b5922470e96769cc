// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package arm64 has the meanings of the instructions that the arm64 kernels use,
// one small function each, in files by family. What is not here is an error.
package arm64

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Where registers lie in State.Regs: R0 to R30 and the stack pointer, 8 bytes each,
// then 32 vectors of 16.
const (
	stackPointer = 31 * 8
	Vectors      = 32 * 8
)

// The flags: carry (no borrow after a subtraction), zero, and signed less.
const (
	CF = iota
	ZF
	LT
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

// A meaning compiles one instruction.
type meaning func(c *compiler, in *asm.Instr, a []arg) machine.Op

// meanings has every instruction, by its name without suffixes.
var meanings = map[string]meaning{}

// instruction adds the meaning of instructions.
func instruction(f meaning, ops ...string) {
	for _, op := range ops {
		if meanings[op] != nil {
			panic("arm64: two meanings of " + op)
		}
		meanings[op] = f
	}
}

// Operations lists the instructions that have a meaning, by their names without suffixes.
func Operations() []string { return slices.Sorted(maps.Keys(meanings)) }

type compiler struct {
	t   *term.Store
	fn  *asm.Func
	env *machine.Env

	// The suffixes of the instruction: .P adds the offset to the base after the
	// access, .W before it.
	after, before bool
}

// Compile returns a function's program.
func Compile(fn *asm.Func, env *machine.Env) (*machine.Program, error) {
	c := &compiler{t: env.T, fn: fn, env: env}
	return machine.Compile(fn, Layout, c.compile)
}

func (c *compiler) compile(in *asm.Instr) machine.Op {
	if in.Op == "WORD" {
		decoded, err := Decode(in)
		if err != nil {
			machine.Fail("%v", err)
		}
		in = decoded
	}
	name, suffix, _ := strings.Cut(in.Op, ".")
	c.after, c.before = suffix == "P", suffix == "W"
	if suffix != "" && !c.after && !c.before {
		machine.Fail("suffix %s", suffix)
	}
	f := meanings[name]
	if f == nil {
		machine.Fail("no meaning is known")
	}
	a := make([]arg, len(in.Args))
	for i := range in.Args {
		a[i] = c.arg(&in.Args[i])
	}
	return f(c, in, a)
}
