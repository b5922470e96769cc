// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// TestBoundAtEnd checks that an input of a segment does not represent another term where
// the segment ends, not even on a path that is not the last.
func TestBoundAtEnd(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
	MOVQ n+16(FP), BX
from:
	CMPQ BX, $0
	JNE to
	MOVQ $0, AX
to:
	MOVQ AX, (DI)
	RET
`
	for _, test := range []struct{ text, err string }{
		{strings.Replace(text, "MOVQ $0, AX", "NOP", 1), ""},
		{text, "word is an input or already represents a term"},
	} {
		var out *machine.Object
		var key, n, word term.Term
		segment := section("from", "to", func(c *Case) []Has { return []Has{c.Register("AX").Has(word), c.Register("BX").Has(c.N)} })
		segment.Range, segment.Setup = Range{Unit: 1, Max: 1}, func(c *Case) { word = c.Input("word", false) }
		segment.Exit = func(c *Case) *Assertion {
			a := &Assertion{}
			a.HasUnknown(c.Register("AX"), word)
			return a
		}
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				n = c.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Max: 1})
				c.Arg(out.Base, key, n)
			},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				return &Assertion{
					Has:  []Has{c.Register("AX").Has(key), c.Register("BX").Has(n)},
					Call: &Call{To: "to", Cases: []Entry{{}}, Results: []term.Term{c.Input("result", false)}},
				}
			}}},
			Spec: func(c *Case, _ int64, _ bool) { c.Secret(out, 0, 8) },
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestBoundByCall checks that a call's result cannot represent another term afterwards.
func TestBoundByCall(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
from:
	ADDQ $1, AX
to:
	MOVQ $5, AX
later:
	MOVQ AX, (DI)
	RET
`
	for _, test := range []struct{ later, err string }{
		{"another", ""},
		{"result", "result is an input or already represents a term"},
	} {
		var out *machine.Object
		var key, word term.Term
		leaf := func(c *Case, name string) term.Term {
			return term.Memo(c.Store, name, func() term.Term { return c.Input(name, false) })
		}
		segment := section("from", "to", func(c *Case) []Has { return []Has{c.Register("AX").Has(word)} })
		segment.Setup = func(c *Case) { word = c.Input("word", false) }
		segment.Exit = func(c *Case) *Assertion {
			a := &Assertion{}
			a.HasUnknown(c.Register("AX"), c.Input("sum", false))
			return a
		}
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.Arg(out.Base, key)
			},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{
				"from": func(c *Case, _ View) *Assertion {
					call := &Call{To: "to", Cases: []Entry{{}}, Results: []term.Term{leaf(c, "result")}}
					return &Assertion{Has: []Has{c.Register("AX").Has(key)}, Call: call}
				},
				"later": func(c *Case, _ View) *Assertion {
					a := &Assertion{}
					a.HasUnknown(c.Register("AX"), leaf(c, test.later))
					return a
				},
			}},
			Spec: func(c *Case, _ int64, _ bool) { c.Secret(out, 0, 8) },
		})
		expectError(t, test.later, err, test.err)
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
				a := &Assertion{}
				a.HasUnknown(c.Register("AX"), key)
				return a
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

// TestBoundLength checks that the length never represents another term, because the paths
// that begin at a loop's head are proven only for lengths that reach the loop.
func TestBoundLength(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), CX
	MOVQ $7, DX
loop:
	MOVQ CX, BX
	ANDQ $7, BX
claimed:
	CMPQ BX, $1
	JEQ to
	CMPQ BX, $0
	JEQ zero
	MOVQ $0, DX
	ADDQ $3, CX
	JMP loop
zero:
	MOVQ DX, (DI)
	RET
to:
	MOVQ $7, (DI)
	RET
`
	for _, test := range []struct {
		text, err string
		bound     bool
	}{
		{strings.NewReplacer("ANDQ $7, BX", "NOP", "ADDQ $3", "SUBQ $1").Replace(text), "", false},
		{text, "n is an input or already represents a term", true},
	} {
		var out *machine.Object
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Max: 7}, Loop: Loop{Step: 1},
			Setup: func(c *Case) {
				x := c.N
				if out = Writable(c.Buffer("out", 8)); test.bound {
					x = c.NewLeaf(64, term.LeafInfo{Name: "x", Public: true, Max: 7})
				}
				c.Arg(out.Base, x)
			},
			Weakenings: Weakenings{At: Assertions{"claimed": func(c *Case, s View) *Assertion {
				a := &Assertion{}
				if test.bound {
					a.HasUnknown(c.Register("BX"), c.N)
				}
				return a
			}}},
			Spec: func(c *Case, _ int64, last bool) {
				if last {
					c.Expect(out, 0, c.Const(64, 7))
				}
			},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestBoundByAdvance checks that Advance states inputs of the rest in terms of inputs. An
// unknown of the Invariant represents another number in the rest.
func TestBoundByAdvance(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ key+16(FP), AX
	MOVQ AX, BX
	MOVQ AX, DX
loop:
	CMPQ CX, $1
	JEQ to
	MOVQ AX, BX
	ADDQ $1, AX
	MOVQ AX, DX
	SUBQ $1, CX
	JMP loop
to:
	SUBQ BX, DX
	MOVQ DX, (DI)
	RET
`
	for _, test := range []struct {
		text, err string
		become    func(c *Case, key, u term.Term) term.Term
	}{
		{strings.Replace(text, "MOVQ AX, BX\n\tADDQ $1, AX\n\tMOVQ AX, DX", "ADDQ $1, AX\n\tADDQ $1, BX\n\tMOVQ BX, DX", 1), "", func(c *Case, key, _ term.Term) term.Term { return c.AddConst(key, 1) }},
		{text, "Advance replaces key with u, want a term of inputs", func(_ *Case, _, u term.Term) term.Term { return u }},
	} {
		var out *machine.Object
		var key, u term.Term
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000},
			Loop: Loop{
				Step:    1,
				Advance: func(c *Case) { c.Become(key, test.become(c, key, u)) },
				Invariant: func(c *Case) *Assertion {
					u = c.Input("u", false)
					a := &Assertion{Has: []Has{c.Register("DX").Has(key)}}
					a.HasUnknown(c.Register("AX"), u)
					return a
				},
			},
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.Arg(out.Base, c.N, key)
			},
			Spec: func(c *Case, _ int64, last bool) {
				if last {
					c.Expect(out, 0, c.Const(64, 0))
				}
			},
		})
		expectError(t, test.err, err, test.err)
	}
}
