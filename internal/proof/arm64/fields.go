// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(field, "UBFX")
	instruction(multiplyAdd, "MADD")
	instruction(swapBytes(8), "REV")
	instruction(swapBytes(4), "REVW")
}

// field copies some bits: the first one, source, how many, destination.
func field(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, immediate, word, immediate, word)
	from, bits := int(a[0].imm), int(a[2].imm)
	if from < 0 || bits < 1 || from+bits > 64 {
		machine.Fail("no such form")
	}
	return func(s *machine.State) {
		t := s.T
		a[3].set(s, t.And(t.Shr(a[1].value(s, 8), from), t.Const(64, ^uint64(0)>>(64-bits))))
	}
}

// multiplyAdd is dst = x·y + z, in the assembler's order x, z, y, dst.
func multiplyAdd(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, word, word, word, word)
	if a[0].shift != "" {
		machine.Fail("no such form")
	}
	return func(s *machine.State) {
		a[3].set(s, s.T.Add(a[1].value(s, 8), s.T.Mul(a[0].value(s, 8), a[2].value(s, 8))))
	}
}

// swapBytes turns the order of n bytes around; those above them become 0.
func swapBytes(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, word, word)
		if a[0].shift != "" {
			machine.Fail("no such form")
		}
		return func(s *machine.State) {
			var b, out [8]term.Byte
			s.T.Bytes(b[:], a[0].value(s, n))
			for i := range n {
				out[i] = b[n-1-i]
			}
			a[1].set(s, s.T.Gather(out[:n]))
		}
	}
}
