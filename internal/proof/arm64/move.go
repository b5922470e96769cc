// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(moveFloat(16), "FMOVQ")
	instruction(moveFloat(8), "FMOVD")
	instruction(pair(16, false), "FLDPQ")
	instruction(pair(16, true), "FSTPQ")
	instruction(pair(8, false), "FLDPD")
	instruction(pair(8, true), "FSTPD")
	instruction(loadRepeat, "VLD1R")
	instruction(loadApart, "VLD2")
}

// moveFloat copies n bytes between a vector and memory or a register; the rest of a
// vector becomes 0.
func moveFloat(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		if len(a) != 2 {
			machine.Fail("%d operands, want 2", len(a))
		}
		src, dst := a[0], a[1]
		switch {
		case src.kind == memory && dst.kind == float:
			address := c.addressing(src)
			return func(s *machine.State) {
				var b [16]term.Byte
				s.Load(b[:n], address(s))
				dst.setVector(s, b[:n])
			}
		case src.kind == float && dst.kind == memory:
			address := c.addressing(dst)
			return func(s *machine.State) { s.Store(s.Regs[src.at:src.at+n], address(s)) }
		case src.kind == word && dst.kind == float && n == 8 && src.shift == "":
			return func(s *machine.State) {
				var b [8]term.Byte
				s.T.Bytes(b[:], src.value(s, 8))
				dst.setVector(s, b[:])
			}
		case src.kind == float && dst.kind == word && n == 8:
			return func(s *machine.State) { dst.set(s, s.Word(src.at, 8)) }
		}
		machine.Fail("no such form")
		return nil
	}
}

// pair copies two Vectors from or to memory, n bytes each.
func pair(n int, store bool) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		m, regs := 0, 1
		if store {
			m, regs = 1, 0
		}
		if len(a) != 2 || a[regs].kind != list || len(a[regs].regs) != 2 || a[regs].regs[0].kind != float || a[regs].regs[1].kind != float {
			machine.Fail("no such form")
		}
		x, y := a[regs].regs[0], a[regs].regs[1]
		if x.at == y.at && !store {
			machine.Fail("loads twice into one register")
		}
		address := c.addressing(a[m])
		return func(s *machine.State) {
			var b [32]term.Byte
			if store {
				copy(b[:n], s.Regs[x.at:])
				copy(b[n:], s.Regs[y.at:y.at+n])
				s.Store(b[:2*n], address(s))
				return
			}
			s.Load(b[:2*n], address(s))
			x.setVector(s, b[:n])
			y.setVector(s, b[n:2*n])
		}
	}
}

// loadRepeat loads one lane and repeats it.
func loadRepeat(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, memory, list)
	if len(a[1].regs) != 1 || a[1].regs[0].kind != vector {
		machine.Fail("no such form")
	}
	dst := a[1].regs[0]
	n := dst.lanes
	address := c.structure(a[0], n)
	return func(s *machine.State) {
		var lane, out [16]term.Byte
		s.Load(lane[:n], address(s))
		for i := range dst.size {
			out[i] = lane[i%n]
		}
		dst.setVector(s, out[:dst.size])
	}
}

// loadApart loads lanes for two Vectors in turn.
func loadApart(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, memory, list)
	if len(a[1].regs) != 2 || a[1].regs[0].kind != vector || a[1].regs[1].kind != vector {
		machine.Fail("no such form")
	}
	x, y := a[1].regs[0], a[1].regs[1]
	if x.size != 16 || y.size != 16 || x.lanes != y.lanes || (x.at+16-Vectors)%512 != y.at-Vectors {
		machine.Fail("Vectors of different kinds, or not one after the other")
	}
	address := c.structure(a[0], 32)
	return func(s *machine.State) {
		var b [32]term.Byte
		var even, odd [16]term.Byte
		s.Load(b[:], address(s))
		for i, n := 0, x.lanes; i < 16; i += n {
			copy(even[i:i+n], b[2*i:])
			copy(odd[i:i+n], b[2*i+n:])
		}
		x.setVector(s, even[:])
		y.setVector(s, odd[:])
	}
}

// structure is addressing for loads of structures, which have no offset, and after
// which the register may grow by the size alone.
func (c *compiler) structure(a arg, size int) func(*machine.State) term.Term {
	if c.before || c.after && a.imm != uint64(size) || !c.after && a.imm != 0 {
		machine.Fail("no such form")
	}
	return c.addressing(a)
}
