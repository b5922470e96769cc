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
	instruction(pair(16, float, false), "FLDPQ")
	instruction(pair(16, float, true), "FSTPQ")
	instruction(pair(8, word, false), "LDP")
	instruction(pair(8, word, true), "STP")
	instruction(pair(4, word, false), "LDPW")
	instruction(pair(4, word, true), "STPW")
	instruction(loadRepeat(1), "VLD1R")
	instruction(loadRepeat(2), "VLD2R")
	instruction(loadApart, "VLD2")
	instruction(loadRepeat(4), "VLD4R")
}

// transfer loads registers of a kind from memory, n bytes each, or stores them.
func (c *compiler) transfer(n int, kind kind, regs []arg, m arg, store bool) machine.Op {
	for _, r := range regs {
		if r.kind != kind || r.shift != "" {
			machine.Fail("no such form")
		}
	}
	if !store && len(regs) == 2 && regs[0].at == regs[1].at {
		machine.Fail("loads twice into one register")
	}
	p := c.place(m, regs...)
	return func(s *machine.State) {
		var b [32]term.Byte
		all := b[:n*len(regs)]
		if store {
			for i := range regs {
				regs[i].get(s, all[n*i:n*i+n])
			}
			p.store(s, all)
			return
		}
		p.load(s, all)
		for i := range regs {
			regs[i].put(s, all[n*i:n*i+n])
		}
	}
}

// moveFloat copies n bytes between a vector and memory, or to it from a register; the rest of a
// vector becomes 0.
func moveFloat(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		if len(a) != 2 {
			machine.Fail("%d operands, want 2", len(a))
		}
		src, dst := a[0], a[1]
		switch {
		case src.kind == memory:
			return c.transfer(n, float, a[1:], src, false)
		case dst.kind == memory:
			return c.transfer(n, float, a[:1], dst, true)
		case src.kind == word && dst.kind == float && n == 8 && src.shift == "":
			return func(s *machine.State) {
				var b [8]term.Byte
				src.get(s, b[:])
				dst.put(s, b[:])
			}
		}
		machine.Fail("no such form")
		return nil
	}
}

// pair copies two registers of a kind from or to memory, n bytes each.
func pair(n int, kind kind, store bool) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		m, regs := 0, 1
		if store {
			m, regs = 1, 0
		}
		if len(a) != 2 || a[regs].kind != list || len(a[regs].regs) != 2 {
			machine.Fail("no such form")
		}
		return c.transfer(n, kind, a[regs].regs, a[m], store)
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
		p := c.structure(a[0], count*n)
		return func(s *machine.State) {
			var lanes [64]term.Byte
			p.load(s, lanes[:count*n])
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
	p := c.structure(a[0], count*size)
	return func(s *machine.State) {
		var b [32]term.Byte
		p.load(s, b[:count*size])
		for j, dst := range regs {
			var out [16]term.Byte
			for i := 0; i < size; i += n {
				copy(out[i:i+n], b[count*i+j*n:])
			}
			dst.setVector(s, out[:size])
		}
	}
}

// structure is the place of a load of structures, which has no offset, and after
// which the register may grow by the size alone.
func (c *compiler) structure(a arg, size int) place {
	if c.before || c.after && a.imm != uint64(size) || !c.after && a.imm != 0 {
		machine.Fail("no such form")
	}
	return c.place(a)
}
