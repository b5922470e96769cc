// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import "github.com/unimac/unimac/internal/proof/term"

// In the assembler's order the operand that is subtracted comes first.
func init() {
	type fold = func(t *term.Store, a, b term.Term) term.Term
	pair := func(f fold) func(*term.Store, []term.Term) term.Term {
		return func(t *term.Store, x []term.Term) term.Term { return f(t, x[1], x[0]) }
	}
	for suffix, n := range map[string]int{"D": 4, "Q": 8} {
		two := func(f fold) meaning { return vectorMeaning(0, 2, n, false, plain(lanes(n, pair(f)))) }
		instruction(two((*term.Store).Add), "VPADD"+suffix)
		instruction(two((*term.Store).Sub), "VPSUB"+suffix)
		by := func(f func(t *term.Store, x term.Term, k int) term.Term) meaning {
			return vectorMeaning(1, 1, n, false, func(imm []uint64) vectorOp {
				return lanes(n, func(t *term.Store, x []term.Term) term.Term { return f(t, x[0], int(imm[0])) })
			})
		}
		instruction(by((*term.Store).Shl), "VPSLL"+suffix)
		instruction(by((*term.Store).Shr), "VPSRL"+suffix)
		instruction(by((*term.Store).Rot), "VPROL"+suffix)
		instruction(by(func(t *term.Store, x term.Term, k int) term.Term { return t.Rot(x, -k) }), "VPROR"+suffix)
	}
	instruction(vectorMeaning(0, 2, 4, false, plain(lanes(4, pair(equal)))), "VPCMPEQD")
	instruction(vectorMeaning(0, 2, 8, false, plain(lanes(8, pair(multiply32)))), "VPMULUDQ")
}

// equal is all ones where a == b.
func equal(t *term.Store, a, b term.Term) term.Term {
	if a == b {
		return t.Const(t.Width(a), ^uint64(0))
	}
	bit := t.Zero(t.Xor(a, b))
	return t.Sub(t.Const(t.Width(a), 0), t.Extend(bit, t.Width(a)))
}

// multiply32 is the product of the lower halves.
func multiply32(t *term.Store, a, b term.Term) term.Term {
	return t.Mul(t.Extend(t.Low(a, 32), 64), t.Extend(t.Low(b, 32), 64))
}
