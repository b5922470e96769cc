// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
)

func init() {
	instruction(jump, "JMP")
	instruction(ret, "RET")
	instruction(nothing, "NOP")
	for name, holds := range conditions {
		for _, op := range jumps[name] {
			instruction(jumpIf(holds), op)
		}
	}
}

// conditions are the branches' conditions, by the letters of CMOV and SET.
var conditions = map[string]func(*machine.State) bool{
	"CS": func(s *machine.State) bool { return s.Decide(s.Flag(CF)) },
	"CC": func(s *machine.State) bool { return !s.Decide(s.Flag(CF)) },
	"EQ": func(s *machine.State) bool { return s.Decide(s.Flag(ZF)) },
	"NE": func(s *machine.State) bool { return !s.Decide(s.Flag(ZF)) },
	"LS": func(s *machine.State) bool { return s.Decide(s.Flag(CF)) || s.Decide(s.Flag(ZF)) },
	"HI": func(s *machine.State) bool { return !s.Decide(s.Flag(CF)) && !s.Decide(s.Flag(ZF)) },
	"LE": func(s *machine.State) bool { return s.Decide(s.Flag(LT)) || s.Decide(s.Flag(ZF)) },
}

var jumps = map[string][]string{
	"CS": {"JB"}, "CC": {"JAE"}, "EQ": {"JE", "JEQ", "JZ"}, "NE": {"JNE", "JNZ"}, "LS": {"JBE"}, "HI": {"JA"}, "LE": {"JLE"},
}

func jump(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, isLabel)
	to := a[0].to
	return func(s *machine.State) { s.Next = to }
}

func jumpIf(holds func(*machine.State) bool) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isLabel)
		to := a[0].to
		return func(s *machine.State) {
			if holds(s) {
				s.Next = to
			}
		}
	}
}

func ret(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a)
	return func(s *machine.State) { s.Done = true }
}

func nothing(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a)
	return func(*machine.State) {}
}
