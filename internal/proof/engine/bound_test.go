// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// TestBoundAtCut checks that an input does not represent another term at a cut, not even
// on a path that is not the last.
func TestBoundAtCut(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
	CMPQ public+16(FP), $0
	JNE cut
	MOVQ $0, AX
cut:
	MOVQ AX, (DI)
	RET
`
	for _, test := range []struct{ text, err string }{
		{strings.Replace(text, "MOVQ $0, AX", "NOP", 1), ""},
		{text, "key is an input or already represents a term"},
	} {
		var out *machine.Object
		var key, public term.Term
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				public = c.NewLeaf(64, term.LeafInfo{Name: "public", Public: true, Marked: true, Max: 1})
				c.Arg(out.Base, key, public)
			},
			Parameter: func(*Case) term.Term { return public },
			Cuts: []Cut{{At: func(*Case) string { return "cut" }, Holds: func(c *Case) *Assertion {
				ax := c.Register("AX")
				return &Assertion{
					Has:   []Has{ax.Has(key), c.Register("DI").Has(out.Base)},
					Stand: func(s View) map[term.Term]term.Term { return map[term.Term]term.Term{key: s.At(ax)} },
				}
			}}},
			Spec: func(c *Case, _ int64, _ bool) { c.Expect(out, 0, key) },
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestBoundInLoop checks that an Invariant which is true on arrival does not bind an input
// after an iteration.
func TestBoundInLoop(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ key+16(FP), AX
loop:
	CMPQ CX, $1
	JEQ to
	MOVQ $0, AX
	SUBQ $1, CX
	JMP loop
to:
	MOVQ AX, (DI)
	RET
`
	for _, test := range []struct{ text, err string }{
		{strings.Replace(text, "MOVQ $0, AX", "NOP", 1), ""},
		{text, "key is an input or already represents a term"},
	} {
		var out *machine.Object
		var key term.Term
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000},
			Loop: Loop{Step: 1, Invariant: func(c *Case) *Assertion {
				ax := c.Register("AX")
				return &Assertion{
					Has:   []Has{ax.Has(key)},
					Stand: func(s View) map[term.Term]term.Term { return map[term.Term]term.Term{key: s.At(ax)} },
				}
			}},
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.Arg(out.Base, c.N, key)
			},
			Spec: func(c *Case, _ int64, last bool) {
				if last {
					c.Expect(out, 0, key)
				}
			},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestBoundLength checks that the length represents another term only if all lengths
// within its bounds are proven.
func TestBoundLength(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), CX
claimed:
	CMPQ CX, $3
	JEQ to
	MOVQ $7, (DI)
to:
	RET
`
	for _, test := range []struct {
		text, err string
		unit      int64
	}{
		{strings.Replace(text, "JEQ to", "JEQ on\non:", 1), "", 1},
		{text, "5 lengths from 2 to 10 are proven, want all of them", 2},
	} {
		var out *machine.Object
		var x term.Term
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: test.unit, Min: 2, Max: 10},
			Setup: func(c *Case) {
				out, x = Writable(c.Buffer("out", 8)), c.NewLeaf(64, term.LeafInfo{Name: "x", Public: true, Min: 2, Max: 10})
				c.Arg(out.Base, x)
			},
			Weakenings: Weakenings{At: Assertions{"claimed": func(c *Case, _ View) *Assertion {
				return &Assertion{Has: []Has{c.Register("CX").Has(c.N)}, Of: map[term.Term]term.Term{c.N: x}}
			}}},
			Spec: func(c *Case, _ int64, _ bool) { c.Expect(out, 0, c.Const(64, 7)) },
		})
		expectError(t, test.err, err, test.err)
	}
}
