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
	instruction(pair(false), "FLDPQ")
	instruction(pair(true), "FSTPQ")
	instruction(pairWords(8, false), "LDP")
	instruction(pairWords(8, true), "STP")
	instruction(pairWords(4, false), "LDPW")
	instruction(pairWords(4, true), "STPW")
	instruction(loadRepeat(1), "VLD1R")
	instruction(loadRepeat(2), "VLD2R")
	instruction(loadApart, "VLD2")
	instruction(loadRepeat(4), "VLD4R")
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

// pair copies two vectors of n bytes from or to memory.
func pair(store bool) meaning {
	const n = 16
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

// pairWords copies two registers from or to memory, n bytes each.
func pairWords(n int, store bool) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		m, regs := 0, 1
		if store {
			m, regs = 1, 0
		}
		if len(a) != 2 || a[regs].kind != list || len(a[regs].regs) != 2 || a[regs].regs[0].kind != word || a[regs].regs[1].kind != word {
			machine.Fail("no such form")
		}
		x, y := a[regs].regs[0], a[regs].regs[1]
		if x.at == y.at && !store {
			machine.Fail("loads twice into one register")
		}
		c.apart(a[m], x, y)
		address := c.addressing(a[m])
		return func(s *machine.State) {
			var b [16]term.Byte
			if store {
				s.T.Bytes(b[:n], x.value(s, n))
				s.T.Bytes(b[n:2*n], y.value(s, n))
				s.Store(b[:2*n], address(s))
				return
			}
			s.Load(b[:2*n], address(s))
			x.set(s, s.T.Gather(b[:n]))
			y.set(s, s.T.Gather(b[n:2*n]))
		}
	}
}

// registers returns the vectors of a list, count of them, of one kind and one after
// the other.
func registers(a []arg, count int) []arg {
	want(a, memory, list)
	regs := a[1].regs
	if len(regs) != count {
		machine.Fail("a list of %d vectors, want %d", len(regs), count)
	}
	for i, r := range regs {
		if r.kind != vector || r.size != regs[0].size || r.lanes != regs[0].lanes || r.at-Vectors != (regs[0].at-Vectors+16*i)%512 {
			machine.Fail("vectors of different kinds, or not one after the other")
		}
	}
	return regs
}

// loadRepeat loads one lane for each of several vectors and repeats it.
func loadRepeat(count int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		regs := registers(a, count)
		n := regs[0].lanes
		address := c.structure(a[0], count*n)
		return func(s *machine.State) {
			var lanes [64]term.Byte
			s.Load(lanes[:count*n], address(s))
			for j, dst := range regs {
				var out [16]term.Byte
				for i := range dst.size {
					out[i] = lanes[j*n+i%n]
				}
				dst.setVector(s, out[:dst.size])
			}
		}
	}
}

// loadApart loads lanes for several vectors in turn.
func loadApart(c *compiler, in *asm.Instr, a []arg) machine.Op {
	const count = 2
	regs := registers(a, count)
	n, size := regs[0].lanes, regs[0].size
	address := c.structure(a[0], count*size)
	return func(s *machine.State) {
		var b [32]term.Byte
		s.Load(b[:count*size], address(s))
		for j, dst := range regs {
			var out [16]term.Byte
			for i := 0; i < size; i += n {
				copy(out[i:i+n], b[count*i+j*n:])
			}
			dst.setVector(s, out[:size])
		}
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
