// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

type vectorOp = machine.VectorOp

// vectorMeaning compiles instructions whose operands are, in this order, constants
// (as many as constants), sources, a mask if there is one more operand than that,
// and a destination, all of the destination's size. The first source may be memory,
// under .BCST one element of it; element is the size of elements in bytes.
// Inout says that the destination is the last source, too.
func vectorMeaning(constants, sources, element int, inout bool, f func(imm []uint64) vectorOp) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		if len(a) < constants+sources+1 {
			machine.Fail("%d operands", len(a))
		}
		var imm []uint64
		for _, x := range a[:constants] {
			if x.kind != immediate {
				machine.Fail("operand is no constant")
			}
			imm = append(imm, x.imm&0xff)
		}
		src, dst := a[constants:constants+sources], a[len(a)-1]
		var k *arg
		if len(a) == constants+sources+2 {
			k = &a[constants+sources]
			want([]arg{*k}, isMask)
		} else if len(a) != constants+sources+1 || c.zeroing {
			machine.Fail("%d operands", len(a))
		}
		want([]arg{dst}, isVector)
		for i, x := range src {
			if x.kind != vector && (i > 0 || x.kind != memory) || x.kind == vector && x.size != dst.size {
				machine.Fail("source %d is of another kind", i+1)
			}
		}
		if c.broadcast && src[0].kind != memory || k != nil && element == 0 || c.broadcast && element < 4 {
			machine.Fail("no such form")
		}
		return vectorRun(f(imm), src, dst, k, element, inout, c.broadcast, c.zeroing)
	}
}

func vectorRun(op vectorOp, src []arg, dst arg, k *arg, element int, inout, broadcast, zeroing bool) machine.Op {
	var m memo
	var values [][]term.Byte // as is out: here, so that runs need no memory for them
	var out [64]term.Byte
	return func(s *machine.State) {
		values = values[:0]
		for i := range src {
			if i == 0 && broadcast {
				values = append(values, repeat(src[0].bytes(s, element), dst.size))
			} else {
				values = append(values, src[i].bytes(s, dst.size))
			}
		}
		if inout {
			values = append(values, s.Regs[dst.at:dst.at+dst.size])
		}
		m.do(op, s, out[:dst.size], values)
		if k != nil {
			keep(s, out[:dst.size], s.Regs[dst.at:], *k, element, zeroing)
		}
		dst.setBytes(s, out[:dst.size])
	}
}

// A memo has what an instruction made of its operands in the run before, at each
// turn of the loops around it. Runs for other lengths mostly do the same again.
type memo []struct {
	out, src []term.Byte
}

// do is op, or what it gave before.
func (m *memo) do(op vectorOp, s *machine.State, dst []term.Byte, src [][]term.Byte) {
	turn := int(s.Visits()[s.PC]) - 1
	if turn >= 64 {
		op(s.T, dst, src)
		return
	}
	for len(*m) <= turn {
		*m = append(*m, struct{ out, src []term.Byte }{})
	}
	e := &(*m)[turn]
	n := len(dst)
	same := len(e.src) == n*len(src) && len(e.out) == n
	for i := 0; same && i < len(src); i++ {
		same = slices.Equal(e.src[i*n:i*n+n], src[i])
	}
	if !same {
		e.src, e.out = e.src[:0], e.out[:0] // op may fail
		for _, b := range src {
			e.src = append(e.src, b...)
		}
		op(s.T, dst, src)
		e.out = append(e.out, dst...)
	}
	copy(dst, e.out)
}

// maskBit returns a bit of a mask, which must be known.
func maskBit(s *machine.State, k arg, i int) bool {
	b, ok := s.ByteValue(s.Regs[k.at+i/8])
	if !ok {
		machine.Fail("a mask that is not known")
	}
	return b>>(i%8)&1 == 1
}

// keep replaces the elements of out whose bit in a mask is 0: by zeros, or by what
// was there.
func keep(s *machine.State, out, old []term.Byte, k arg, element int, zeroing bool) {
	if k.at == masks {
		machine.Fail("K0 is no mask")
	}
	for i := 0; i < len(out); i += element {
		b := s.Regs[k.at+i/element/8]
		if v, ok := s.ByteValue(b); ok {
			b = term.ConstByte(v)
		}
		bit, ok := s.T.MaskBit(b, i/element%8)
		if !ok {
			machine.Fail("a mask that is not known")
		}
		mix(s.T, bit, out[i:i+element], old[i:i+element], zeroing)
	}
}

func repeat(b []term.Byte, size int) []term.Byte {
	out := make([]term.Byte, 0, 64)
	for len(out) < size {
		out = append(out, b...)
	}
	return out
}

// plain is the vectorOp of instructions without constants.
func plain(op vectorOp) func([]uint64) vectorOp { return func([]uint64) vectorOp { return op } }
