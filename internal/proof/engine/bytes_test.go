// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/machine"
)

// TestCopiedBytes checks a word that consists of two copies of two bytes. A vector
// instruction has computed them together with four other bytes.
func TestCopiedBytes(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVOU (SI), X0
	MOVOU (DX), X1
	MOVOU X0, (DI)
	MOVWLZX (DX), AX
	XORW AX, (DI)
	MOVOU (DI), X0
	PXOR X1, X0
	MOVOU X0, (DI)
	MOVWLZX 10(DI), AX
	MOVWLZX 12(DI), BX
	MOVW AX, (DI)
	MOVW BX, 2(DI)
	MOVL (DI), AX
	ADDL $1, AX
	MOVQ AX, (DI)
	MOVQ $0, 8(DI)
	RET
`
	for _, test := range []struct{ text, err string }{
		{text, ""},
		{strings.Replace(text, "MOVW BX", "MOVW AX", 1), "out["},
	} {
		var out, a, b *machine.Object
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, a, b = Writable(c.Buffer("out", 16)), c.Buffer("a", 16), c.Buffer("b", 16)
				c.Arg(out.Base, a.Base, b.Base)
			},
			Spec: func(c *Case, _ int64, _ bool) {
				sum := c.AddConst(c.Xor(a.Load(10, 4), b.Load(10, 4)), 1)
				c.Expect(out, 0, sum, c.Const(32, 0), c.Const(64, 0))
			},
		})
		expectError(t, test.text, err, test.err)
	}
}
