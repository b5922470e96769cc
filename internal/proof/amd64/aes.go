// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(vectorMeaning(0, 2, 0, false, plain(encrypt(true))), "VAESENC")
	instruction(vectorMeaning(0, 2, 0, false, plain(encrypt(false))), "VAESENCLAST")
	instruction(vectorMeaning(1, 1, 0, false, assist), "VAESKEYGENASSIST")
}

// encrypt is a round of AES of each 16 bytes of the second source; the first is the round
// key. The last round mixes no columns.
func encrypt(mix bool) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		for i := 0; i < len(dst); i += 16 {
			var x [16]term.Byte
			term.ShiftRows(x[:], src[1][i:i+16])
			t.SubBytes(x[:], x[:])
			if mix {
				t.MixColumns(x[:], x[:])
			}
			machine.Bitwise(t, t.Xor, dst[i:i+16], x[:], src[0][i:i+16])
		}
	}
}

// assist is what key schedules need of the second and the fourth word: the S-box of its
// bytes, and that rotated to the right by 8 bits with a constant.
func assist(imm []uint64) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		if len(dst) != 16 {
			machine.Fail("no such form")
		}
		for i := 0; i < 16; i += 8 {
			t.SubBytes(dst[i:i+4], src[0][i+4:i+8])
			x := t.Rot(t.Gather(dst[i:i+4]), -8)
			t.Bytes(dst[i+4:i+8], t.Xor(x, t.Const(32, imm[0])))
		}
	}
}
