// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// calling returns a function that calls the segment that begins at the label of an
// Assertion and ends at to. in, if not nil, states where the segment's buffers are and
// what its places contain.
func calling(to, name string, in func(c *Case) (map[string]Place, []Has)) func(*Case, View) *Assertion {
	return func(c *Case, _ View) *Assertion {
		a := &Assertion{Call: &Call{To: to, Name: name, Cases: []Entry{{}}}}
		if in != nil {
			a.Call.Buffers, a.Has = in(c)
		}
		return a
	}
}

// section returns a segment without memory. Its Enter states has.
func section(from, to string, has func(c *Case) []Has) Kernel {
	return Kernel{
		File: "sums_amd64.s", Func: "sums", Setup: func(*Case) {}, Spec: func(*Case, int64, bool) {},
		Segment: Segment{From: from, To: to, Enter: func(c *Case) *Assertion { return &Assertion{Has: has(c)} }},
	}
}

func nothing(*Case) []Has { return nil }

// TestCallAligned checks that a caller forgets what a segment stores in the frame's
// aligned part, even if the caller itself has not aligned its frame.
func TestCallAligned(t *testing.T) {
	const leaves = `TEXT ·sums(SB), NOSPLIT, $64-8
	MOVQ key+0(FP), AX
from:
	LEAQ 15(SP), R8
	ANDQ $-16, R8
	MOVQ AX, (R8)
to:
	RET
`
	for _, test := range []struct {
		err     string
		unwiped bool
	}{{"", true}, {"leaves a secret in aligned frame[0]", false}} {
		err := prove(t, leaves, &Kernel{
			Unwiped:    test.unwiped,
			Setup:      func(c *Case) { c.Arg(c.Input("key", false)) },
			Spec:       func(*Case, int64, bool) {},
			Segments:   []Kernel{section("from", "to", nothing)},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "", nil)}},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestCallShared checks that two segments which begin at one label are told apart.
func TestCallShared(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $8-8
	MOVQ key+0(FP), AX
from:
	NOP
mid:
	MOVQ AX, (SP)
to:
	MOVQ $0, (SP)
	RET
`
	for _, test := range []struct {
		text, err string
		segments  []Kernel
	}{
		{text, "", []Kernel{section("from", "to", nothing), section("mid", "to", nothing)}},
		{strings.Replace(text, "\tMOVQ $0, (SP)\n", "", 1), `two segments begin at "from"`, []Kernel{section("from", "to", nothing), section("from", "mid", nothing)}},
	} {
		err := prove(t, test.text, &Kernel{
			Setup:      func(c *Case) { c.Arg(c.Input("key", false)) },
			Spec:       func(*Case, int64, bool) {},
			Segments:   test.segments,
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "", nil)}},
		})
		expectError(t, test.segments[1].From, err, test.err)
	}
}

// TestCallVariant checks that a call does not use a variant that a segment lacks, even if
// another segment which begins at the same label has it.
func TestCallVariant(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-8
	MOVQ out+0(FP), DI
from:
	MOVQ $1, BX
mid:
	MOVQ $1, CX
to:
	MOVQ BX, (DI)
	RET
`
	for _, test := range []struct {
		err, variant string
		word         uint64
	}{{"", "1", 1}, {`the segment from from to mid has no variant "2"`, "2", 2}} {
		var out *machine.Object
		first, second := section("from", "mid", nothing), section("from", "to", nothing)
		first.Variants, second.Variants = []string{"1"}, []string{"2"}
		first.Exit = func(c *Case) *Assertion {
			return &Assertion{Has: []Has{c.Register("BX").Has(c.Const(64, uint64(strings.Index("012", c.Variant))))}}
		}
		err := prove(t, text, &Kernel{
			Setup:    func(c *Case) { out = Writable(c.Buffer("out", 8)); c.Arg(out.Base) },
			Segments: []Kernel{first, second},
			Weakenings: Weakenings{At: Assertions{"from": func(*Case, View) *Assertion {
				return &Assertion{Call: &Call{To: "mid", Cases: []Entry{{Variant: test.variant}}}}
			}}},
			Spec: func(c *Case, _ int64, _ bool) { c.Expect(out, 0, c.Const(64, test.word)) },
		})
		expectError(t, test.variant, err, test.err)
	}
}

// TestCallReadOnly checks that a segment must not store to memory that its caller may
// only read, even if it restores what was there.
func TestCallReadOnly(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-8
from:
	MOVQ word+0(FP), BX
	MOVQ $0, word+0(FP)
	MOVQ BX, word+0(FP)
to:
	RET
`
	for _, test := range []struct {
		err      string
		writable bool
	}{{"", true}, {"may store to arguments, which is read-only", false}} {
		var word term.Term
		segment := section("from", "to", func(c *Case) []Has { return []Has{In(c.Arguments, 0).Has(c.Input("word", true))} })
		segment.Setup = func(c *Case) { Writable(c.Arguments) }
		segment.Spec = func(c *Case, _ int64, _ bool) { c.Free(c.Arguments, 0, 8) }
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				word = c.Input("word", true)
				if c.Arg(word); test.writable {
					Writable(c.Arguments)
				}
			},
			Spec:     func(*Case, int64, bool) {},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "", func(c *Case) (map[string]Place, []Has) {
				return nil, []Has{In(c.Arguments, 0).Has(word)}
			})}},
		})
		expectError(t, "", err, test.err)
	}
}

// TestCallUnknowns checks that a segment's unknowns are its own. If one were the caller's,
// which may exceed the segment's bounds, the call would not bind it.
func TestCallUnknowns(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
	ANDQ $15, AX
bound:
	NOP
from:
	MOVQ AX, BX
to:
	MOVQ BX, (DI)
	RET
`
	for _, test := range []struct{ text, in, err string }{
		{text, "the segment", ""},
		{strings.Replace(text, "\tANDQ $15, AX\n", "", 1), "the caller", "names word, which its Setup, Enter and Exit have not made"},
	} {
		var out *machine.Object
		var a *algebra.Algebra
		word := func(c *Case, in string, most uint64) term.Term {
			return term.Memo(c.Store, in, func() term.Term { return c.NewLeaf(64, term.LeafInfo{Name: "word", Max: most}) })
		}
		segment := section("from", "to", func(c *Case) []Has { return []Has{c.Register("AX").Has(word(c, test.in, 15))} })
		segment.Exit = func(c *Case) *Assertion {
			a := &Assertion{}
			a.HasUnknown(c.Register("BX"), c.NewLeaf(64, term.LeafInfo{Name: "exit", Max: 15}))
			return a
		}
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, a = Writable(c.Buffer("out", 8)), algebra.New(c.Store)
				c.Arg(out.Base, c.Input("key", false))
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.Checked(out, 0, 8) },
			Left:     func(c *Case, s View, _ int64) error { return s.AtMost(a, s.At(In(out, 0)), 15) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{
				"bound": func(c *Case, _ View) *Assertion {
					a := &Assertion{}
					if test.err != "" {
						a.HasUnknown(c.Register("AX"), word(c, "the caller", 0))
					}
					return a
				},
				"from": func(c *Case, s View) *Assertion {
					ax, result := c.Register("AX"), c.NewLeaf(64, term.LeafInfo{Name: "result", Max: 15})
					return &Assertion{Has: []Has{ax.Has(s.At(ax))}, Call: &Call{To: "to", Cases: []Entry{{}}, Results: []term.Term{result}}}
				},
			}},
		})
		expectError(t, test.in, err, test.err)
	}
}

// TestCallNames checks that all results under one name are results of one segment.
func TestCallNames(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-8
	MOVQ out+0(FP), DI
from:
	MOVQ $0, (DI)
to:
	NOP
again:
	MOVQ $0, 8(DI)
end:
	RET
`
	for _, test := range []struct{ second, err string }{{"b", ""}, {"a", `calls of two segments are named "a"`}} {
		var out *machine.Object
		in := func(c *Case) (map[string]Place, []Has) {
			return map[string]Place{"own": In(out, 0)}, []Has{c.Register("DI").Has(out.Base)}
		}
		zero := func(from, to string, at int64) Kernel {
			var own *machine.Object
			k := section(from, to, func(c *Case) []Has { return []Has{c.Register("DI").Has(own.Base)} })
			k.Setup = func(c *Case) { own = Writable(c.Buffer("own", 16)) }
			k.Spec = func(c *Case, _ int64, _ bool) { c.Expect(own, at, c.Const(64, 0)) }
			return k
		}
		err := prove(t, text, &Kernel{
			Setup:      func(c *Case) { out = Writable(c.Buffer("out", 16)); c.Arg(out.Base) },
			Segments:   []Kernel{zero("from", "to", 0), zero("again", "end", 8)},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "a", in), "again": calling("end", test.second, in)}},
			Spec: func(c *Case, _ int64, _ bool) {
				c.ExpectResult(out, 0, "a", "own", 0, 8)
				c.ExpectResult(out, 8, test.second, "own", 8, 8)
			},
		})
		expectError(t, test.second, err, test.err)
	}
}

// TestCallPaths checks that the segments which different paths call have different names.
// If both had one, Spec would not say which of them must be called.
func TestCallPaths(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ open+8(FP), AX
	CMPQ AX, $1
	JNE seal
	NOP
open:
	MOVQ $1, (DI)
opened:
	RET
seal:
	MOVQ $2, (DI)
sealed:
	RET
`
	for _, test := range []struct {
		text, err string
		names     [2]string
	}{
		{text, "", [2]string{"sealed", "opened"}},
		{strings.Replace(text, "JNE", "JEQ", 1), "out[0] is", [2]string{"sealed", "opened"}},
		{strings.Replace(text, "JNE", "JEQ", 1), `calls of two segments are named "done"`, [2]string{"done", "done"}},
	} {
		var out *machine.Object
		in := func(c *Case) (map[string]Place, []Has) {
			return map[string]Place{"own": In(out, 0)}, []Has{c.Register("DI").Has(out.Base)}
		}
		stores := func(from, to string, word uint64) Kernel {
			var own *machine.Object
			k := section(from, to, func(c *Case) []Has { return []Has{c.Register("DI").Has(own.Base)} })
			k.Setup = func(c *Case) { own = Writable(c.Buffer("own", 8)) }
			k.Spec = func(c *Case, _ int64, _ bool) { c.Expect(own, 0, c.Const(64, word)) }
			return k
		}
		err := prove(t, test.text, &Kernel{
			Range:    Range{Unit: 1, Max: 1},
			Setup:    func(c *Case) { out = Writable(c.Buffer("out", 8)); c.Arg(out.Base, c.N) },
			Segments: []Kernel{stores("open", "opened", 1), stores("seal", "sealed", 2)},
			Weakenings: Weakenings{At: Assertions{
				"open": calling("opened", test.names[1], in), "seal": calling("sealed", test.names[0], in),
			}},
			Spec: func(c *Case, n int64, _ bool) { c.ExpectResult(out, 0, test.names[n], "own", 0, 8) },
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestCallTwice checks that all results under one name are results of one call, even if two
// calls of a segment store different bytes.
func TestCallTwice(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-8
	MOVQ out+0(FP), DI
	MOVQ $0, CX
from:
	CMPQ CX, $0
	JNE second
	MOVQ $0, (DI)
	JMP to
second:
	MOVQ $0, 8(DI)
to:
	ADDQ $1, CX
	CMPQ CX, $2
	JNE from
	RET
`
	for _, test := range []struct {
		err   string
		names [2]string
	}{{"", [2]string{"a", "b"}}, {`another call on the path is named "a"`, [2]string{"a", "a"}}} {
		var out, own *machine.Object
		variants := []string{"0", "1"}
		count := func(c *Case) uint64 { return uint64(slices.Index(variants, c.Variant)) }
		segment := section("from", "to", func(c *Case) []Has {
			return []Has{c.Register("DI").Has(own.Base), c.Register("CX").Has(c.Const(64, count(c)))}
		})
		segment.Variants = variants
		segment.Setup = func(c *Case) { own = Writable(c.Buffer("own", 16)) }
		segment.Spec = func(c *Case, _ int64, _ bool) { c.Expect(own, 8*int64(count(c)), c.Const(64, 0)) }
		err := prove(t, text, &Kernel{
			Setup:    func(c *Case) { out = Writable(c.Buffer("out", 16)); c.Arg(out.Base) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, s View) *Assertion {
				cx := c.Register("CX")
				i := c.Known(s.At(cx))
				return &Assertion{
					Has: []Has{c.Register("DI").Has(out.Base), cx.Has(s.At(cx))},
					Call: &Call{
						To: "to", Name: test.names[i], Cases: []Entry{{Variant: variants[i]}}, Buffers: map[string]Place{"own": In(out, 0)},
					},
				}
			}}},
			Spec: func(c *Case, _ int64, _ bool) {
				c.ExpectResult(out, 0, test.names[0], "own", 0, 8)
				c.ExpectResult(out, 8, test.names[1], "own", 8, 8)
			},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestCallResult checks that no assertion binds the result of a call, even if the statement
// has found the result in memory on another path. Otherwise, Spec would not demand the call.
func TestCallResult(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ n+8(FP), AX
	CMPQ AX, $1
	JEQ skip
from:
	MOVB $7, (DI)
to:
	NOP
called:
	RET
skip:
	MOVB $3, (DI)
skipped:
	RET
`
	for _, test := range []struct{ text, err string }{
		{strings.Replace(text, "JEQ skip", "NOP", 1), ""},
		{text, "own[0] after call is an input or already represents a term"},
	} {
		var out, own *machine.Object
		var result term.Term
		segment := section("from", "to", func(c *Case) []Has { return []Has{c.Register("DI").Has(own.Base)} })
		segment.Setup = func(c *Case) { own = Writable(c.Buffer("own", 1)) }
		segment.Spec = func(c *Case, _ int64, _ bool) { c.Expect(own, 0, c.Const(8, 7)) }
		err := prove(t, test.text, &Kernel{
			Range:    Range{Unit: 1, Max: 1},
			Setup:    func(c *Case) { out = Writable(c.Buffer("out", 1)); c.Arg(out.Base, c.N) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{
				"from": calling("to", "call", func(c *Case) (map[string]Place, []Has) {
					return map[string]Place{"own": In(out, 0)}, []Has{c.Register("DI").Has(out.Base)}
				}),
				"called": func(_ *Case, s View) *Assertion {
					result, _ = s.Mem.Byte(out, 0).Of()
					return nil
				},
				"skipped": func(*Case, View) *Assertion {
					a := &Assertion{}
					a.HasUnknown(In(out, 0), result)
					return a
				},
			}},
			Spec: func(c *Case, _ int64, _ bool) { c.ExpectResult(out, 0, "call", "own", 0, 1) },
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestCallBefore checks that the result of a call is unknown if the caller has stored to the
// byte before, because the segment stores to it only for some inputs.
func TestCallBefore(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
	MOVQ n+16(FP), BX
	MOVQ AX, (DI)
from:
	CMPQ BX, $0
	JEQ to
	MOVQ $0, (DI)
to:
	RET
`
	stores := strings.Replace(text, "\tMOVQ AX, (DI)\n", "", 1)
	for _, test := range []struct {
		text, err string
		cases     bool
	}{{stores, "", false}, {stores, "", true}, {text, "out[0] is unknown", false}, {text, "out[0] is unknown", true}} {
		var out, own *machine.Object
		var n term.Term
		segment := section("from", "to", func(c *Case) []Has {
			x := c.N
			if test.cases {
				x = c.Const(64, uint64(strings.Index("01", c.Variant)))
			}
			return []Has{c.Register("DI").Has(own.Base), c.Register("BX").Has(x)}
		})
		if segment.Range = (Range{Unit: 1, Max: 1}); test.cases {
			segment.Range, segment.Variants = Range{}, []string{"0", "1"}
		}
		segment.Setup = func(c *Case) { own = Writable(c.Buffer("own", 8)) }
		segment.Spec = func(c *Case, n int64, _ bool) {
			if n == 1 || c.Variant == "1" {
				c.Expect(own, 0, c.Const(64, 0))
			}
		}
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, n = Writable(c.Buffer("out", 8)), c.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Max: 1})
				c.Arg(out.Base, c.Input("key", false), n)
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.ExpectResult(out, 0, "call", "own", 0, 8) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				call := &Call{To: "to", Name: "call", Cases: []Entry{{}}, Buffers: map[string]Place{"own": In(out, 0)}}
				if test.cases {
					call.Cases = []Entry{
						{Variant: "0", Inputs: map[term.Term]Values{n: One(0)}}, {Variant: "1", Inputs: map[term.Term]Values{n: One(1)}},
					}
				}
				return &Assertion{Has: []Has{c.Register("DI").Has(out.Base), c.Register("BX").Has(n)}, Call: call}
			}}},
		})
		expectError(t, fmt.Sprint(test.err, test.cases), err, test.err)
	}
}

// TestCallNested checks that a call counts what segments inside the segment read.
func TestCallNested(t *testing.T) {
	const reads = `TEXT ·sums(SB), NOSPLIT, $8-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ key+16(FP), AX
	MOVQ AX, (DI)
from:
	NOP
inner:
	MOVQ (SI), BX
	MOVQ BX, (SP)
innerEnd:
	NOP
to:
	MOVQ $0, (SP)
	RET
`
	for _, test := range []struct{ name, text, err string }{
		{"reads nothing", strings.Replace(reads, "MOVQ (SI), BX", "MOVQ $0, BX", 1), ""},
		{"reads after the store", reads, "accesses in[0] after out[0] is stored"},
	} {
		var out, in *machine.Object
		var key term.Term
		reader := func(from, to string, own **machine.Object) Kernel {
			k := section(from, to, func(c *Case) []Has { return []Has{c.Register("SI").Has((*own).Base)} })
			k.Setup = func(c *Case) { *own = c.Buffer("own", 8) }
			return k
		}
		where := func(of **machine.Object) func(c *Case) (map[string]Place, []Has) {
			return func(c *Case) (map[string]Place, []Has) {
				return map[string]Place{"own": In(*of, 0)}, []Has{c.Register("SI").Has((*of).Base)}
			}
		}
		var outerIn, innerIn *machine.Object
		outer := reader("from", "to", &outerIn)
		outer.Segments = []Kernel{reader("inner", "innerEnd", &innerIn)}
		outer.At = Assertions{"inner": calling("innerEnd", "", where(&outerIn))}
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, in, key = Writable(c.Buffer("out", 8)), c.Buffer("in", 8), c.Input("key", false)
				c.InPlace(in, out)
				c.Arg(out.Base, in.Base, key)
			},
			Spec:       func(c *Case, _ int64, _ bool) { c.Expect(out, 0, key) },
			Segments:   []Kernel{outer},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "", where(&in))}},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestCallRoom checks that a call does not take a size that may overflow for a size of at
// least its exact lower bound.
func TestCallRoom(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ in+0(FP), SI
from:
	MOVQ (SI), BX
to:
	RET
`
	for _, test := range []struct {
		most uint64 // of n, where the caller's buffer has n + 8 bytes
		err  string
	}{
		{1 << 32, ""},
		{1<<64 - 1, "segment entry: the size of own is"},
	} {
		var in, own *machine.Object
		segment := section("from", "to", func(c *Case) []Has { return []Has{c.Register("SI").Has(own.Base)} })
		segment.Setup = func(c *Case) { own = c.Buffer("own", 8) }
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				n := c.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Max: test.most})
				in = c.Bytes("in", c.AddConst(n, 8))
				c.Arg(in.Base, n)
			},
			Spec:     func(*Case, int64, bool) {},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "", func(c *Case) (map[string]Place, []Has) {
				return map[string]Place{"own": In(in, 0)}, []Has{c.Register("SI").Has(in.Base)}
			})}},
		})
		expectError(t, fmt.Sprint(test.most), err, test.err)
	}
}

// TestCallLoop checks that a caller forgets a register which points into a buffer and
// which moves with the buffer in a segment's loop.
func TestCallLoop(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
from:
	SUBQ $8, SI
loop:
	CMPQ CX, $1
	JEQ end
	ADDQ $8, SI
	SUBQ $1, CX
	JMP loop
end:
	ADDQ $8, SI
to:
	MOVQ (SI), AX
	MOVQ AX, (DI)
	RET
`
	for _, test := range []struct{ name, text, err string }{
		{"loads the address again", strings.Replace(text, "to:", "to:\n\tMOVQ in+8(FP), SI", 1), ""},
		{"uses the register", text, "address depends on an unknown value"},
	} {
		var out, in, own *machine.Object
		segment := section("from", "to", func(c *Case) []Has {
			return []Has{c.Register("SI").Has(own.Base), c.Register("CX").Has(c.N)}
		})
		segment.Setup = func(c *Case) { own = c.Bytes("own", c.Scale(c.N, 8)) }
		segment.Range, segment.Step = Range{Unit: 1, Min: 1, Max: 1000}, 1
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, in = Writable(c.Buffer("out", 8)), c.Buffer("in", 800)
				c.Arg(out.Base, in.Base, c.Const(64, 100))
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.Expect(out, 0, in.Load(0, 8)) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "", func(c *Case) (map[string]Place, []Has) {
				return map[string]Place{"own": In(in, 0)}, []Has{c.Register("SI").Has(in.Base), c.Register("CX").Has(c.Const(64, 100))}
			})}},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestCallExit checks that the Exit of a segment with a loop speaks of the whole work, and
// not of what remains at the loop's head.
func TestCallExit(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
from:
	NOP
loop:
	CMPQ CX, $1
	JEQ to
	ADDQ $8, SI
	SUBQ $1, CX
	JMP loop
to:
	MOVQ (SI), AX
	MOVQ AX, (DI)
	RET
`
	for _, test := range []struct {
		text, err string
		end       func(c *Case, in *machine.Object) Has
	}{
		{strings.Replace(text, "to:", "to:\n\tMOVQ in+8(FP), SI", 1), "", func(c *Case, _ *machine.Object) Has { return c.Register("CX").Has(c.Const(64, 1)) }},
		{text, "Exit states SI in terms of what remains", func(c *Case, in *machine.Object) Has { return c.Register("SI").Has(in.Base) }},
	} {
		var out, in, own *machine.Object
		segment := section("from", "to", func(c *Case) []Has {
			return []Has{c.Register("SI").Has(own.Base), c.Register("CX").Has(c.N)}
		})
		segment.Setup = func(c *Case) { own = c.Bytes("own", c.Scale(c.N, 8)) }
		segment.Exit = func(c *Case) *Assertion {
			return &Assertion{Has: []Has{test.end(c, own)}}
		}
		segment.Range, segment.Step = Range{Unit: 1, Min: 1, Max: 1000}, 1
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, in = Writable(c.Buffer("out", 8)), c.Buffer("in", 800)
				c.Arg(out.Base, in.Base, c.Const(64, 100))
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.Expect(out, 0, in.Load(0, 8)) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "", func(c *Case) (map[string]Place, []Has) {
				return map[string]Place{"own": In(in, 0)}, []Has{c.Register("SI").Has(in.Base), c.Register("CX").Has(c.Const(64, 100))}
			})}},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestCallCases checks that cases cover all combinations of the inputs' values.
func TestCallCases(t *testing.T) {
	var out *machine.Object
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ n+8(FP), BX
from:
	MOVQ BX, CX
to:
	MOVQ BX, (DI)
	RET
`
	for _, test := range []struct {
		err   string
		cases func(n, m term.Term) []map[term.Term]Values
	}{
		{"", func(n, m term.Term) []map[term.Term]Values { return []map[term.Term]Values{{}} }},
		{"", func(n, m term.Term) []map[term.Term]Values {
			return []map[term.Term]Values{{n: {Max: 15, Step: 2}}, {n: {Min: 1, Max: 15, Step: 2}, m: {Max: 0}}, {m: {Min: 1, Max: 1}}}
		}},
		{"do not cover all values", func(n, m term.Term) []map[term.Term]Values { return []map[term.Term]Values{{n: {Max: 14}}} }},
		{"do not cover all values", func(n, m term.Term) []map[term.Term]Values {
			return []map[term.Term]Values{{n: {Max: 15, Step: 2}}, {n: {Min: 1, Max: 15, Step: 2}, m: {Max: 0}}}
		}},
		{"cannot enumerate the values of out", func(n, m term.Term) []map[term.Term]Values { return []map[term.Term]Values{{out.Base: {Max: 15}}} }},
	} {
		var n, m term.Term
		segment := section("from", "to", func(c *Case) []Has {
			x := c.NewLeaf(64, term.LeafInfo{Name: "x", Public: true, Max: 15})
			return []Has{c.Register("BX").Has(x)}
		})
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				out, n = Writable(c.Buffer("out", 8)), c.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Max: 15})
				m = c.NewLeaf(64, term.LeafInfo{Name: "m", Public: true, Max: 1})
				c.Arg(out.Base, n, m)
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.Expect(out, 0, n) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				call := &Call{To: "to"}
				for _, inputs := range test.cases(n, m) {
					call.Cases = append(call.Cases, Entry{Inputs: inputs})
				}
				return &Assertion{Has: []Has{c.Register("BX").Has(n)}, Call: call}
			}}},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestCallImpossible checks that the bounds of each unknown in Enter allow a number. If no
// byte of a place depends on the unknown, calls do not match it.
func TestCallImpossible(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVBQZX x+8(FP), AX
	MOVQ AX, R9
from:
	MOVQ $2, BX
	CMPQ AX, $200
	JB to
	MOVQ $1, BX
to:
	MOVQ BX, (DI)
	RET
`
	for _, test := range []struct {
		least, min uint64
		err        string
	}{{200, 1, ""}, {0, 100, "the bounds of w allow no value"}} {
		var out *machine.Object
		var x term.Term
		segment := section("from", "to", func(c *Case) []Has {
			x := c.NewLeaf(64, term.LeafInfo{Name: "x", Public: true, Min: test.least, Max: 255})
			w := c.NewLeaf(64, term.LeafInfo{Name: "w", Public: true, Min: test.min, Max: 1})
			sum := c.AddConst(c.Add(x, c.Scale(w, 256)), ^uint64(255))
			return []Has{c.Register("R9").Has(x), c.Register("AX").Has(c.Low(sum, 8)), InRegisters(int(c.Register("AX").At) + 1).Has(c.Const(56, 0))}
		})
		segment.Exit = func(c *Case) *Assertion {
			return &Assertion{Has: []Has{c.Register("BX").Has(c.Const(64, 1))}}
		}
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				out, x = Writable(c.Buffer("out", 8)), c.NewLeaf(64, term.LeafInfo{Name: "x", Public: true, Min: test.least, Max: 255})
				c.Arg(out.Base, x)
			},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, s View) *Assertion {
				a := &Assertion{Call: &Call{To: "to", Cases: []Entry{{}}}}
				for _, name := range []string{"AX", "R9"} {
					a.Has = append(a.Has, c.Register(name).Has(s.At(c.Register(name))))
				}
				ax := InRegisters(int(c.Register("AX").At) + 1)
				a.Has = append(a.Has, ax.Has(c.Const(56, 0)))
				return a
			}}},
			Spec: func(c *Case, _ int64, _ bool) { c.Expect(out, 0, c.Const(64, 1)) },
		})
		expectError(t, test.err, err, test.err)
	}
}
