// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
)

// Multiplications of general purpose registers.
func init() {
	instruction(multiply, "MULQ")
	instruction(multiplyLow, "IMULQ")
	instruction(multiplyApart, "MULXQ")
	instruction(multiplyConstant, "IMUL3Q")
}

// multiply is DX:AX = AX · src. What it leaves of the flags is used by nobody.
func multiply(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, wordOrMem)
	ax, dx := general["AX"], general["DX"]
	return func(s *machine.State) {
		x, y := s.Word(ax, 8), a[0].value(s, 8)
		s.SetWord(ax, s.T.Mul(x, y))
		s.SetWord(dx, s.T.MulHigh(x, y))
		s.UndefineFlags()
	}
}

// multiplyLow is dst = dst · src modulo 2^64.
func multiplyLow(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, wordOrMem, isWord)
	return func(s *machine.State) {
		a[1].set(s, s.T.Mul(a[1].value(s, 8), a[0].value(s, 8)))
		s.UndefineFlags()
	}
}

// multiplyConstant is dst = src times a constant modulo 2^64.
func multiplyConstant(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, isImm, wordOrMem, isWord)
	check32(a[0], 8)
	return func(s *machine.State) {
		a[2].set(s, s.T.Mul(a[1].value(s, 8), a[0].value(s, 8)))
		s.UndefineFlags()
	}
}

// multiplyApart is hi:lo = DX · src. It changes no flag.
func multiplyApart(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, wordOrMem, isWord, isWord)
	dx := general["DX"]
	return func(s *machine.State) {
		x, y := s.Word(dx, 8), a[0].value(s, 8)
		a[1].set(s, s.T.Mul(x, y))
		a[2].set(s, s.T.MulHigh(x, y)) // the upper half, if both are the same
	}
}
