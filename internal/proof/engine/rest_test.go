// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// TestRestBuffers checks that what remains of a buffer lies inside the buffer and is as
// Setup declares the buffer, for all lengths.
func TestRestBuffers(t *testing.T) {
	const last = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ in+0(FP), SI
	MOVQ n+8(FP), CX
loop:
	CMPQ CX, $1
	JEQ to
	SUBQ $1, CX
	JMP loop
to:
	MOVBQZX (SI), BX
	RET
`
	words := strings.Replace(strings.Replace(last, "\tSUBQ", "\tADDQ $8, SI\n\tSUBQ", 1), "MOVBQZX (SI), BX", "PXOR (SI), X0", 1)
	for _, test := range []struct {
		name, text, err string
		in              func(c *Case) *machine.Object
	}{
		{"one byte", last, "", func(c *Case) *machine.Object { return c.Buffer("in", 1) }},
		{"n modulo 64 bytes", last, "the remaining part of in begins at offset 0", func(c *Case) *machine.Object { return c.Bytes("in", c.And(c.N, c.Const(64, 63))) }},
		{"aligned", strings.Replace(words, "ADDQ $8", "ADDQ $16", 1), "", func(c *Case) *machine.Object {
			in := c.Bytes("in", c.Scale(c.N, 16))
			in.Align = 16
			return in
		}},
		{"no longer aligned", words, "the remaining part of in begins at offset 8, want a multiple of 16", func(c *Case) *machine.Object {
			in := c.Bytes("in", c.AddConst(c.Scale(c.N, 8), 8))
			in.Align = 16
			return in
		}},
	} {
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000}, Loop: Loop{Step: 1},
			Setup: func(c *Case) { c.Arg(test.in(c).Base, c.N) },
			Spec:  func(*Case, int64, bool) {},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestRestInputs checks that an input of the rest of the work satisfies what Setup states
// about the input.
func TestRestInputs(t *testing.T) {
	const counts = `TEXT ·sums(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ k+16(FP), AX
	MOVQ square+24(FP), BX
loop:
	CMPQ CX, $1
	JEQ to
	ADDQ $1, AX
	SUBQ $1, CX
	JMP loop
to:
	MOVQ AX, (DI)
	MOVQ BX, 8(DI)
	RET
`
	for _, test := range []struct {
		name, err string
		most      uint64
		square    bool
		to        func(c *Case, k, square term.Term) term.Term
	}{
		{"any number", "", 0, false, func(c *Case, k, _ term.Term) term.Term { return c.AddConst(k, 1) }},
		{"exceeds its bound", "k may be 0xb, more than 0xa", 10, false, func(c *Case, k, _ term.Term) term.Term { return c.AddConst(k, 1) }},
		{"becomes secret", "k would represent a secret", 0, false, func(_ *Case, _, square term.Term) term.Term { return square }},
		{"is no longer the root", "changes an input about which Setup states a congruence", 0, true, func(c *Case, k, _ term.Term) term.Term { return c.AddConst(k, 1) }},
	} {
		var out *machine.Object
		var k, square term.Term
		var a *algebra.Algebra
		prime := big.NewInt(101)
		err := prove(t, counts, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000},
			Loop:  Loop{Step: 1, Advance: func(c *Case) { c.Become(k, test.to(c, k, square)) }},
			Setup: func(c *Case) {
				out, square = Writable(c.Buffer("out", 16)), c.Input("square", false)
				k = c.NewLeaf(64, term.LeafInfo{Name: "k", Public: true, Max: test.most})
				if a = algebra.New(c.Store); test.square {
					a.Let(square, a.Value(k).Power(2))
					c.Rings = append(c.Rings, Congruence{a, prime})
				}
				c.Arg(out.Base, c.N, k, square)
			},
			Spec: func(c *Case, _ int64, last bool) {
				if last {
					c.Checked(out, 0, 16)
				}
			},
			Left: func(c *Case, s View, _ int64) error {
				if test.square && !s.Congruent(a, a.Value(s.At(In(out, 8))), a.Value(s.At(In(out, 0))).Power(2), prime) {
					return errors.New("no square")
				}
				return nil
			},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestRestLengths checks that lengths below those that reach a loop are not taken to be
// larger when they are proven after the loop.
func TestRestLengths(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ key+16(FP), AX
	ANDQ $1, AX
	ADDQ CX, AX
	CMPQ CX, $8
	JAE loop
claimed:
	SUBQ $8, AX
	MOVQ AX, (DI)
	RET
loop:
	CMPQ CX, $8
	JEQ to
	SUBQ $1, CX
	JMP loop
to:
	MOVQ $1, (DI)
	RET
`
	for _, test := range []struct {
		text  string
		limit uint64 // of 1000 - n
		err   string
	}{
		{strings.Replace(text, "SUBQ $8, AX", "ADDQ $8, AX", 1), 999, ""},
		{text, 992, "may be 0x3e7, more than 0x3e0"},
	} {
		var out *machine.Object
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000}, Loop: Loop{Step: 1, Reached: 8},
			Setup: func(c *Case) {
				out = Writable(c.Buffer("out", 8))
				c.Arg(out.Base, c.N, c.Input("key", false))
			},
			Weakenings: Weakenings{At: Assertions{"claimed": func(c *Case, _ View) *Assertion {
				return &Assertion{Where: func(s View) error {
					return s.AtMost(algebra.New(c.Store), c.Sub(c.Const(64, 1000), c.N), test.limit)
				}}
			}}},
			Spec: func(c *Case, _ int64, last bool) {
				if last {
					c.Checked(out, 0, 8)
				}
			},
			Left: func(*Case, View, int64) error { return nil },
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestRestMinimum checks that the work which remains after an iteration has at least the
// minimum length, which statements assume.
func TestRestMinimum(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ $0, BX
loop:
	CMPQ CX, $992
	JEQ to
	MOVQ $1000, BX
	SUBQ CX, BX
	SUBQ $1, CX
	JMP loop
to:
	MOVQ BX, (DI)
	RET
`
	for _, test := range []struct {
		text, err string
		reached   int64
	}{
		{text, "", 992},
		{strings.Replace(text, "CMPQ CX, $992", "CMPQ CX, $8", 1), "want at least the minimum 992", 8},
	} {
		var out *machine.Object
		var most term.Term
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 992, Max: 1000},
			Loop: Loop{Step: 1, Reached: test.reached, Invariant: func(c *Case) *Assertion {
				most = c.NewLeaf(64, term.LeafInfo{Name: "most"})
				a := &Assertion{Where: func(s View) error {
					return s.AtMost(algebra.New(c.Store), s.Of(most)[0], 8)
				}}
				a.HasUnknown(c.Register("BX"), most)
				return a
			}},
			Setup: func(c *Case) {
				out = Writable(c.Buffer("out", 8))
				c.Arg(out.Base, c.N)
			},
			Spec: func(c *Case, _ int64, last bool) {
				if last {
					c.Checked(out, 0, 8)
				}
			},
			Left: func(*Case, View, int64) error { return nil }, // Where has shown that out is at most 8
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestRestAddresses checks that a loop does not exchange the addresses of buffers, whose
// contents would not be those that Setup declares.
func TestRestAddresses(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
loop:
	CMPQ CX, $1
	JEQ to
	MOVQ DI, AX
	MOVQ SI, DI
	MOVQ AX, SI
	SUBQ $1, CX
	JMP loop
to:
	MOVQ $7, (DI)
	RET
`
	for _, test := range []struct{ text, err string }{
		{strings.Replace(text, "MOVQ DI, AX", "MOVQ SI, AX\n\tMOVQ DI, SI", 1), ""},
		{text, "which is the length, an address or no input"},
	} {
		var out, in *machine.Object
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000},
			Loop: Loop{Step: 1, Advance: func(c *Case) {
				if test.err != "" {
					c.Become(out.Base, in.Base)
					c.Become(in.Base, out.Base)
				}
			}},
			Setup: func(c *Case) {
				out, in = Writable(c.Buffer("out", 8)), c.Buffer("in", 8)
				c.Arg(out.Base, in.Base, c.N)
			},
			Spec: func(c *Case, _ int64, last bool) {
				if last {
					c.Expect(out, 0, c.Const(64, 7))
				}
			},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestRestUnchanged checks that memory which iterations change is not taken to be
// unchanged because it contains an input of the rest of the work.
func TestRestUnchanged(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ state+0(FP), DI
	MOVQ n+8(FP), CX
loop:
	CMPQ CX, $1
	JEQ to
	ADDQ $1, (DI)
	SUBQ $1, CX
	JMP loop
to:
	RET
`
	for _, test := range []struct {
		name, text, err string
		stated          bool
	}{
		{"changed and stated", text, "", true},
		{"unchanged", strings.Replace(text, "ADDQ $1, (DI)", "NOP", 1), "", false},
		{"changed", text, "iterations change state[0], which Spec does not describe", false},
	} {
		var state *machine.Object
		var counter term.Term
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000},
			Loop:  Loop{Step: 1, Advance: func(c *Case) { c.Become(counter, c.AddConst(counter, 1)) }},
			Setup: func(c *Case) {
				state, counter = Writable(c.Buffer("state", 8)), c.Input("counter", true)
				state.Set(0, counter)
				c.Arg(state.Base, c.N)
			},
			Spec: func(c *Case, n int64, last bool) {
				if last && test.stated {
					c.Expect(state, 0, c.AddConst(counter, uint64(n-1)))
				}
			},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestRestFrame checks that secrets which iterations leave in the frame are not taken to be
// the frame's initial contents.
func TestRestFrame(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $8-24
	MOVQ out+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ key+16(FP), AX
loop:
	CMPQ CX, $1
	JEQ to
	MOVQ AX, (SP)
	SUBQ $1, CX
	JMP loop
to:
	MOVQ $7, (DI)
	RET
`
	for _, test := range []struct{ text, err string }{
		{strings.Replace(text, "MOVQ AX, (SP)", "NOP", 1), ""},
		{text, "iterations change frame[0], which Spec does not describe"},
	} {
		var out *machine.Object
		var key term.Term
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000},
			Loop: Loop{Step: 1, Advance: func(c *Case) {
				if test.err != "" {
					c.Become(c.Locals().Load(0, 8), key)
				}
			}},
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.Arg(out.Base, c.N, key)
			},
			Spec: func(c *Case, _ int64, last bool) {
				if last {
					c.Expect(out, 0, c.Const(64, 7))
				}
			},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestRestContents checks that what remains of a buffer contains what the proof of the rest
// assumes: what Setup states, and what Advance states about its bytes.
func TestRestContents(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ (SI), AX
loop:
	MOVQ AX, (DI)
	ADDQ $8, DI
	SUBQ $1, CX
	CMPQ CX, $0
	JNE loop
	RET
`
	loads := strings.Replace(strings.Replace(text, "\tMOVQ (SI), AX\n", "", 1), "loop:", "loop:\n\tMOVQ (SI), AX\n\tADDQ $8, SI", 1)
	for _, test := range []struct {
		name, text, err string
		stated          bool // Setup states that the first word is 5
	}{
		{"each word", loads, "", false},
		{"the first word each time", text, "AX is unknown at the loop's head", false},
		{"the first word is 5", loads, "after an iteration, in[8] is", true},
	} {
		var out, in *machine.Object
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000},
			Loop: Loop{Step: 1, Advance: func(c *Case) {
				if first := in.Load(0, 8); !test.stated {
					c.Become(first, first)
				}
			}},
			Setup: func(c *Case) {
				out, in = Writable(c.Bytes("out", c.Scale(c.N, 8))), c.Bytes("in", c.Scale(c.N, 8))
				if test.stated {
					in.Set(0, c.Const(64, 5))
				}
				c.Arg(out.Base, in.Base, c.N)
			},
			Spec: func(c *Case, n int64, _ bool) {
				for i := range n {
					if c.Expect(out, 8*i, in.Load(8*i, 8)); test.stated {
						c.Expect(out, 8*i, c.Const(64, 5))
					}
				}
			},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestRestCongruence checks that a congruence about the first word of a buffer is not taken
// to be about the first word of the buffer's rest.
func TestRestCongruence(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ square+24(FP), BX
loop:
	CMPQ CX, $1
	JEQ to
	ADDQ $8, SI
	SUBQ $1, CX
	JMP loop
to:
	MOVQ (SI), AX
	MOVQ AX, (DI)
	MOVQ BX, 8(DI)
	RET
`
	for _, test := range []struct {
		err   string
		size  func(c *Case) term.Term
		moves string
	}{
		{"", func(c *Case) term.Term { return c.Const(64, 8) }, "\tADDQ $8, SI\n"},
		{"changes an input about which Setup states a congruence", func(c *Case) term.Term { return c.Scale(c.N, 8) }, ""},
	} {
		var out, in *machine.Object
		var square term.Term
		var a *algebra.Algebra
		prime := big.NewInt(101)
		err := prove(t, strings.Replace(text, test.moves, "", 1), &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000},
			Loop:  Loop{Step: 1},
			Setup: func(c *Case) {
				out, in, square = Writable(c.Buffer("out", 16)), c.Bytes("in", test.size(c)), c.Input("square", false)
				a = algebra.New(c.Store)
				a.Let(square, a.Value(in.Load(0, 8)).Power(2))
				c.Rings = append(c.Rings, Congruence{a, prime})
				c.Arg(out.Base, in.Base, c.N, square)
			},
			Spec: func(c *Case, _ int64, last bool) {
				if last {
					c.Checked(out, 0, 16)
				}
			},
			Left: func(c *Case, s View, _ int64) error {
				if !s.Congruent(a, a.Value(s.At(In(out, 8))), a.Value(s.At(In(out, 0))).Power(2), prime) {
					return errors.New("no square")
				}
				return nil
			},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestRestWritable checks that the rest of an output ends where the output ends. Nothing is
// proven about other bytes that no iteration finishes.
func TestRestWritable(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ n+8(FP), CX
loop:
	CMPQ CX, $1
	JEQ to
	MOVQ $7, (DI)
	MOVQ $7, 8(DI)
	ADDQ $16, DI
	SUBQ $1, CX
	JMP loop
to:
	MOVQ $7, (DI)
	MOVQ $7, 8(DI)
	RET
`
	short := strings.NewReplacer("8(DI)\n\tADDQ $16, DI", "(DI)\n\tADDQ $8, DI").Replace(text)
	for _, test := range []struct {
		text, err string
		by        int64
	}{
		{text, "", 16},
		{short, "the remaining part of out begins at offset 8", 8},
	} {
		var out *machine.Object
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1000},
			Loop:  Loop{Step: 1, Advance: func(c *Case) { c.Move(out, test.by) }},
			Setup: func(c *Case) {
				out = Writable(c.Bytes("out", c.Scale(c.N, 16)))
				c.Arg(out.Base, c.N)
			},
			Spec: func(c *Case, n int64, last bool) {
				end := 16 * n
				if !last {
					end = test.by
				}
				for at := int64(0); at < end; at += 8 {
					c.Expect(out, at, c.Const(64, 7))
				}
			},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestRestBefore checks that no assertion binds the number of iterations, even if the
// statement knows its term from a path that begins at the loop's head.
func TestRestBefore(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ $0, AX
	CMPQ CX, $8
	JNE loop
	MOVQ $7, AX
short:
	MOVQ AX, (DI)
	RET
loop:
	CMPQ CX, $16
	JEQ end
	ADDQ $1, AX
	ADDQ $8, SI
	SUBQ $8, CX
	JMP loop
end:
	MOVQ AX, (DI)
	RET
`
	for _, test := range []struct {
		text, err string
		bind      bool
	}{
		{strings.Replace(text, "MOVQ $7, AX", "MOVQ $0, AX", 1), "", false},
		{text, "turns is an input or already represents a term", true},
	} {
		var out *machine.Object
		var turns term.Term
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 8, Min: 8, Max: 800},
			Loop:  Loop{Step: 8, Reached: 16},
			Setup: func(c *Case) {
				out = Writable(c.Buffer("out", 8))
				c.Arg(out.Base, c.Bytes("in", c.N).Base, c.N)
			},
			Spec: func(c *Case, _ int64, last bool) {
				switch {
				case !last:
				case c.Looped:
					turns = c.Before()
					c.Expect(out, 0, turns)
				case test.bind:
					c.Expect(out, 0, turns)
				default:
					c.Expect(out, 0, c.Const(64, 0))
				}
			},
			Weakenings: Weakenings{At: Assertions{"short": func(c *Case, _ View) *Assertion {
				a := &Assertion{}
				if test.bind {
					a.HasUnknown(c.Register("AX"), turns)
				}
				return a
			}}},
		})
		expectError(t, test.err, err, test.err)
	}
}
