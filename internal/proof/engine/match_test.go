// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// TestMatchSecret checks that the cases of a call do not make a secret input public.
func TestMatchSecret(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), BX
from:
	CMPQ BX, $0
	JEQ to
	NOP
to:
	RET
`
	for _, test := range []struct {
		err    string
		public bool
	}{{"", true}, {"cannot enumerate the values of n: want a public input", false}} {
		var n term.Term
		segment := section("from", "to", func(c *Case) []Has {
			return []Has{c.Register("BX").Has(c.Const(64, uint64(strings.Index("01", c.Variant))))}
		})
		segment.Variants = []string{"0", "1"}
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				n = c.NewLeaf(64, term.LeafInfo{Name: "n", Public: test.public, Max: 1})
				c.Arg(n)
			},
			Spec:     func(*Case, int64, bool) {},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				call := &Call{To: "to"}
				for i, variant := range segment.Variants {
					call.Cases = append(call.Cases, Entry{Variant: variant, Inputs: map[term.Term]Values{n: One(uint64(i))}})
				}
				return &Assertion{Has: []Has{c.Register("BX").Has(n)}, Call: call}
			}}},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestMatchInitial checks that an initial byte which a segment's Enter names is the byte
// that the caller's memory contains.
func TestMatchInitial(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVBQZX (SI), AX
from:
	MOVB (SI), BX
to:
	MOVB BX, (DI)
	RET
`
	for _, test := range []struct{ text, err string }{
		{text, ""},
		{strings.Replace(text, "MOVBQZX (SI), AX", "MOVQ key+16(FP), AX", 1), "AX is join8(byte 0 of key), want in[0]"},
	} {
		var out, in, own *machine.Object
		var key term.Term
		segment := section("from", "to", func(c *Case) []Has {
			return []Has{c.Register("SI").Has(own.Base), c.Register("AX").Has(own.Load(0, 1))}
		})
		segment.Setup = func(c *Case) { own = c.Buffer("own", 1) }
		segment.Exit = func(c *Case) *Assertion { return &Assertion{Has: []Has{c.Register("BX").Has(own.Load(0, 1))}} }
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, in, key = Writable(c.Buffer("out", 1)), c.Buffer("in", 1), c.Input("key", false)
				c.Arg(out.Base, in.Base, key)
			},
			Spec: func(c *Case, _ int64, _ bool) {
				if c.Expect(out, 0, in.Load(0, 1)); test.err != "" {
					c.ExpectBytes(out, 0, c.bytes(key)[0])
				}
			},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, s View) *Assertion {
				ax := c.Register("AX")
				return &Assertion{
					Has:  []Has{c.Register("SI").Has(in.Base), ax.Has(s.At(ax))},
					Call: &Call{To: "to", Cases: []Entry{{}}, Buffers: map[string]Place{"own": In(in, 0)}},
				}
			}}},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestMatchExit checks that Exit does not restore bytes which the segment has stored in
// another buffer: a buffer in the frame, or one after the end of the buffer in Exit.
func TestMatchExit(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $16-16
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
	MOVQ AX, (SP)
	LEAQ (SP), SI
from:
	MOVQ $9, (SI)
to:
	MOVQ (SP), CX
	MOVQ CX, (DI)
	MOVQ $0, (SP)
	MOVQ $0, 8(SP)
	RET
`
	apart := strings.Replace(text, "LEAQ (SP), SI", "LEAQ 8(SP), SI", 1)
	for _, test := range []struct {
		name, text, err string
		own             int64 // where the segment's buffer is
		before          bool  // Exit names the place as the end of a buffer before own
	}{
		{"apart", apart, "", 8, false},
		{"in the frame", text, "a segment accesses frame bytes that own may contain", 0, false},
		{"after the end", apart, "accesses 8 bytes at other+0; other may have only 0 bytes", 8, true},
	} {
		var out, own, other *machine.Object
		var key, x term.Term
		has := func(c *Case) []Has {
			if test.before {
				return []Has{In(other, 0).Has(x)}
			}
			return []Has{In(c.Frame(), 0).Has(x)}
		}
		segment := section("from", "to", func(c *Case) []Has {
			x = c.NewLeaf(64, term.LeafInfo{Name: "x"})
			return append(has(c), c.Register("SI").Has(own.Base))
		})
		segment.Setup = func(c *Case) { own, other = Writable(c.Buffer("own", 8)), c.Buffer("other", 0) }
		segment.Spec = func(c *Case, _ int64, _ bool) { c.Expect(own, 0, c.Const(64, 9)) }
		segment.Exit = func(c *Case) *Assertion { return &Assertion{Has: has(c)} }
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.Arg(out.Base, key)
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.Expect(out, 0, key) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "", func(c *Case) (map[string]Place, []Has) {
				at := In(c.Frame(), test.own)
				return map[string]Place{"own": at, "other": In(c.Frame(), 0)}, []Has{c.Register("SI").Has(c.AddConst(at.Object.Base, uint64(at.At))), In(c.Frame(), 0).Has(key)}
			})}},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestMatchArguments checks that a segment must not store to arguments which its caller,
// itself a segment that mentions no arguments, may only read.
func TestMatchArguments(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
from:
	NOP
inner:
	MOVQ $5, key+8(FP)
innerEnd:
	NOP
to:
	MOVQ key+8(FP), AX
	MOVQ AX, (DI)
	RET
`
	for _, test := range []struct{ text, err string }{
		{strings.Replace(text, "MOVQ $5, key+8(FP)", "NOP", 1), ""},
		{text, "a segment may store to arguments, which is read-only"},
	} {
		var out *machine.Object
		var key term.Term
		inner, outer := section("inner", "innerEnd", nothing), section("from", "to", nothing)
		if test.err != "" {
			inner.Setup = func(c *Case) { Writable(c.Arguments) }
			inner.Spec = func(c *Case, _ int64, _ bool) { c.Expect(c.Arguments, 8, c.Const(64, 5)) }
		}
		outer.Segments, outer.At = []Kernel{inner}, Assertions{"inner": calling("innerEnd", "", nil)}
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.Arg(out.Base, key)
			},
			Spec:       func(c *Case, _ int64, _ bool) { c.Expect(out, 0, key) },
			Segments:   []Kernel{outer},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "", nil)}},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestMatchWidth checks that a call must say what the whole of each place in Enter contains.
func TestMatchWidth(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
from:
	ADDQ $1, AX
to:
	MOVQ AX, (DI)
	RET
`
	for _, test := range []struct {
		text, err string
		bytes     int // of the key, which the call states
	}{
		{text, "", 8},
		{strings.Replace(text, "MOVQ key", "MOVL key", 1), "AX is", 8},
		{strings.Replace(text, "MOVQ key", "MOVL key", 1), "the call of a segment must say what AX contains", 4},
	} {
		var out *machine.Object
		var key, word, result term.Term
		segment := section("from", "to", func(c *Case) []Has { return []Has{c.Register("AX").Has(word)} })
		segment.Setup = func(c *Case) { word = c.Input("word", false) }
		segment.Exit = func(c *Case) *Assertion {
			a := &Assertion{}
			a.HasUnknown(c.Register("AX"), c.Input("sum", false))
			return a
		}
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, key, result = Writable(c.Buffer("out", 8)), c.Input("key", false), c.Input("result", false)
				c.Arg(out.Base, key)
			},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				return &Assertion{
					Has:  []Has{c.Register("AX").Has(c.Gather(c.bytes(key)[:test.bytes]))},
					Call: &Call{To: "to", Cases: []Entry{{}}, Results: []term.Term{result}},
				}
			}}},
			Spec: func(c *Case, _ int64, _ bool) { c.Expect(out, 0, result) },
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestMatchEmpty checks that a segment's proof assumes nothing about the address of an empty
// buffer. The buffer may lie outside the caller's object.
func TestMatchEmpty(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ $1, AX
	MOVQ $0x4000000000000000, CX
	MOVQ DI, SI
	SUBQ CX, SI
from:
	MOVQ $-1, CX
	CMPQ CX, SI
	JLE to
	MOVQ $2, AX
to:
	MOVQ AX, (DI)
	RET
`
	after := strings.Replace(text, "SUBQ CX, SI", "ADDQ CX, SI\n\tADDQ CX, SI", 1)
	apart := strings.Replace(text, "\tCMPQ CX, SI\n\tJLE to\n\tMOVQ $2, AX\n", "", 1)
	const undecided, larger = "the known ranges of the inputs do not decide less8(", "own may be"
	for _, test := range []struct {
		name, text, err string
		lengths         uint64 // if 0, own is always empty; otherwise its size is the length, which is below this number
	}{
		{"does not compare", apart, "", 0},
		{"before the object", text, undecided, 0},
		{"after the object", after, undecided, 0},
		{"the only length is 0", after, larger, 1},
		{"in an empty object", strings.Replace(text, "SUBQ CX, SI", "MOVQ none+8(FP), SI", 1), larger, 2},
	} {
		var out, none, own *machine.Object
		one := func(c *Case) Has { return c.Register("AX").Has(c.Const(64, 1)) }
		segment := section("from", "to", func(c *Case) []Has { return []Has{c.Register("SI").Has(own.Base), one(c)} })
		segment.Setup = func(c *Case) { own = c.Bytes("own", c.Scale(c.N, min(1, test.lengths))) }
		segment.Range = Range{Unit: 1, Max: 1, Given: func(_ *Case, n int64) bool { return n == 0 || test.lengths == 2 }}
		segment.Exit = func(c *Case) *Assertion { return &Assertion{Has: []Has{one(c)}} }
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, none = Writable(c.Buffer("out", 8)), c.Buffer("none", 0)
				c.Arg(out.Base, none.Base)
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.Expect(out, 0, c.Const(64, 1)) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, s View) *Assertion {
				si := s.At(c.Register("SI"))
				return &Assertion{
					Has:  []Has{c.Register("SI").Has(si), one(c)},
					Call: &Call{To: "to", Cases: []Entry{{}}, Buffers: map[string]Place{"own": In(s.Resolve(si))}},
				}
			}}},
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestMatchFrame checks that a segment's Setup states nothing about the frame that the
// caller's frame does not satisfy.
func TestMatchFrame(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $64-8
	MOVQ key+0(FP), AX
	LEAQ 15(SP), R8
	ANDQ $-16, R8
	MOVQ AX, (R8)
from:
	LEAQ 15(SP), R8
	ANDQ $-16, R8
	MOVQ (R8), AX
	PXOR 16(R8), X0
to:
	LEAQ 15(SP), R8
	ANDQ $-16, R8
	MOVQ $0, (R8)
	RET
`
	secret := strings.Replace(text, "MOVQ $0", "MOVQ AX", 1)
	unaligned := strings.NewReplacer("(R8)", "32(SP)", "16(R8)", "48(SP)").Replace(text)
	for _, test := range []struct {
		text, err string
		public    bool
		align     int64
	}{
		{text, "", false, 8},
		{secret, "leaves a secret in aligned frame[0]", false, 8},
		{secret, "the segment's aligned frame must not be public", true, 8},
		{unaligned, "address frame+48 is not known to be a multiple of 16", false, 8},
		{unaligned, "frame+0 is not known to be a multiple of 16", false, 16},
	} {
		segment := section("from", "to", nothing)
		segment.Setup = func(c *Case) { c.Locals().Align, c.Locals().AlignedPart().Public = test.align, test.public }
		segment.Exit = func(c *Case) *Assertion {
			a := &Assertion{}
			a.HasUnknown(c.Register("AX"), c.Input("exit", test.public))
			return a
		}
		err := prove(t, test.text, &Kernel{
			Setup:    func(c *Case) { c.Arg(c.Input("key", false)) },
			Spec:     func(*Case, int64, bool) {},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, _ View) *Assertion {
				return &Assertion{Call: &Call{To: "to", Cases: []Entry{{}}, Results: []term.Term{c.Input("result", test.public)}}}
			}}},
		})
		expectError(t, test.err, err, test.err)
	}
}
