// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"math/big"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// TestOverlapWritable checks that a buffer that may overlap an output must not be an
// output itself, because the order of stores to it is not checked.
func TestOverlapWritable(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ state+8(FP), SI
	MOVQ $7, (SI)
	MOVQ (DI), AX
	ADDQ $1, AX
	MOVQ AX, (DI)
	RET
`
	const refused = "state is writable and may overlap out"
	for _, test := range []struct {
		name, err string
		overlap   func(c *Case, out, state *machine.Object)
	}{
		{"apart", "", func(*Case, *machine.Object, *machine.Object) {}},
		{"in place", refused, func(c *Case, out, state *machine.Object) { c.InPlace(state, out) }},
		{"anywhere", refused, func(c *Case, out, state *machine.Object) { c.MayOverlap(out, state) }},
	} {
		var out, state *machine.Object
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				out, state = Writable(c.Buffer("out", 8)), Writable(c.Buffer("state", 8))
				test.overlap(c, out, state)
				c.Arg(out.Base, state.Base)
			},
			Spec: func(c *Case, _ int64, _ bool) {
				c.Expect(out, 0, c.AddConst(out.Load(0, 8), 1))
				c.Expect(state, 0, c.Const(64, 7))
			},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestOverlapKnown checks that nothing is known about a buffer that contains what the
// function stores in an output after the buffer's start.
func TestOverlapKnown(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $8-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ key+16(FP), AX
	MOVQ AX, (DI)
	MOVQ 8(SI), BX
	MOVQ BX, (SP)
	RET
`
	var key term.Term
	for _, test := range []struct {
		name, text, err string
		known           func(c *Case, in *machine.Object)
	}{
		{"unknown", strings.Replace(text, "MOVQ BX, (SP)", "NOP", 1), "", func(*Case, *machine.Object) {}},
		{"public", text, "in has known contents, which stores to out may change", func(_ *Case, in *machine.Object) { Public(in) }},
		{"constant", text, "in has known contents, which stores to out may change", func(c *Case, in *machine.Object) { in.Set(8, c.Const(64, 5)) }},
		{"congruent", strings.Replace(text, "MOVQ BX, (SP)", "NOP", 1), "in has known contents, which stores to out may change", func(c *Case, in *machine.Object) {
			a := algebra.New(c.Store)
			a.Let(key, a.Value(in.Load(8, 8)).Power(2))
			c.Rings = append(c.Rings, Congruence{a, big.NewInt(101)})
		}},
	} {
		var out *machine.Object
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				var in *machine.Object
				out, in, key = Writable(c.Buffer("out", 8)), c.Buffer("in", 16), c.Input("key", false)
				test.known(c, in)
				c.MayShare(in, out, 8, 0)
				c.Arg(out.Base, in.Base, key)
			},
			Spec: func(c *Case, _ int64, _ bool) { c.Expect(out, 0, key) },
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestOverlapIteration checks that an iteration does not store, where another buffer may
// overlap, a byte that a later iteration stores again.
func TestOverlapIteration(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ sum+16(FP), R8
	MOVQ n+24(FP), CX
loop:
	CMPQ CX, $0
	JEQ to
	MOVQ $7, (DI)
	MOVQ 8(DI), AX
	MOVQ AX, 8(DI)
	MOVQ 16(SI), BX
	MOVQ BX, (R8)
	ADDQ $8, DI
	ADDQ $8, SI
	ADDQ $8, R8
	SUBQ $1, CX
	JMP loop
to:
	RET
`
	for _, test := range []struct {
		name, text, err string
		read            int64
	}{
		{"reads what the iteration finishes", strings.NewReplacer("\tMOVQ AX, 8(DI)\n", "", "16(SI)", "8(SI)").Replace(text), "", 8},
		{"reads what the next iteration finishes", text, "an iteration stores out[8], which it does not finish", 16},
	} {
		var out, in, sum *machine.Object
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Max: 1000}, Loop: Loop{Step: 1},
			Setup: func(c *Case) {
				n := c.Scale(c.N, 8)
				out, in, sum = Writable(c.Bytes("out", c.AddConst(n, 8))), c.Bytes("in", c.AddConst(n, 16)), Writable(c.Bytes("sum", n))
				c.MayShare(in, out, 8, 0)
				c.Arg(out.Base, in.Base, sum.Base, c.N)
			},
			Spec: func(c *Case, n int64, _ bool) {
				for at := int64(0); at < 8*n; at += 8 {
					c.Expect(out, at, c.Const(64, 7))
					c.Expect(sum, at, in.Load(at+test.read, 8))
				}
			},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestOverlapAfter checks that each byte of an output is stored once if a buffer may begin
// shortly after the output. The distance that MayShare states is then negative.
func TestOverlapAfter(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ sum+16(FP), R8
	MOVQ $7, (DI)
	MOVQ $7, 8(DI)
	MOVQ (SI), AX
	MOVQ $8, (DI)
	SUBQ (SI), AX
	MOVQ AX, (R8)
	RET
`
	for _, test := range []struct {
		text, err string
		first     uint64
	}{
		{strings.Replace(text, "MOVQ $8, (DI)", "NOP", 1), "", 7},
		{text, "accesses out[0] after out[0] is stored", 8},
	} {
		var out, sum *machine.Object
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, sum = Writable(c.Buffer("out", 16)), Writable(c.Buffer("sum", 8))
				in := c.Buffer("in", 8)
				c.MayShare(in, out, -8, 0)
				c.Arg(out.Base, in.Base, sum.Base)
			},
			Spec: func(c *Case, _ int64, _ bool) {
				c.Expect(out, 0, c.Const(64, test.first), c.Const(64, 7))
				c.Expect(sum, 0, c.Const(64, 0))
			},
		})
		expectError(t, test.err, err, test.err)
	}
}
