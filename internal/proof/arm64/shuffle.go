// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	for k, number := range []string{"1", "2"} {
		// Lanes of the lower or the upper halves of both sources, in turn.
		instruction(pick(2, func(i, count int) (src, lane int) { return 1 - i%2, (k*count + i) / 2 }), "VZIP"+number)
		// Every other lane of the second source, then of the first.
		instruction(pick(2, func(i, count int) (src, lane int) { return 1 - (2*i+k)/count, (2*i + k) % count }), "VUZP"+number)
		// Every other lane of both sources, in turn.
		instruction(pick(2, func(i, _ int) (src, lane int) { return 1 - i%2, i - i%2 + k }), "VTRN"+number)
	}
	instruction(vectorMeaning(2, false, join), "VEXT")
	instruction(vectorMeaning(1, false, reverse(8)), "VREV64")
	instruction(vectorMeaning(1, false, reverse(4)), "VREV32")
	instruction(table, "VTBL")
	instruction(duplicate, "VDUP")
	instruction(moveElement, "VMOV")
	instruction(constant, "VMOVI")
}

// pick takes the lanes that from says of the sources: for each of count lanes, of which source it is, and which one there.
func pick(sources int, from func(i, count int) (src, lane int)) meaning {
	return vectorMeaning(sources, false, func(_ uint64, n int) vectorOp {
		return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
			count := len(dst) / n
			for i := range count {
				j, lane := from(i, count)
				copy(dst[i*n:i*n+n], src[j][lane*n:])
			}
		}
	})
}

// join takes bytes from one on of the second source, then of the first.
func join(imm uint64, n int) vectorOp {
	if n != 1 || imm > 15 {
		machine.Fail("no such form")
	}
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		copy(dst, append(append([]term.Byte(nil), src[1]...), src[0]...)[imm:])
	}
}

// reverse turns round the lanes in each group of bytes.
func reverse(group int) func(uint64, int) vectorOp {
	return func(_ uint64, n int) vectorOp {
		if n >= group {
			machine.Fail("no such form")
		}
		return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
			for i := 0; i < len(dst); i += n {
				copy(dst[i:i+n], src[0][i/group*group+group-n-i%group:])
			}
		}
	}
}

// table takes bytes by a vector of their numbers, which must be known: numbers,
// a list of one vector, destination.
func table(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, vector, list, vector)
	if len(a[1].regs) != 1 || a[0].size != a[2].size || a[0].lanes != 1 || a[2].lanes != 1 || a[1].regs[0].size != 16 {
		machine.Fail("no such form")
	}
	from := a[1].regs[0].at
	return func(s *machine.State) {
		var out [16]term.Byte
		for i := range a[2].size {
			v, ok := s.T.ByteValue(s.Regs[a[0].at+i])
			if !ok {
				machine.Fail("shuffles by something unknown")
			}
			if v < 16 {
				out[i] = s.Regs[from+int(v)]
			}
		}
		a[2].setVector(s, out[:a[2].size])
	}
}

// duplicate repeats a register or an element in all lanes.
func duplicate(c *compiler, in *asm.Instr, a []arg) machine.Op {
	if len(a) != 2 || a[0].kind != word && a[0].kind != element || a[1].kind != vector || a[0].kind == element && a[0].size != a[1].lanes || a[0].shift != "" {
		machine.Fail("no such form")
	}
	return func(s *machine.State) {
		var lane, out [16]term.Byte
		if n := a[1].lanes; a[0].kind == element {
			copy(lane[:], s.Regs[a[0].at:a[0].at+n])
		} else {
			s.T.Bytes(lane[:], a[0].value(s, n))
		}
		for i := range a[1].size {
			out[i] = lane[i%a[1].lanes]
		}
		a[1].setVector(s, out[:a[1].size])
	}
}

// moveElement copies between an element and a register, or a whole vector.
func moveElement(c *compiler, in *asm.Instr, a []arg) machine.Op {
	if len(a) != 2 {
		machine.Fail("%d operands, want 2", len(a))
	}
	src, dst := a[0], a[1]
	switch {
	case src.kind == word && dst.kind == element && src.shift == "":
		return func(s *machine.State) { s.SetWord(dst.at, src.value(s, dst.size)) }
	case src.kind == element && dst.kind == word:
		return func(s *machine.State) { dst.set(s, s.Word(src.at, src.size)) }
	case src.kind == vector && dst.kind == vector && src.size == dst.size:
		return func(s *machine.State) { dst.setVector(s, append([]term.Byte(nil), s.Regs[src.at:src.at+src.size]...)) }
	}
	machine.Fail("no such form")
	return nil
}

// constant sets all bytes to a constant.
func constant(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a, immediate, vector)
	if a[1].lanes != 1 || a[0].imm > 255 {
		machine.Fail("no such form")
	}
	return func(s *machine.State) {
		var out [16]term.Byte
		for i := range out {
			out[i] = term.ConstByte(uint8(a[0].imm))
		}
		a[1].setVector(s, out[:a[1].size])
	}
}
