// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A vectorOp has the sources in the assembler's order, the last of which may be the destination as it was.
type vectorOp = machine.VectorOp

func init() {
	for name, f := range map[string]func(*term.Store, term.Term, term.Term) term.Term{
		"VADD": (*term.Store).Add, "VSUB": (*term.Store).Sub,
	} {
		instruction(sameLanes(2, false, func(t *term.Store, x []term.Term) term.Term { return f(t, x[1], x[0]) }), name)
	}
	for name, f := range map[string]func(*term.Store, term.Term, term.Term) term.Term{
		"VEOR": (*term.Store).Xor, "VAND": (*term.Store).And, "VORR": (*term.Store).Or,
	} {
		instruction(vectorMeaning(2, false, func(uint64, int) vectorOp { return machine.Bits(f) }), name)
	}
	byConstant("VUSHR", false, false, func(t *term.Store, x []term.Term, k int) term.Term { return t.Shr(x[0], k) })
	byConstant("VSHL", true, false, func(t *term.Store, x []term.Term, k int) term.Term { return t.Shl(x[0], k) })
	byConstant("VUSRA", false, true, func(t *term.Store, x []term.Term, k int) term.Term { return t.Add(x[1], t.Shr(x[0], k)) })
	// These insert: the bits that the shift leaves free stay as they were.
	byConstant("VSRI", false, true, func(t *term.Store, x []term.Term, k int) term.Term {
		w := t.Width(x[0])
		return t.Or(t.Shr(x[0], k), t.And(x[1], t.Const(w, ^(^uint64(0)>>(64-w)>>k))))
	})
	byConstant("VSLI", true, true, func(t *term.Store, x []term.Term, k int) term.Term {
		return t.Or(t.Shl(x[0], k), t.And(x[1], t.Const(t.Width(x[0]), 1<<k-1)))
	})
	instruction(vectorMeaning(2, false, addPairs), "VADDP")
	instruction(vectorMeaning(1, true, encrypt), "AESE")
	instruction(vectorMeaning(1, false, mix), "AESMC")
}

// vectorMeaning compiles instructions with perhaps a constant, sources and a
// destination, all of one arrangement; f is given the constant and the bytes of a
// lane. Inout says that the destination is the last source, too.
func vectorMeaning(sources int, inout bool, f func(imm uint64, lane int) vectorOp) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		var imm uint64
		if len(a) > 0 && a[0].kind == immediate {
			imm, a = a[0].imm, a[1:]
		}
		if len(a) != sources+1 {
			machine.Fail("%d operands", len(a))
		}
		dst := a[len(a)-1]
		for _, x := range a {
			if x.kind != vector || x.size != dst.size || x.lanes != dst.lanes {
				machine.Fail("Vectors of different kinds")
			}
		}
		op := f(imm, dst.lanes)
		return func(s *machine.State) {
			values := make([][]term.Byte, 0, 4)
			for _, x := range a[:sources] {
				values = append(values, s.Regs[x.at:x.at+x.size])
			}
			if inout {
				values = append(values, s.Regs[dst.at:dst.at+dst.size])
			}
			var out [16]term.Byte
			op(s.T, out[:dst.size], values)
			dst.setVector(s, out[:dst.size])
		}
	}
}

// sameLanes is a vectorMeaning that does the same in every lane.
func sameLanes(sources int, inout bool, f func(t *term.Store, x []term.Term) term.Term) meaning {
	return vectorMeaning(sources, inout, func(_ uint64, lane int) vectorOp { return machine.Lanes(lane, f) })
}

// byConstant is a shift of one source, in every lane, by a constant: to the left by less than
// the lane has bits, to the right by 1 or more.
func byConstant(name string, left, inout bool, f func(t *term.Store, x []term.Term, k int) term.Term) {
	instruction(vectorMeaning(1, inout, func(imm uint64, lane int) vectorOp {
		if bits := uint64(8 * lane); imm > bits || left && imm == bits || !left && imm == 0 {
			machine.Fail("shifts by %d", imm)
		}
		return machine.Lanes(lane, func(t *term.Store, x []term.Term) term.Term { return f(t, x, int(imm)) })
	}), name)
}

// addPairs adds neighbours, first those of the second source, then those of the
// first.
func addPairs(_ uint64, n int) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		both := append(append([]term.Byte(nil), src[1]...), src[0]...)
		for i := 0; i < len(dst); i += n {
			t.Bytes(dst[i:i+n], t.Add(t.Gather(both[2*i:2*i+n]), t.Gather(both[2*i+n:2*i+2*n])))
		}
	}
}

// encrypt is a round of AES but for its columns: the state with the round key added, then
// shifted, then the S-box of each byte.
func encrypt(_ uint64, lane int) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		whole(dst, lane)
		var x [16]term.Byte
		machine.Bitwise(t, t.Xor, x[:], src[0], src[1])
		term.ShiftRows(dst, x[:])
		t.SubBytes(dst, dst)
	}
}

// mix is MixColumns.
func mix(_ uint64, lane int) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		whole(dst, lane)
		t.MixColumns(dst, src[0])
	}
}

// whole fails unless a vector is one of 16 bytes.
func whole(v []term.Byte, lane int) {
	if len(v) != 16 || lane != 1 {
		machine.Fail("no such form")
	}
}
