// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// expectError reports an error unless err contains want or, if want is empty, is nil.
func expectError(t *testing.T, name string, err error, want string) {
	t.Helper()
	if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got error %v, want %q", name, err, want)
	}
}

// TestLoopOverlap checks that a loop must not read what earlier iterations may have
// overwritten.
func TestLoopOverlap(t *testing.T) {
	const copies = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
loop:
	CMPQ CX, $0
	JEQ to
	MOVQ (SI), BX
	MOVQ BX, (DI)
	ADDQ $8, DI
	ADDQ $8, SI
	SUBQ $1, CX
	JMP loop
to:
	RET
`
	twice := strings.Replace(copies, "ADDQ $8, DI", "MOVQ BX, 8(DI)\n\tADDQ $16, DI", 1)
	inPlace := func(c *Case, in, out *machine.Object) { c.InPlace(in, out) }
	anywhere := func(c *Case, in, out *machine.Object) { c.MayOverlap(out, in) }
	for _, test := range []struct {
		name, text, err string
		size            int64 // of the words that one iteration stores
		overlaps        func(c *Case, in, out *machine.Object)
	}{
		{"in place", copies, "", 8, inPlace},
		{"in place, each word twice", twice, "an iteration advances 16 bytes in out and 8 in in, which may overlap it", 16, inPlace},
		{"any overlap", copies, "an iteration advances 8 bytes in out and 8 in in, which may overlap it", 8, anywhere},
	} {
		var in, out *machine.Object
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Max: 1024},
			Loop:  Loop{Step: 1},
			Setup: func(c *Case) {
				out, in = Writable(c.Bytes("out", c.Scale(c.N, uint64(test.size)))), c.Bytes("in", c.Scale(c.N, 8))
				test.overlaps(c, in, out)
				c.Arg(out.Base, in.Base, c.N)
			},
			Spec: func(c *Case, n int64, _ bool) {
				for at := int64(0); at < n*test.size; at += 8 {
					c.Expect(out, at, in.Load(at/test.size*8, 8))
				}
			},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestLoopInvariant checks that an Invariant must be true of the work that remains after
// an iteration, for its inputs and for what remains of its buffers.
func TestLoopInvariant(t *testing.T) {
	const read = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ CX, DX
loop:
	CMPQ CX, $1
	JEQ to
	MOVQ $7, (DI)
	ADDQ $8, DI
	ADDQ $1, SI
	SUBQ $1, CX
	SUBQ $1, DX
	JMP loop
to:
	MOVBQZX -1(SI)(DX*1), BX
	MOVQ $7, (DI)
	RET
`
	for _, test := range []struct {
		name, text, err string
		holds           func(c *Case, out *machine.Object) Has
	}{
		{"true", read, "", func(c *Case, _ *machine.Object) Has { return c.Register("DX").Has(c.N) }},
		{"reads beyond the buffer", strings.Replace(read, "\tSUBQ $1, DX\n", "", 1), "DX is n, want", func(c *Case, _ *machine.Object) Has { return c.Register("DX").Has(c.N) }},
		{"last word not stored", strings.Replace(strings.Replace(read, "loop:", "\tMOVQ $7, (DI)\nloop:", 1), "\tMOVQ $7, (DI)\n\tRET", "\tRET", 1), "out[8] is", func(c *Case, out *machine.Object) Has { return In(out, 0).Has(c.Const(64, 7)) }},
	} {
		var in, out *machine.Object
		err := prove(t, test.text, &Kernel{
			Range: Range{Unit: 1, Min: 1, Max: 1024},
			Loop:  Loop{Step: 1, Invariant: func(c *Case) *Assertion { return &Assertion{Has: []Has{test.holds(c, out)}} }},
			Setup: func(c *Case) {
				out, in = Writable(c.Bytes("out", c.Scale(c.N, 8))), c.Bytes("in", c.N)
				c.Arg(out.Base, in.Base, c.N)
			},
			Spec: func(c *Case, n int64, _ bool) {
				for i := range n {
					c.Expect(out, 8*i, c.Const(64, 7))
				}
			},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestLoopNames checks that Spec does not describe what different iterations store as the
// result of one call or as one unknown.
func TestLoopNames(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
loop:
	CMPQ CX, $0
	JEQ end
	MOVQ (SI), AX
from:
	MOVQ AX, (DI)
to:
	ADDQ $8, DI
	ADDQ $8, SI
	SUBQ $1, CX
	JMP loop
end:
	RET
`
	for _, test := range []struct{ name, err string }{
		{"inputs", ""},
		{"results", "Spec names own[0] after x, which each iteration binds again"},
		{"unknowns", "Spec names u, which each iteration binds again"},
	} {
		var out, in, own *machine.Object
		var word, u term.Term
		segment := section("from", "to", func(c *Case) []Has {
			word = c.NewLeaf(64, term.LeafInfo{Name: "word"})
			return []Has{c.Register("DI").Has(own.Base), c.Register("AX").Has(word)}
		})
		segment.Setup = func(c *Case) { own = Writable(c.Buffer("own", 8)) }
		segment.Spec = func(c *Case, _ int64, _ bool) { c.Expect(own, 0, word) }
		call := calling("to", "x", func(c *Case) (map[string]Place, []Has) {
			return map[string]Place{"own": In(out, 0)}, []Has{c.Register("DI").Has(out.Base), c.Register("AX").Has(in.Load(0, 8))}
		})
		err := prove(t, text, &Kernel{
			Range: Range{Unit: 1, Max: 1000}, Loop: Loop{Step: 1},
			Setup: func(c *Case) {
				out, in = Writable(c.Bytes("out", c.Scale(c.N, 8))), c.Bytes("in", c.Scale(c.N, 8))
				c.Arg(out.Base, in.Base, c.N)
				u = c.NewLeaf(64, term.LeafInfo{Name: "u"})
			},
			Spec: func(c *Case, n int64, _ bool) {
				for i := range n {
					switch test.name {
					case "inputs":
						c.Expect(out, 8*i, in.Load(8*i, 8))
					case "results":
						c.ExpectResult(out, 8*i, "x", "own", 0, 8)
					case "unknowns":
						c.Expect(out, 8*i, u)
					}
				}
			},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, s View) *Assertion {
				switch a := (&Assertion{}); test.name {
				case "results":
					return call(c, s)
				case "unknowns":
					a.HasUnknown(c.Register("AX"), u)
					return a
				}
				return nil
			}}},
		})
		expectError(t, test.name, err, test.err)
	}
}
