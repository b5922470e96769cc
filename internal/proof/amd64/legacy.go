// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// The encodings from before AVX are those of AVX with differences: the destination is the last
// source, too; the bytes of the register above the first 16 stay as they are; and memory
// must be at a multiple of 16.
func init() {
	for name, avx := range map[string]string{
		"PADDD": "VPADDD", "PADDQ": "VPADDQ", "PSUBQ": "VPSUBQ", "PMULULQ": "VPMULUDQ",
		"PXOR": "VPXOR", "POR": "VPOR", "PAND": "VPAND", "PSHUFB": "VPSHUFB",
		"PUNPCKLLQ": "VPUNPCKLDQ", "PUNPCKHLQ": "VPUNPCKHDQ", "PUNPCKLQDQ": "VPUNPCKLQDQ", "PUNPCKHQDQ": "VPUNPCKHQDQ",
		"PSLLL": "VPSLLD", "PSRLL": "VPSRLD", "PSLLQ": "VPSLLQ", "PSRLQ": "VPSRLQ",
		"AESENC": "VAESENC", "AESENCLAST": "VAESENCLAST",
	} {
		instruction(twoOperands(avx), name)
	}
	for _, name := range []string{"PSHUFD", "AESKEYGENASSIST"} {
		instruction(legacy(vex("V"+name), 16), name)
	}
	for _, name := range []string{"PEXTRD", "PEXTRQ"} {
		instruction(legacy(vex("V"+name), 1), name)
	}
	instruction(legacy(func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isImm, []kind{word, memory}, isVector)
		return meanings["VPINSRQ"](c, in, []arg{a[0], a[1], a[2], a[2]})
	}, 1), "PINSRQ")
	instruction(legacy(func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isImm, vectorOrMem, isVector)
		return meanings["VSHUFPS"](c, in, []arg{a[0], a[1], a[2], a[2]})
	}, 16), "SHUFPS")
	instruction(legacy(func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isVector, vectorOrMem, isVector)
		if a[0].at != Vectors {
			machine.Fail("the mask is not X0")
		}
		return meanings["VBLENDVPD"](c, in, []arg{a[0], a[1], a[2], a[2]})
	}, 16), "BLENDVPD")
	instruction(legacy(moveVector(0, false), 1), "MOVOU")
	instruction(legacy(moveVector(0, true), 16), "MOVOA")
}

// vex is the meaning of an instruction of AVX.
func vex(name string) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op { return meanings[name](c, in, a) }
}

// twoOperands is an instruction of AVX with the destination as its last source. Init functions
// run in the order of their files' names, so the meaning is looked up when it is needed.
func twoOperands(name string) meaning {
	return legacy(func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, []kind{vector, memory, immediate}, isVector)
		return meanings[name](c, in, []arg{a[0], a[1], a[1]})
	}, 16)
}

// legacy is an instruction on the first 16 bytes of vectors that keeps what is above them in its
// destination. Memory must be at a multiple of align.
func legacy(f meaning, align int64) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		for _, x := range a {
			if x.kind == vector && (x.size != 16 || x.at >= Vectors+16*64) {
				machine.Fail("no such form")
			}
		}
		if c.broadcast || c.zeroing {
			machine.Fail("no such form")
		}
		op := f(c, in, a)
		dst := a[len(a)-1]
		return func(s *machine.State) {
			for i := range a {
				if a[i].kind == memory && align > 1 {
					s.Aligned(a[i].address(s), align)
				}
			}
			if dst.kind != vector {
				op(s)
				return
			}
			var upper [48]term.Byte
			copy(upper[:], s.Regs[dst.at+16:dst.at+64])
			op(s)
			s.SetBytes(dst.at+16, len(upper), upper[:])
		}
	}
}
