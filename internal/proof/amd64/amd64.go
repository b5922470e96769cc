// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package amd64 has the meanings of the instructions that the amd64 kernels use: tables of families, in files
// for words and vectors, and one of what each instruction needs of the processor. What is not there is an error.
package amd64

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
)

// Where registers lie in State.Regs: 16 general purpose registers of 8 bytes, 32
// vectors of 64, 8 masks of 8.
const (
	vectors = 16 * 8
	masks   = vectors + 32*64
)

var names = [16]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// Where some of them lie.
const ax, cx, dx, sp, bp = 0 * 8, 1 * 8, 2 * 8, 4 * 8, 5 * 8

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

var architecture = &isa.Architecture{Register: register, SetVector: setVector, Stack: sp, Narrow: true}

// table has the rows of families: the longest one that a name begins with is the instruction's.
var table = isa.NewTable(words, vectorRows)

// Operations lists the instructions that have a meaning, by their names without suffixes.
func Operations() []string { return slices.Sorted(maps.Keys(needs)) }

// Compile returns a function's program.
func Compile(fn *asm.Func, env *machine.Env) (*machine.Program, error) {
	return machine.Compile(fn, func(in *asm.Instr) machine.Op {
		if _, err := Sets(in); err != nil {
			machine.Fail("%v", err)
		}
		name, suffixes, _ := strings.Cut(in.Op, ".")
		x := architecture.New(name, in, fn, env)
		row := table[family(x)]
		for i := range x.Args {
			switch v := int64(x.Args[i].Imm); {
			case x.Args[i].Kind != 'i' || name == "MOVQ":
			case x.Legacy || name[0] == 'V':
				x.Args[i].Imm &= 0xff
			case v != int64(int32(v)) && (x.N == 8 || v != int64(uint32(v))):
				machine.Fail("constant %#x, which would be extended by its sign", v)
			}
		}
		suffix(x, suffixes)
		op := x.Op(row)
		align(x, row.Form)
		return op
	})
}

// width returns the bytes of an instruction's words or lanes, by its name: of the last letter, but where that is
// of something larger.
func width(name string) int {
	if strings.HasPrefix(name, "CMOVQ") {
		return 8
	}
	for _, list := range []struct {
		n       int
		letters string
	}{{4, "LDQ HDQ 32X4"}, {8, "PD 64 64X2 64X4 Q"}, {4, "D L S"}, {2, "W"}, {1, "B U8"}} {
		for _, letters := range strings.Fields(list.letters) {
			if strings.HasSuffix(name, letters) {
				return list.n
			}
		}
	}
	return 0
}

// family returns the name of an instruction's row, of legacy ones on vectors that of AVX, and sets N.
func family(x *isa.Instr) string {
	name := x.Name
	x.Legacy = name[0] != 'V' && slices.ContainsFunc(x.Args, func(o isa.Operand) bool { return o.Kind == 'v' })
	if x.Legacy {
		if name = legacy[name]; name == "" {
			name = "V" + x.Name
		}
	}
	if x.N = width(name); (name == "SHLQ" || name == "SHRQ") && len(x.Args) == 3 {
		name += "3"
	}
	for ; name != ""; name = name[:len(name)-1] {
		if _, ok := table[name]; ok {
			return name
		}
	}
	machine.Fail("no meaning is known")
	return ""
}

// Register returns where a general purpose register, or a mask, lies in State.Regs.
func Register(name string) int { return register(&asm.Operand{Reg: name}).At }

func register(o *asm.Operand) isa.Operand {
	if i := slices.Index(names[:], o.Reg); i >= 0 {
		return isa.Operand{Kind: 'w', At: 8 * i}
	}
	n := 0
	_, err := fmt.Sscanf(o.Reg[1:], "%d", &n)
	size := map[byte]int{'X': 16, 'Y': 32, 'Z': 64}[o.Reg[0]]
	switch {
	case o.Reg == "CL":
		return isa.Operand{Kind: 'c', At: cx}
	case err == nil && size > 0 && n < 32:
		return isa.Operand{Kind: 'v', At: vectors + 64*n, Size: size}
	case err == nil && o.Reg[0] == 'K' && n < 8:
		return isa.Operand{Kind: 'k', At: masks + 8*n}
	}
	machine.Fail("register %s", o.Reg)
	return isa.Operand{}
}
