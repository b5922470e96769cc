// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(moveAny(8), "MOVQ")
	instruction(moveAny(4), "MOVL")
	instruction(move(2, 2), "MOVW")
	instruction(move(1, 1), "MOVB")
	instruction(move(1, 8), "MOVBQZX")
	instruction(move(1, 4), "MOVBLZX")
	instruction(move(2, 8), "MOVWQZX")
	instruction(move(2, 4), "MOVWLZX")
	instruction(lea, "LEAQ")
	instruction(arithmetic(4, add), "ADDL")
	instruction(arithmetic(8, add), "ADDQ")
	instruction(arithmetic(8, addCarry), "ADCQ")
	instruction(arithmetic(8, sub), "SUBQ")
	instruction(arithmetic(4, logic((*term.Store).And)), "ANDL")
	instruction(arithmetic(8, logic((*term.Store).And)), "ANDQ")
	instruction(arithmetic(4, logic((*term.Store).Or)), "ORL")
	instruction(arithmetic(8, logic((*term.Store).Or)), "ORQ")
	for i, suffix := range []string{"B", "W", "L", "Q"} {
		instruction(arithmetic(1<<i, logic((*term.Store).Xor)), "XOR"+suffix)
	}
	instruction(compare(8, sub), "CMPQ")
	instruction(compare(8, logic((*term.Store).And)), "TESTQ")
	instruction(one(8, inc), "INCQ")
	instruction(one(8, dec), "DECQ")
	instruction(one(8, neg), "NEGQ")
	for name, flag := range map[string]int{"CS": CF, "EQ": ZF, "LT": LT} {
		instruction(choose(func(s *machine.State) term.Term { return s.Flag(flag) }), "CMOVQ"+name)
	}
	for name, flag := range map[string]int{"CC": CF, "NE": ZF} {
		instruction(choose(func(s *machine.State) term.Term { return opposite(s.T, s.Flag(flag)) }), "CMOVQ"+name)
	}
	instruction(choose(above), "CMOVQHI")
}

// above is neither CF nor ZF. After a comparison it is one bit, which is easier to decide.
func above(s *machine.State) term.Term {
	t, carry, zero := s.T, s.Flag(CF), s.Flag(ZF)
	if t.Op(carry) == term.Apply && t.Func(carry) == term.BorrowOf {
		x, y, in := term.Term(t.Args(carry)[0]), term.Term(t.Args(carry)[1]), term.Term(t.Args(carry)[2])
		if in == t.Const(8, 0) && zero == t.Zero(t.Sub(x, y)) {
			return t.Borrow(y, x, in)
		}
	}
	return opposite(t, t.Or(carry, zero))
}

// move copies from bytes, extended by zeros to to bytes.
func move(from, to int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, wordMemOrImm, wordOrMem)
		if a[0].kind == memory && a[1].kind == memory || from != to && (a[0].kind == immediate || a[1].kind == memory) {
			machine.Fail("no such form")
		}
		return func(s *machine.State) { a[1].set(s, s.T.Extend(a[0].value(s, from), 8*to)) }
	}
}

// moveAny is MOVL or MOVQ, which vectors have as well.
func moveAny(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		for _, x := range a {
			if x.kind == vector {
				return legacy(moveLow(n), 1)(c, in, a)
			}
		}
		return move(n, n)(c, in, a)
	}
}

func lea(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, isMemory, isWord)
	return func(s *machine.State) { a[1].set(s, a[0].address(s)) }
}

// An operation returns what becomes of x by y, and sets flags.
type operation func(s *machine.State, x, y term.Term) term.Term

// arithmetic is dst = dst op src.
func arithmetic(n int, f operation) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, wordMemOrImm, wordOrMem)
		check32(a[0], n)
		a[1].keepsSP()
		return func(s *machine.State) {
			if s.AlignFrame(a[1].kind == word && in.Op == "ANDQ" && a[0].kind == immediate, a[1].at, a[0].imm) {
				return
			}
			a[1].set(s, f(s, a[1].value(s, n), a[0].value(s, n)))
		}
	}
}

// check32 fails for a constant that the processor does not extend to 64 bits as
// it stands.
func check32(a arg, n int) {
	if v := int64(a.imm); a.kind == immediate && v != int64(int32(v)) && (n == 8 || v != int64(uint32(v))) {
		machine.Fail("constant %#x", v)
	}
}

// compare is arithmetic whose result is dropped. The operands of CMP are in the
// order of the subtraction.
func compare(n int, f operation) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, wordMemOrImm, wordMemOrImm)
		check32(a[0], n)
		check32(a[1], n)
		return func(s *machine.State) { f(s, a[0].value(s, n), a[1].value(s, n)) }
	}
}

func one(n int, f func(s *machine.State, x term.Term) term.Term) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, wordOrMem)
		return func(s *machine.State) { a[0].set(s, f(s, a[0].value(s, n))) }
	}
}

// flags sets the flags after a result r.
func flags(s *machine.State, r, carry, less term.Term) {
	s.Flags = machine.Flags{CF: carry, ZF: s.T.Zero(r), LT: less}
}

func add(s *machine.State, x, y term.Term) term.Term {
	r := s.T.Add(x, y)
	flags(s, r, s.T.Carry(x, y, s.T.Const(8, 0)), machine.Undefined)
	return r
}

func addCarry(s *machine.State, x, y term.Term) term.Term {
	c := s.Flag(CF)
	r := s.T.Add(s.T.Add(x, y), s.T.Extend(c, s.T.Width(x)))
	flags(s, r, s.T.Carry(x, y, c), machine.Undefined)
	return r
}

func sub(s *machine.State, x, y term.Term) term.Term {
	r := s.T.Sub(x, y)
	flags(s, r, s.T.Borrow(x, y, s.T.Const(8, 0)), s.T.Less(x, y))
	return r
}

func logic(f func(t *term.Store, x, y term.Term) term.Term) operation {
	return func(s *machine.State, x, y term.Term) term.Term {
		r := f(s.T, x, y)
		flags(s, r, s.T.Const(8, 0), machine.Undefined)
		return r
	}
}

// inc and dec leave the carry as it is.
func inc(s *machine.State, x term.Term) term.Term { return step(s, s.T.AddConst(x, 1)) }
func dec(s *machine.State, x term.Term) term.Term { return step(s, s.T.AddConst(x, ^uint64(0))) }

func step(s *machine.State, r term.Term) term.Term {
	flags(s, r, s.Flags[CF], machine.Undefined)
	return r
}

func neg(s *machine.State, x term.Term) term.Term { return sub(s, s.T.Const(s.T.Width(x), 0), x) }

// choose is a conditional move: it reads memory in any case.
func choose(condition func(*machine.State) term.Term) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, wordOrMem, isWord)
		return func(s *machine.State) {
			x, y := a[0].value(s, 8), a[1].value(s, 8)
			bit := condition(s)
			if v, ok := s.Value(bit); ok {
				bit = s.T.Const(8, v)
			} else if v, ok := s.Known(bit); ok {
				bit = s.T.Const(8, map[bool]uint64{true: 1}[v])
			}
			a[1].set(s, s.T.Choose(bit, x, y))
		}
	}
}
