// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Comparisons of elements of 64 bits, whose results are the bits of a mask, and moves to elements
// that a mask has.
func init() {
	instruction(expand(8), "VPEXPANDQ")
	instruction(compareMask(1, func(imm uint64) func(t *term.Store, a, b term.Term) term.Term {
		less := func(t *term.Store, a, b term.Term) term.Term { return t.Borrow(a, b, t.Const(8, 0)) }
		switch imm {
		case 1:
			return less
		case 5:
			return func(t *term.Store, a, b term.Term) term.Term { return opposite(t, less(t, a, b)) }
		}
		machine.Fail("no such form")
		return nil
	}), "VPCMPUQ")
	instruction(compareMask(0, func(uint64) func(t *term.Store, a, b term.Term) term.Term {
		return func(t *term.Store, a, b term.Term) term.Term { return opposite(t, t.Zero(t.And(a, b))) }
	}), "VPTESTMQ")
}

// opposite returns the other value of a bit.
func opposite(t *term.Store, bit term.Term) term.Term { return t.Xor(bit, t.Const(8, 1)) }

// compareMask compares the elements of its second source with those of the first.
func compareMask(constants int, f func(imm uint64) func(t *term.Store, a, b term.Term) term.Term) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		if constants == 1 {
			want(a, isImm, vectorOrMem, isVector, isMask)
		} else {
			want(a, vectorOrMem, isVector, isMask)
		}
		if c.broadcast || c.zeroing {
			machine.Fail("no such form")
		}
		op := f(a[0].imm)
		y, x, dst := a[constants], a[constants+1], a[constants+2]
		if y.kind == vector && y.size != x.size {
			machine.Fail("no such form")
		}
		return func(s *machine.State) {
			var bits []term.Term
			values := y.bytes(s, x.size)
			for i := 0; i < x.size; i += 8 {
				bits = append(bits, op(s.T, s.Word(x.at+i, 8), s.T.Gather(values[i:i+8])))
			}
			s.SetWord(dst.at, s.T.Extend(s.T.Mask(bits), 64))
		}
	}
}

// mix replaces the elements of out whose bit in a mask is 0, or may be, by those of old or by
// zeros: in registers a mask may depend on anything.
func mix(t *term.Store, bit term.Term, out, old []term.Byte, zeroing bool) {
	for at := 0; at < len(out); at += 8 {
		n := min(8, len(out)-at)
		other := t.Const(8*n, 0)
		if !zeroing {
			other = t.Gather(old[at : at+n])
		}
		t.Bytes(out[at:at+n], t.Choose(bit, t.Gather(out[at:at+n]), other))
	}
}

// expand puts consecutive elements of n bytes into those of the destination that a mask
// has; of memory it reads only these.
func expand(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, vectorOrMem, isMask, isVector)
		src, k, dst := a[0], a[1], a[2]
		if src.kind == vector && src.size != dst.size || c.broadcast {
			machine.Fail("no such form")
		}
		zeroing := c.zeroing
		return func(s *machine.State) {
			var out [64]term.Byte
			var in []term.Byte
			taken := 0
			for i := range dst.size / n {
				if maskBit(s, k, i) {
					taken += n
				}
			}
			if taken > 0 {
				in = append(in, src.bytes(s, taken)...)
			}
			for i := range dst.size / n {
				if maskBit(s, k, i) {
					copy(out[i*n:i*n+n], in)
					in = in[n:]
				}
			}
			keep(s, out[:dst.size], s.Regs[dst.at:], k, n, zeroing)
			dst.setBytes(s, out[:dst.size])
		}
	}
}
