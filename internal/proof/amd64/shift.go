// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(shift((*term.Store).Shl, false), "SHLQ")
	instruction(shift((*term.Store).Shr, true), "SHRQ")
	instruction(shiftTo((*term.Store).Shl), "SHLXQ")
	instruction(shiftTo((*term.Store).Shr), "SHRXQ")
	instruction(rotate(8, -1), "RORQ")
	instruction(rotate(4, 1), "ROLL")
	instruction(bzhi, "BZHIQ")
	instruction(swapBytes, "BSWAPL")
}

// amount returns by how many bits to shift, which must be known.
func amount(s *machine.State, a *arg) int {
	v, ok := s.Value(a.value(s, 1))
	if !ok {
		machine.Fail("shifts by an unknown number of bits")
	}
	return int(v & 63)
}

// shift is a shift by a constant or CL, or, with three operands, one that shifts in
// bits of another register. The carry is taken as undefined.
func shift(f func(*term.Store, term.Term, int) term.Term, right bool) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		if len(a) == 3 {
			return doubleShift(a, right)
		}
		want(a, []kind{immediate, word}, wordOrMem)
		if a[0].kind == word && a[0].size != 1 {
			machine.Fail("shifts by a register that is not CL")
		}
		return func(s *machine.State) {
			k := amount(s, &a[0])
			r := f(s.T, a[1].value(s, 8), k)
			if k != 0 {
				flags(s, r, machine.Undefined, machine.Undefined)
			}
			a[1].set(s, r)
		}
	}
}

func doubleShift(a []arg, right bool) machine.Op {
	want(a, isImm, isWord, isWord)
	if a[0].imm&63 == 0 {
		machine.Fail("no such form") // it changes no flag
	}
	return func(s *machine.State) {
		t, k := s.T, int(a[0].imm&63)
		in, x := a[1].value(s, 8), a[2].value(s, 8)
		if right {
			x = t.Or(t.Shr(x, k), t.Shl(in, 64-k))
		} else {
			x = t.Or(t.Shl(x, k), t.Shr(in, 64-k))
		}
		flags(s, x, machine.Undefined, machine.Undefined)
		a[2].set(s, x)
	}
}

// shiftTo is a shift that changes no flag: amount, source, destination.
func shiftTo(f func(*term.Store, term.Term, int) term.Term) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isWord, wordOrMem, isWord)
		return func(s *machine.State) { a[2].set(s, f(s.T, a[1].value(s, 8), amount(s, &a[0]))) }
	}
}

// rotate is a rotation of n bytes by a constant, to the left where the sign is 1. It leaves ZF
// as it is; all flags are taken as undefined.
func rotate(n, sign int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isImm, wordOrMem)
		return func(s *machine.State) {
			a[1].set(s, s.T.Rot(a[1].value(s, n), sign*int(a[0].imm&uint64(8*n-1))))
			s.UndefineFlags()
		}
	}
}

// bzhi keeps as many lower bits as its first operand says, which must be known.
func bzhi(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, isWord, wordOrMem, isWord)
	return func(s *machine.State) {
		n, ok := s.Value(a[0].value(s, 1))
		if !ok {
			machine.Fail("keeps an unknown number of bits")
		}
		r := a[1].value(s, 8)
		if n < 64 {
			r = s.T.And(r, s.T.Const(64, 1<<n-1))
		}
		flags(s, r, machine.Undefined, machine.Undefined)
		a[2].set(s, r)
	}
}

// swapBytes turns the order of 4 bytes around.
func swapBytes(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, isWord)
	return func(s *machine.State) { a[0].set(s, machine.SwapBytes(s.T, a[0].value(s, 4), 4)) }
}
