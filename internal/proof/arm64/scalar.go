// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(move(8), "MOVD")
	instruction(store(4), "MOVW")
	instruction(store(2), "MOVH")
	instruction(store(1), "MOVB")
	instruction(move(4), "MOVWU")
	instruction(move(2), "MOVHU")
	instruction(move(1), "MOVBU")
	instruction(arithmetic(add, false), "ADD")
	instruction(arithmetic(add, true), "ADDS")
	instruction(arithmetic(addCarry, false), "ADC")
	instruction(arithmetic(addCarry, true), "ADCS")
	instruction(arithmetic(sub, false), "SUB")
	instruction(arithmetic(sub, true), "SUBS")
	for name, f := range map[string]func(*term.Store, term.Term, term.Term) term.Term{
		"AND": (*term.Store).And, "ORR": (*term.Store).Or, "EOR": (*term.Store).Xor, "MUL": (*term.Store).Mul, "UMULH": (*term.Store).MulHigh,
	} {
		instruction(arithmetic(plain(f), false), name)
	}
	instruction(arithmetic(plain(shift((*term.Store).Shl)), false), "LSL")
	instruction(arithmetic(plain(shift((*term.Store).Shr)), false), "LSR")
	for name, f := range map[string]func(*term.Store, term.Term, term.Term) term.Term{
		"ADDW": (*term.Store).Add, "EORW": (*term.Store).Xor, "RORW": rotate,
	} {
		instruction(short(f), name)
	}
	instruction(compare(sub), "CMP")
	instruction(compare(plain((*term.Store).And)), "TST")
	instruction(extract, "EXTR")
	instruction(selects, "CSEL")
	instruction(field, "UBFX")
	instruction(multiplyAdd, "MADD")
	instruction(swapBytes(8), "REV")
	instruction(swapBytes(4), "REVW")
}

// move copies a register or a constant, loads n bytes, or stores them.
func move(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		if len(a) != 2 {
			machine.Fail("%d operands, want 2", len(a))
		}
		src, dst := a[0], a[1]
		switch {
		case src.kind == memory:
			return c.transfer(n, word, a[1:], src, false)
		case dst.kind == memory:
			return c.transfer(n, word, a[:1], dst, true)
		}
		if n != 8 || dst.kind != word || src.kind != word && src.kind != immediate {
			machine.Fail("no such form")
		}
		return func(s *machine.State) { dst.set(s, src.value(s, 8)) }
	}
}

// store is a move to memory; to registers these extend by the sign, which no kernel
// needs.
func store(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, word, memory)
		return move(n)(c, in, a)
	}
}

// short is arithmetic on the lower 32 bits; the upper become 0.
func short(f func(*term.Store, term.Term, term.Term) term.Term) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		y, x, dst := three(a)
		if x.kind != word || dst.kind != word || x.shift != "" || y.shift != "" || y.kind != word && y.kind != immediate {
			machine.Fail("no such form")
		}
		return func(s *machine.State) { dst.set(s, f(s.T, x.value(s, 4), y.value(s, 4))) }
	}
}

// rotate rotates right by a number of bits that must be known.
func rotate(t *term.Store, x, k term.Term) term.Term {
	v, ok := t.IsConst(k)
	if !ok {
		machine.Fail("rotates by an unknown number of bits")
	}
	return t.Rot(x, -int(v))
}

// An operation returns x op y, and what flags it would set.
type operation func(s *machine.State, x, y term.Term) (r term.Term, flags machine.Flags)

// three returns the operands of dst = x op y; x is dst if it is left out.
func three(a []arg) (y, x, dst arg) {
	switch len(a) {
	case 2:
		return a[0], a[1], a[1]
	case 3:
		return a[0], a[1], a[2]
	}
	machine.Fail("%d operands", len(a))
	return
}

func arithmetic(f operation, set bool) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		y, x, dst := three(a)
		if x.kind != word || dst.kind != word || x.shift != "" || y.kind != word && y.kind != immediate {
			machine.Fail("no such form")
		}
		return func(s *machine.State) {
			r, flags := f(s, x.value(s, 8), y.value(s, 8))
			if set {
				s.Flags = flags
			}
			dst.set(s, r)
		}
	}
}

// compare is arithmetic whose result is dropped.
func compare(f operation) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		if len(a) != 2 || a[1].kind != word || a[0].kind != word && a[0].kind != immediate {
			machine.Fail("no such form")
		}
		return func(s *machine.State) { _, s.Flags = f(s, a[1].value(s, 8), a[0].value(s, 8)) }
	}
}

func flags(s *machine.State, r, carry, less term.Term) machine.Flags {
	return machine.Flags{CF: carry, ZF: s.T.Zero(r), LT: less}
}

func add(s *machine.State, x, y term.Term) (term.Term, machine.Flags) {
	r, less := s.T.Add(x, y), machine.Undefined
	if v, ok := s.T.IsConst(y); ok && v != 1<<63 {
		less = s.T.Less(x, s.T.Const(64, -v)) // what is compared is the sum without overflow
	}
	return r, flags(s, r, s.T.Carry(x, y, s.T.Const(8, 0)), less)
}

func addCarry(s *machine.State, x, y term.Term) (term.Term, machine.Flags) {
	c := s.Flag(CF)
	r := s.T.Add(s.T.Add(x, y), s.T.Extend(c, 64))
	return r, flags(s, r, s.T.Carry(x, y, c), machine.Undefined)
}

// not is the other bit.
func not(s *machine.State, bit term.Term) term.Term { return s.T.Xor(bit, s.T.Const(8, 1)) }

func sub(s *machine.State, x, y term.Term) (term.Term, machine.Flags) {
	r := s.T.Sub(x, y)
	return r, flags(s, r, not(s, s.T.Borrow(x, y, s.T.Const(8, 0))), s.T.Less(x, y))
}

// plain is an operation that sets no flags, or, as TST does, no carry.
func plain(f func(*term.Store, term.Term, term.Term) term.Term) operation {
	return func(s *machine.State, x, y term.Term) (term.Term, machine.Flags) {
		r := f(s.T, x, y)
		return r, flags(s, r, s.T.Const(8, 0), machine.Undefined)
	}
}

// shift is a shift by a number of bits that must be known.
func shift(f func(*term.Store, term.Term, int) term.Term) func(*term.Store, term.Term, term.Term) term.Term {
	return func(t *term.Store, x, k term.Term) term.Term {
		v, ok := t.IsConst(k)
		if !ok {
			machine.Fail("shifts by an unknown number of bits")
		}
		return f(t, x, int(v&63))
	}
}

// extract takes 64 bits, from a bit on, of a register and above it another one:
// bit, lower, upper, destination.
func extract(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, immediate, word, word, word)
	return func(s *machine.State) {
		k := int(a[0].imm & 63)
		a[3].set(s, s.T.Or(s.T.Shr(a[1].value(s, 8), k), s.T.Shl(a[2].value(s, 8), 64-k)))
	}
}

// selects takes its second operand if a condition holds, else the third.
func selects(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, condition, word, word, word)
	bit := conditions[a[0].name]
	if bit == nil {
		machine.Fail("condition %s", a[0].name)
	}
	return func(s *machine.State) { a[3].set(s, s.T.Choose(bit(s), a[1].value(s, 8), a[2].value(s, 8))) }
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
		return func(s *machine.State) { a[1].set(s, machine.SwapBytes(s.T, a[0].value(s, n), n)) }
	}
}
