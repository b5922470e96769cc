// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(swapBytes(4), "BSWAPL")
	instruction(extractWord(8), "VPEXTRQ")
	instruction(extractWord(4), "VPEXTRD")
}

// swapBytes turns the order of n bytes around.
func swapBytes(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isWord)
		return func(s *machine.State) {
			var b, out [8]term.Byte
			s.T.Bytes(b[:], a[0].value(s, n))
			for i := range n {
				out[i] = b[n-1-i]
			}
			a[0].set(s, s.T.Gather(out[:n]))
		}
	}
}

// extractWord copies one of the elements of n bytes of a vector of 16.
func extractWord(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, isImm, isVector, wordOrMem)
		if a[1].size != 16 {
			machine.Fail("no such form")
		}
		at := a[1].at + n*(int(a[0].imm)&(16/n-1))
		return func(s *machine.State) { a[2].set(s, s.Word(at, n)) }
	}
}
