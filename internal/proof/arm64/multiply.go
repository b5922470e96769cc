// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(multiply(false, false), "VUMULL")
	instruction(multiply(true, false), "VUMLAL")
	instruction(multiply(true, true), "VUMLAL2")
	instruction(narrow, "VXTN", "VSHRN")
}

// multiply is the products, of 64 bits, of words in the lower or the upper halves of
// two Vectors, or of one and an element; accumulate adds them to the destination.
func multiply(accumulate, upper bool) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		if len(a) != 3 || a[0].kind != vector && (a[0].kind != element || a[0].size != 4) {
			machine.Fail("no such form")
		}
		want(a[1:], vector, vector)
		half, dst := 8, a[2]
		if upper {
			half = 16
		}
		if a[1].size != half || a[1].lanes != 4 || a[0].kind == vector && a[0].size != half || dst.lanes != 8 {
			machine.Fail("no such form")
		}
		return func(s *machine.State) {
			t := s.T
			var out [16]term.Byte
			for i := range 2 {
				at := half - 8 + 4*i
				y := a[0].at
				if a[0].kind == vector {
					y += at
				}
				r := t.Mul(t.Extend(s.Word(a[1].at+at, 4), 64), t.Extend(s.Word(y, 4), 64))
				if accumulate {
					r = t.Add(s.Word(dst.at+8*i, 8), r)
				}
				t.Bytes(out[8*i:8*i+8], r)
			}
			dst.setVector(s, out[:])
		}
	}
}

// narrow takes the lower halves of two lanes, shifted right before by a constant if
// there is one.
func narrow(c *compiler, in *asm.Instr, a []arg) machine.Op {
	k := 0
	if len(a) == 3 && a[0].kind == immediate {
		k, a = int(a[0].imm), a[1:]
	}
	want(a, vector, vector)
	if a[0].lanes != 8 || a[1].lanes != 4 || a[1].size != 8 {
		machine.Fail("no such form")
	}
	return func(s *machine.State) {
		var out [8]term.Byte
		for i := range 2 {
			s.T.Bytes(out[4*i:4*i+4], s.T.Low(s.T.Shr(s.Word(a[0].at+8*i, 8), k), 32))
		}
		a[1].setVector(s, out[:])
	}
}
