// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(jump, "B")
	instruction(ret, "RET")
	instruction(nothing, "NOP")
	for name, bit := range conditions {
		instruction(jumpIf(bit), "B"+name)
	}
	instruction(jumpOnZero(true), "CBZ")
	instruction(jumpOnZero(false), "CBNZ")
	instruction(jumpOnBit(0), "TBZ")
	instruction(jumpOnBit(1), "TBNZ")
}

// conditions are the bits that conditions stand for.
var conditions = map[string]func(*machine.State) term.Term{
	"HS": func(s *machine.State) term.Term { return s.Flag(CF) },
	"LO": func(s *machine.State) term.Term { return not(s, s.Flag(CF)) },
	"EQ": func(s *machine.State) term.Term { return s.Flag(ZF) },
	"NE": func(s *machine.State) term.Term { return not(s, s.Flag(ZF)) },
	"LT": func(s *machine.State) term.Term { return s.Flag(LT) },
	"GE": func(s *machine.State) term.Term { return not(s, s.Flag(LT)) },
	"LE": func(s *machine.State) term.Term { return s.T.Or(s.Flag(LT), s.Flag(ZF)) },
}

func jump(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, label)
	to := a[0].to
	return func(s *machine.State) { s.Next = to }
}

func jumpIf(bit func(*machine.State) term.Term) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, label)
		to := a[0].to
		return func(s *machine.State) {
			if s.Decide(bit(s)) {
				s.Next = to
			}
		}
	}
}

func jumpOnZero(zero bool) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, word, label)
		return func(s *machine.State) {
			if s.Decide(s.T.Zero(a[0].value(s, 8))) == zero {
				s.Next = a[1].to
			}
		}
	}
}

// jumpOnBit looks at one bit: number, register, label.
func jumpOnBit(value uint64) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, immediate, word, label)
		return func(s *machine.State) {
			bit := s.T.And(s.T.Shr(a[1].value(s, 8), int(a[0].imm&63)), s.T.Const(64, 1))
			if s.Decide(s.T.Low(bit, 8)) == (value == 1) {
				s.Next = a[2].to
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
