// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Products of 52 bits, and what puts blocks into limbs.
func init() {
	for name, f := range map[string]func(t *term.Store, a, b term.Term) term.Term{
		"VPMADD52LUQ": (*term.Store).Mul52, "VPMADD52HUQ": (*term.Store).Mul52High,
	} {
		instruction(vectorMeaning(0, 2, 8, true, plain(lanes(8, func(t *term.Store, x []term.Term) term.Term {
			return t.Add(x[2], f(t, x[0], x[1]))
		}))), name)
	}
	instruction(vectorMeaning(1, 2, 8, false, func(imm []uint64) vectorOp {
		k := int(imm[0] & 63)
		return lanes(8, func(t *term.Store, x []term.Term) term.Term { return t.Or(t.Shr(x[1], k), t.Shl(x[0], 64-k)) })
	}), "VPSHRDQ")
	instruction(expand(8), "VPEXPANDQ")
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
