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

// TestSegmentFrame checks that a frame byte is not public after a call if the segment
// stores it on only some of its paths, or in only some cases of the call.
func TestSegmentFrame(t *testing.T) {
	always := strings.Replace(kept, "JNE to", "JNE all\nall:", 1)
	for _, test := range []struct {
		name, text, err string
		cases           bool // the call has one case for 16 and one for other n
	}{
		{"some paths", kept, "leaves a secret in frame[0]", false},
		{"all paths", always, "", false},
		{"some cases", kept, "leaves a secret in frame[0]", true},
		{"all cases", always, "", true},
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
				call := &Call{To: "to", Cases: []Entry{{Variant: "other", Inputs: map[term.Term]term.Term{n: n}}}}
				if test.cases {
					other := c.NewLeaf(64, term.LeafInfo{Name: "other", Public: true, Max: 15})
					call.Cases[0].Inputs[n] = other
					call.Cases = append(call.Cases, Entry{Variant: "16", Inputs: map[term.Term]term.Term{n: c.Const(64, 16)}})
				}
				return &Assertion{Call: call}
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
		{"twice", twice, "stores out[0] twice"},
	} {
		var out, own *machine.Object
		var word term.Term
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
				out = Writable(c.Buffer("out", 8))
				c.MayLie(c.Buffer("in", 8), out, 8, 0)
				c.Arg(out.Base, c.Input("key", false))
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.ExpectResult(out, 0, "call", "out", 0, 8) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				return &Assertion{Call: &Call{To: "to", Name: "call", Cases: []Entry{{}}}}
			}}},
		})
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.err)
		}
	}
}

// TestSegmentCase checks that the cases of a call cannot give a bound unknown another
// meaning.
func TestSegmentCase(t *testing.T) {
	text := strings.Replace(kept, "from:", "\tMOVQ $5, CX\nbound:\n\tMOVQ $0, (SP)\nfrom:", 1)
	for _, test := range []struct {
		name, err string
		bound     bool
	}{{"new unknown", "", false}, {"bound unknown", "is not over a new unknown", true}} {
		var n, u term.Term
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				n = c.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Max: 16})
				u = c.NewLeaf(64, term.LeafInfo{Name: "u", Public: true, Max: 16})
				c.Arg(c.Input("key", false), n)
			},
			Spec: func(*Case, int64, bool) {},
			Segments: []Kernel{{
				File: "sums_amd64.s", Func: "sums", Range: Range{Unit: 1, Max: 16},
				Setup: func(*Case) {},
				Spec:  func(*Case, int64, bool) {},
				Segment: Segment{From: "from", To: "to", Enter: func(c *Case) *Assertion {
					return &Assertion{Has: []Has{c.Register("BX").Has(c.N), In(c.Frame(), 0).Has(c.Const(64, 0))}}
				}},
			}},
			Weakenings: Weakenings{At: Assertions{
				"bound": func(c *Case, _ View) *Assertion {
					a := &Assertion{}
					if test.bound {
						a.Any(c.Register("CX"), u)
					}
					return a
				},
				"from": func(*Case, View) *Assertion {
					return &Assertion{Call: &Call{To: "to", Cases: []Entry{{Inputs: map[term.Term]term.Term{n: u}}}}}
				},
			}},
		})
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.err)
		}
	}
}
