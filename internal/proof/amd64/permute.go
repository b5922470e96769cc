// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Permutations take elements by a vector of their numbers, which must be known.
func init() {
	instruction(vectorMeaning(0, 2, 4, true, plain(permuteTwo(4))), "VPERMT2D")
}

// permuteTwo takes elements of n bytes of two vectors, the destination and the first
// source; the second has their numbers.
func permuteTwo(n int) vectorOp {
	return func(t *term.Store, dst []term.Byte, src [][]term.Byte) {
		count := len(dst) / n
		for i := range count {
			number, ok := t.ByteValue(src[1][i*n])
			if !ok {
				machine.Fail("permutes by something unknown")
			}
			from := src[2]
			if int(number)&count != 0 {
				from = src[0]
			}
			e := int(number) & (count - 1)
			copy(dst[i*n:i*n+n], from[e*n:e*n+n])
		}
	}
}
