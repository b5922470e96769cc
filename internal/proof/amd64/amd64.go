// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package amd64 has the meanings of the instructions that the amd64 kernels use,
// one small function each, in files by family. What is not here is an error.
package amd64

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Where registers lie in State.Regs: 16 general purpose registers of 8 bytes, 32
// vectors of 64, 8 masks of 8.
const (
	Vectors = 16 * 8
	masks   = Vectors + 32*64
)

// The flags. LT is signed less, which the processor computes from two others.
const (
	CF = iota
	ZF
	LT
)

var names = [16]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// Where two of them lie.
const sp, bp = 4 * 8, 5 * 8

// general is where the general purpose registers lie.
var general = func() map[string]int {
	m := map[string]int{}
	for i, name := range names {
		m[name] = 8 * i
	}
	return m
}()

// Layout describes State.Regs.
var Layout = machine.NewLayout(names[:], "Z", 32, 64, "K", 8)

// Begin sets what holds when a function is entered.
func Begin(s *machine.State, env *machine.Env) {
	s.SetWord(sp, env.Frame.Base)
}

// End checks what must hold when it returns.
func End(s *machine.State, entry *machine.State, fn *asm.Func) error {
	switch {
	case s.Word(sp, 8) != entry.Word(sp, 8):
		return fmt.Errorf("SP is changed")
	case fn.Frame == 0 && s.Word(bp, 8) != entry.Word(bp, 8):
		// With a frame the assembler saves and restores it.
		return fmt.Errorf("BP is changed")
	case s.Dirty:
		return fmt.Errorf("returns without VZEROUPPER")
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
			panic("amd64: two meanings of " + op)
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

	broadcast, zeroing bool // the suffixes .BCST and .Z of the instruction
}

// Compile returns a function's program.
func Compile(fn *asm.Func, env *machine.Env) (*machine.Program, error) {
	c := &compiler{t: env.T, fn: fn, env: env}
	return machine.Compile(fn, Layout, c.compile)
}

func (c *compiler) compile(in *asm.Instr) machine.Op {
	parts := strings.Split(in.Op, ".")
	c.broadcast, c.zeroing = false, false
	for _, suffix := range parts[1:] {
		switch suffix {
		case "BCST":
			c.broadcast = true
		case "Z":
			c.zeroing = true
		default:
			machine.Fail("suffix %s", suffix)
		}
	}
	f := meanings[parts[0]]
	if f == nil {
		machine.Fail("no meaning is known")
	}
	a := make([]arg, len(in.Args))
	for i := range in.Args {
		a[i] = c.arg(&in.Args[i])
	}
	return f(c, in, a)
}

// Register returns where a general purpose register, or a mask, lies in State.Regs.
func Register(name string) int {
	if name[0] == 'K' {
		return masks + 8*int(name[1]-'0')
	}
	return general[name]
}
