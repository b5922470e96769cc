// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// kept calls a segment that stores 0 in the frame if n is 16. For other n, the frame
// contains the key until the function returns.
const kept = `TEXT ·sums(SB), NOSPLIT, $8-16
	MOVQ key+0(FP), AX
	MOVQ n+8(FP), BX
	MOVQ AX, (SP)
from:
	CMPQ BX, $16
	JNE to
	MOVQ $0, (SP)
to:
	RET
`

// TestSegmentFrame checks that a frame byte is unknown after a call if the segment stores
// it on some of its paths, or in some cases of the call.
func TestSegmentFrame(t *testing.T) {
	wiped := strings.Replace(kept, "to:", "to:\n\tMOVQ $0, (SP)", 1)
	for _, test := range []struct {
		name, text, err string
		cases           bool // the call has one case for 16 and one for other n
	}{
		{"some paths", kept, "leaves a secret in frame[0]", false},
		{"some paths, then wiped", wiped, "", false},
		{"some cases", kept, "leaves a secret in frame[0]", true},
		{"some cases, then wiped", wiped, "", true},
	} {
		var n term.Term
		segment := Kernel{
			File: "sums_amd64.s", Func: "sums", Variants: []string{"other", "16"},
			Setup: func(*Case) {},
			Spec:  func(*Case, int64, bool) {},
			Segment: Segment{From: "from", To: "to", Enter: func(c *Case) *Assertion {
				value := c.N
				switch {
				case test.cases && c.Variant == "16":
					value = c.Const(64, 16)
				case test.cases:
					value = c.NewLeaf(64, term.LeafInfo{Name: "value", Public: true, Max: 15})
				}
				return &Assertion{Has: []Has{c.Register("BX").Has(value)}}
			}},
		}
		if !test.cases {
			segment.Range = Range{Unit: 1, Max: 16}
		}
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				n = c.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Max: 16})
				c.Arg(c.Input("key", false), n)
			},
			Spec:     func(*Case, int64, bool) {},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				call := &Call{To: "to", Cases: []Entry{{Variant: "other"}}}
				if test.cases {
					call.Cases = []Entry{
						{Variant: "other", Inputs: map[term.Term]Values{n: {Max: 15}}},
						{Variant: "16", Inputs: map[term.Term]Values{n: One(16)}},
					}
				}
				return &Assertion{Has: []Has{c.Register("BX").Has(n)}, Call: call}
			}}},
		})
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.err)
		}
	}
}

// TestSegmentStores checks that a segment must not store bytes again that the caller has
// stored, if a buffer that callers may pass must contain the first value.
func TestSegmentStores(t *testing.T) {
	const twice = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
	MOVQ AX, (DI)
from:
	MOVQ AX, (DI)
to:
	RET
`
	for _, test := range []struct{ name, text, err string }{
		{"once", strings.Replace(twice, "\tMOVQ AX, (DI)\n", "", 1), ""},
		{"twice", twice, "accesses out[0] after out[0] is stored"},
	} {
		var out, own *machine.Object
		var key, word term.Term
		segment := Kernel{
			File: "sums_amd64.s", Func: "sums",
			Setup: func(c *Case) { own, word = Writable(c.Buffer("out", 8)), c.Input("word", false) },
			Spec:  func(c *Case, _ int64, _ bool) { c.Expect(own, 0, word) },
			Segment: Segment{From: "from", To: "to", Enter: func(c *Case) *Assertion {
				return &Assertion{Has: []Has{c.Register("DI").Has(own.Base), c.Register("AX").Has(word)}}
			}},
		}
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.MayShare(c.Buffer("in", 8), out, 8, 0)
				c.Arg(out.Base, key)
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.ExpectResult(out, 0, "call", "out", 0, 8) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				return &Assertion{
					Has:  []Has{c.Register("DI").Has(out.Base), c.Register("AX").Has(key)},
					Call: &Call{To: "to", Name: "call", Cases: []Entry{{}}, Buffers: map[string]Place{"out": In(out, 0)}},
				}
			}}},
		})
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.err)
		}
	}
}

// TestSegmentReads checks that a segment must not read memory as public, nor bytes that
// the caller may have overwritten, in any iteration of its loop.
func TestSegmentReads(t *testing.T) {
	const reads = `TEXT ·sums(SB), NOSPLIT, $8-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ key+16(FP), AX
	MOVQ $16, CX
	MOVQ AX, 8(DI)
from:
loop:
	CMPQ CX, $0
	JEQ to
	MOVBQZX (SI), BX
	MOVQ BX, (SP)
	ADDQ $1, SI
	SUBQ $1, CX
	JMP loop
to:
	MOVQ $0, (SP)
	RET
`
	const copies = `TEXT ·sums(SB), NOSPLIT, $8-24
	MOVQ out+0(FP), DI
	MOVQ key+16(FP), AX
	MOVQ AX, 8(DI)
from:
	MOVQ 8(DI), CX
	MOVQ CX, (SP)
to:
	RET
`
	for _, test := range []struct {
		name, text, err string
		loop            bool // the segment has a loop, and in may be out
	}{
		{"reads before the store", strings.Replace(reads, "\tMOVQ AX, 8(DI)\nfrom:", "from:", 1), "", true},
		{"reads after the store", reads, "accesses in[0] after out[8] is stored", true},
		{"public", copies, "the segment's own must not be public", false},
	} {
		var in, out, own *machine.Object
		var key term.Term
		segment := Kernel{
			File: "sums_amd64.s", Func: "sums",
			Setup: func(c *Case) {
				if own = Public(c.Buffer("own", 16)); test.loop {
					own.Public = false
					c.Resize(own, c.N)
				}
			},
			Spec: func(*Case, int64, bool) {},
			Segment: Segment{From: "from", To: "to", Enter: func(c *Case) *Assertion {
				if test.loop {
					return &Assertion{Has: []Has{c.Register("SI").Has(own.Base), c.Register("CX").Has(c.N)}}
				}
				return &Assertion{Has: []Has{c.Register("DI").Has(own.Base)}}
			}},
		}
		if test.loop {
			segment.Range, segment.Loop = Range{Unit: 1, Max: 64}, Loop{Step: 1}
		}
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, key = Public(Writable(c.Buffer("out", 16))), c.Input("key", false)
				in = c.Buffer("in", 16)
				c.InPlace(in, out)
				c.Arg(out.Base, in.Base, key)
			},
			Spec: func(c *Case, _ int64, _ bool) {
				if strings.Contains(test.text, "MOVQ AX, 8(DI)") {
					c.Expect(out, 8, key)
				}
			},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				has, of := []Has{c.Register("DI").Has(out.Base)}, out
				if test.loop {
					has, of = []Has{c.Register("SI").Has(in.Base), c.Register("CX").Has(c.Const(64, 16))}, in
				}
				return &Assertion{Has: has, Call: &Call{To: "to", Cases: []Entry{{}}, Buffers: map[string]Place{"own": In(of, 0)}}}
			}}},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestSegmentInputs checks that a call must state the places of the segment's buffers and
// what the places that Enter states contain. Otherwise, the segment's results could be
// those of other inputs.
func TestSegmentInputs(t *testing.T) {
	const sum = `TEXT ·sums(SB), NOSPLIT, $8-24
	MOVQ in+0(FP), SI
	MOVQ other+8(FP), DX
	MOVQ key+16(FP), AX
	MOVQ $16, CX
from:
	ADDQ (SI), AX
to:
	MOVQ $0, (SP)
	RET
`
	for _, test := range []struct{ name, text, err string }{
		{"all stated", sum, ""},
		{"other buffer", strings.Replace(sum, "from:", "\tMOVQ DX, SI\nfrom:", 1), "SI is other, want in"},
		{"later in the buffer", strings.Replace(sum, "from:", "\tADDQ $8, SI\n\tSUBQ $8, CX\nfrom:", 1), "SI is (in + 0x8), want in"},
		{"shorter length", strings.Replace(sum, "from:", "\tSUBQ $8, CX\nfrom:", 1), "CX is 0x8, want 0x10"},
		{"place not stated", sum, "the call of a segment must say where own is"},
		{"register not stated", sum, "the call of a segment must say what AX contains"},
	} {
		var in, own *machine.Object
		var key, word term.Term
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				in, key = c.Buffer("in", 16), c.Input("key", false)
				c.Arg(in.Base, c.Buffer("other", 16).Base, key)
			},
			Spec: func(*Case, int64, bool) {},
			Segments: []Kernel{{
				File: "sums_amd64.s", Func: "sums", Range: Range{Unit: 1, Min: 8, Max: 16},
				Setup: func(c *Case) { own, word = c.Bytes("own", c.N), c.Input("word", false) },
				Spec:  func(*Case, int64, bool) {},
				Segment: Segment{From: "from", To: "to", Enter: func(c *Case) *Assertion {
					return &Assertion{Has: []Has{c.Register("SI").Has(own.Base), c.Register("CX").Has(c.N), c.Register("AX").Has(word)}}
				}},
			}},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				has := []Has{c.Register("SI").Has(in.Base), c.Register("CX").Has(c.Const(64, 16)), c.Register("AX").Has(key)}
				call := &Call{To: "to", Cases: []Entry{{}}, Buffers: map[string]Place{"own": In(in, 0)}}
				switch test.name {
				case "place not stated":
					call.Buffers = nil
				case "register not stated":
					has = has[:2]
				}
				return &Assertion{Has: has, Call: call}
			}}},
		})
		expectError(t, test.name, err, test.err)
	}
}
