// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(vectorMeaning(1, true, encrypt), "AESE")
	instruction(vectorMeaning(1, false, mix), "AESMC")
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
