// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// sums adds two masked words, adds the sum to a third word, and stores the sum.
const sums = `TEXT ·sums(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ a+8(FP), AX
	MOVQ b+16(FP), BX
	ANDQ $0xff, AX
	ANDQ $0xff, BX
	ADDQ BX, AX
claimed:
	ADDQ AX, c+24(FP)
	MOVQ AX, (DI)
	RET
`

// prove proves a statement about a function that is not in the module.
func prove(t *testing.T, text string, k *Kernel) error {
	t.Helper()
	k.File, k.Func, k.Claim = "sums_amd64.s", "sums", "the sum"
	name := filepath.Join(t.TempDir(), k.File)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := asm.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.ProveFunc(f, f.Func(k.Func), All)
	return err
}

// TestClaims checks correct and incorrect assertions about the sum at a label.
func TestClaims(t *testing.T) {
	ax := InRegisters(amd64.Architecture.At("AX"))
	for _, test := range []struct {
		name, err string
		claim     func(c *Case, s View, sum, input term.Term) *Assertion
	}{
		{"no assertion", "", func(*Case, View, term.Term, term.Term) *Assertion { return nil }},
		{"upper bound that an algebra assumes", "u may be 0x1fe, more than", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u := c.NewLeaf(64, term.LeafInfo{Name: "u", Max: 0xff})
			a := algebra.New(c.Store)
			a.Between(sum, 0, 0xff)
			return &Assertion{Has: []Has{ax.Has(u)}, Unknown: []term.Term{u}, Algebra: a}
		}},
		{"correct sum", "", func(c *Case, s View, sum, _ term.Term) *Assertion {
			return &Assertion{Has: []Has{ax.Has(sum)}}
		}},
		{"other sum", "AX is", func(c *Case, s View, sum, _ term.Term) *Assertion {
			return &Assertion{Has: []Has{ax.Has(c.AddConst(sum, 1))}}
		}},
		{"unknown within bounds", "out[", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u := c.NewLeaf(64, term.LeafInfo{Name: "u", Max: 0x1ff})
			return &Assertion{Has: []Has{ax.Has(u)}, Unknown: []term.Term{u}}
		}},
		{"unknown that represents another term", "AX is", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u := c.NewLeaf(64, term.LeafInfo{Name: "u", Max: 0x1ff})
			return &Assertion{Has: []Has{ax.Has(u)}, Of: map[term.Term]term.Term{u: c.Const(64, 7)}}
		}},
		{"upper bound too small", "u may be 0x1fe, more than", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u := c.NewLeaf(64, term.LeafInfo{Name: "u", Max: 0xff})
			return &Assertion{Has: []Has{ax.Has(u)}, Unknown: []term.Term{u}}
		}},
		{"lower bound too large", "u may be 0x0, less than", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u := c.NewLeaf(64, term.LeafInfo{Name: "u", Min: 1, Max: 0x1ff})
			return &Assertion{Has: []Has{ax.Has(u)}, Unknown: []term.Term{u}}
		}},
		{"public unknown for a secret", "would represent a secret", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u := c.NewLeaf(64, term.LeafInfo{Name: "u", Public: true})
			return &Assertion{Has: []Has{ax.Has(u)}, Unknown: []term.Term{u}}
		}},
		{"unknown in two places", "BX is", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u := c.NewLeaf(64, term.LeafInfo{Name: "u"})
			return &Assertion{Has: []Has{ax.Has(u), InRegisters(amd64.Architecture.At("BX")).Has(u)}, Unknown: []term.Term{u}}
		}},
		{"input as an unknown", "already represents a term", func(c *Case, s View, sum, input term.Term) *Assertion {
			return &Assertion{Has: []Has{ax.Has(input)}, Unknown: []term.Term{input}}
		}},
		{"register on entry as an unknown", "already represents a term", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u := s.At(c.Register("R9"))
			return &Assertion{Has: []Has{ax.Has(u)}, Of: map[term.Term]term.Term{u: sum}}
		}},
		{"initial memory as an unknown", "already represents a term", func(c *Case, _ View, _, _ term.Term) *Assertion {
			return &Assertion{Of: map[term.Term]term.Term{c.Overlaps[0].Object.Load(0, 1): c.Const(8, 7)}}
		}},
		{"address as an unknown", "already represents a term", func(c *Case, _ View, _, _ term.Term) *Assertion {
			return &Assertion{Of: map[term.Term]term.Term{c.Overlaps[0].Object.Base: c.Const(64, 7)}}
		}},
		{"Where fails", "no relation", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u := c.NewLeaf(64, term.LeafInfo{Name: "u"})
			return &Assertion{Has: []Has{ax.Has(u)}, Unknown: []term.Term{u}, Where: func(View) error {
				if s.At(ax) == sum {
					machine.Fail("no relation")
				}
				return nil
			}}
		}},
		{"word that is not shifted", "is not", func(c *Case, s View, sum, _ term.Term) *Assertion {
			u, v := c.NewLeaf(64, term.LeafInfo{Name: "u"}), c.NewLeaf(64, term.LeafInfo{Name: "v"})
			return &Assertion{Has: []Has{ax.Has(u)}, Of: map[term.Term]term.Term{u: sum, v: c.Shr(sum, 1)}, As: map[term.Term]term.Term{u: c.Shl(v, 1)}}
		}},
		{"input that is another number", "c is not 0x0", func(c *Case, s View, sum, input term.Term) *Assertion {
			return &Assertion{Has: []Has{ax.Has(sum)}, As: map[term.Term]term.Term{input: c.Const(8, 0)}}
		}},
		{"Begun without a loop", "AX is", func(c *Case, s View, _, input term.Term) *Assertion {
			return &Assertion{Has: []Has{ax.Has(c.Begun(s, input))}}
		}},
		{"call without a segment", "no segment ends at claimed", func(*Case, View, term.Term, term.Term) *Assertion { return &Assertion{Call: &Call{To: "claimed"}} }},
		{"memory not stored yet", "mentions out[0], which is not stored yet", func(c *Case, _ View, _, _ term.Term) *Assertion {
			out := c.Overlaps[0].In
			return &Assertion{Has: []Has{In(out, 0).Has(out.Load(0, 8))}}
		}},
	} {
		var out *machine.Object
		var sum, third term.Term
		err := prove(t, sums, &Kernel{
			Setup: func(c *Case) {
				out = Writable(c.Buffer("out", 8))
				c.MayShare(c.Buffer("in", 8), out, 8, 0)
				a, b := c.Input("a", false), c.Input("b", false)
				third = c.Input("c", false)
				mask := c.Const(64, 0xff)
				sum = c.Add(c.And(a, mask), c.And(b, mask))
				c.Arg(out.Base, a, b, third)
				Writable(c.Arguments)
			},
			Spec: func(c *Case, _ int64, _ bool) {
				c.Expect(out, 0, sum)
				c.Checked(c.Arguments, 24, 32)
			},
			Left:       func(*Case, View, int64) error { return nil },
			Weakenings: Weakenings{At: map[string]func(*Case, View) *Assertion{"claimed": func(c *Case, s View) *Assertion { return test.claim(c, s, sum, third) }}},
		})
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.err)
		}
	}
}

// TestStandIn replaces an operand by an unknown during one instruction. Afterwards, the
// operand must have its old contents unless the instruction has changed it.
func TestStandIn(t *testing.T) {
	for _, test := range []struct {
		name, in string
		changed  bool
	}{{"another register", "ADDQ BX, AX", false}, {"the same register", "ADDQ BX, BX", true}} {
		text := strings.Replace(sums, "ADDQ BX, AX\n", test.in+"\nstandIn:\n", 1)
		seen := false
		prove(t, text, &Kernel{
			Setup: func(c *Case) {
				c.Arg(Writable(c.Buffer("out", 8)).Base)
				for _, name := range []string{"a", "b", "c"} {
					c.Arg(c.Input(name, false))
				}
			},
			Spec: func(*Case, int64, bool) {},
			Weakenings: Weakenings{
				Before: func(c *Case, s View) *Assertion {
					if c.Fn.Code[s.PC].String() != test.in {
						return nil
					}
					a := &Assertion{NextInstruction: true, Note: s.Word(amd64.Architecture.At("BX"), 8)}
					a.HasUnknown(InRegisters(amd64.Architecture.At("BX")), c.NewLeaf(64, term.LeafInfo{Name: "stand-in"}))
					return a
				},
				At: map[string]func(*Case, View) *Assertion{"standIn": func(c *Case, s View) *Assertion {
					seen = true
					if was, ok := s.Note.(term.Term); !ok || (s.Word(amd64.Architecture.At("BX"), 8) != was) != test.changed {
						t.Errorf("%s: BX is %s", test.name, c.Format(s.Word(amd64.Architecture.At("BX"), 8)))
					}
					return nil
				}},
			},
		})
		if !seen {
			t.Errorf("%s: no run reaches the label", test.name)
		}
	}
}

// TestSealed checks that statements cannot set the contents of memory after Setup.
func TestSealed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Set after Setup does not panic")
		}
	}()
	prove(t, sums, &Kernel{
		Setup: func(c *Case) {
			c.Arg(Writable(c.Buffer("out", 8)).Base, c.Input("a", false), c.Input("b", false), c.Input("c", false))
		},
		Weakenings: Weakenings{
			At: map[string]func(*Case, View) *Assertion{"claimed": func(c *Case, s View) *Assertion {
				c.Arguments.Set(24, c.Const(64, 0))
				return nil
			}},
		},
	})
}

// TestReadOnly checks that statements cannot change a run: no state or memory can be
// reached from the arguments of their functions.
func TestReadOnly(t *testing.T) {
	refused := []reflect.Type{reflect.TypeFor[machine.State](), reflect.TypeFor[machine.Memory]()}
	for _, given := range []reflect.Type{reflect.TypeFor[View](), reflect.TypeFor[Memory](), reflect.TypeFor[*Case]()} {
		var types []reflect.Type
		for i := range given.NumMethod() {
			for j := range given.Method(i).Type.NumOut() {
				types = append(types, given.Method(i).Type.Out(j))
			}
		}
		of := given
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct {
			for _, f := range reflect.VisibleFields(of) {
				if f.IsExported() {
					types = append(types, f.Type)
				}
			}
		}
		for _, x := range types {
			for _, r := range refused {
				if x == r || x.Kind() == reflect.Pointer && x.Elem() == r {
					t.Errorf("%v gives %v", given, x)
				}
			}
		}
	}
}

// TestClaimLength checks that an assertion does not bind the length of a function without
// lengths.
func TestClaimLength(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ k+8(FP), AX
bound:
	MOVQ $7, BX
	CMPQ AX, $0
	JEQ to
	MOVQ $9, BX
to:
	MOVQ BX, (DI)
	RET
`
	for _, test := range []struct{ text, err string }{
		{strings.Replace(text, "MOVQ k+8(FP), AX", "MOVQ $0, AX", 1), ""},
		{text, "n is an input or already represents a term"},
	} {
		var out *machine.Object
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out = Writable(c.Buffer("out", 8))
				c.Arg(out.Base, c.Input("k", true))
			},
			Spec: func(c *Case, _ int64, _ bool) { c.Expect(out, 0, c.Const(64, 7)) },
			Weakenings: Weakenings{At: Assertions{"bound": func(c *Case, _ View) *Assertion {
				a := &Assertion{}
				if test.err != "" {
					a.HasUnknown(c.Register("AX"), c.N)
				}
				return a
			}}},
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestClaimNothing checks that a function must leave no secret in its frame even if its
// statement has no description for readers.
func TestClaimNothing(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $8-8
	MOVQ key+0(FP), AX
	MOVQ AX, (SP)
	RET
`
	for _, test := range []struct{ text, err string }{
		{strings.Replace(text, "RET", "MOVQ $0, (SP)\n\tRET", 1), ""},
		{text, "leaves a secret in frame[0]"},
	} {
		f, err := asm.Parse("sums_amd64.s", test.text)
		if err != nil {
			t.Fatal(err)
		}
		k := &Kernel{
			File: "sums_amd64.s", Func: "sums",
			Setup: func(c *Case) { c.Arg(c.Input("key", false)) },
			Spec:  func(*Case, int64, bool) {},
		}
		_, err = k.ProveFunc(f, f.Func("sums"), All)
		expectError(t, test.err, err, test.err)
	}
}

// TestClaimLabels checks that no assertion at a label is ignored, because the statement may
// rely on what the assertion compares.
func TestClaimLabels(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
	ADDQ $1, AX
checked:
	NOP
stored:
	MOVQ AX, (DI)
	RET
`
	right := strings.Replace(text, "ADDQ $1, AX", "NOP", 1)
	for _, test := range []struct{ text, err string }{
		{right, ""},
		{text, "AX is (key + 0x1), want key"},
		{strings.Replace(text, "checked:\n\tNOP\n", "checked:\n", 1), "which are one instruction"},
		{strings.Replace(text, "checked:\n", "", 1), "an assertion is at the label checked, which the function lacks"},
	} {
		var out *machine.Object
		var key term.Term
		err := prove(t, test.text, &Kernel{
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.Arg(out.Base, key)
			},
			Weakenings: Weakenings{At: Assertions{
				"checked": func(c *Case, _ View) *Assertion { return &Assertion{Has: []Has{c.Register("AX").Has(key)}} },
				"stored":  func(*Case, View) *Assertion { return nil },
			}},
			Spec: func(c *Case, _ int64, _ bool) { c.Checked(out, 0, 8) },
			Left: func(*Case, View, int64) error { return nil },
		})
		expectError(t, test.err, err, test.err)
	}
}

// TestSpecTwice checks that a value which Spec states is compared, even if Spec describes the
// same bytes later.
func TestSpecTwice(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-8
	MOVQ out+0(FP), DI
	MOVQ $7, (DI)
	RET
`
	for _, test := range []struct {
		name, err string
		spec      func(c *Case, out *machine.Object)
	}{
		{"free and stated", "", func(c *Case, out *machine.Object) { c.Free(out, 0, 8); c.Expect(out, 0, c.Const(64, 7)) }},
		{"stated and free", "describes out[0] twice", func(c *Case, out *machine.Object) { c.Expect(out, 0, c.Const(64, 8)); c.Free(out, 0, 8) }},
		{"two values", "describes out[0] twice", func(c *Case, out *machine.Object) {
			c.Expect(out, 0, c.Const(64, 8), c.Const(64, 0))
			c.Expect(out, 0, c.Const(64, 7))
		}},
	} {
		var out *machine.Object
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				out = Writable(c.Buffer("out", 8))
				c.Arg(out.Base)
			},
			Spec: func(c *Case, _ int64, _ bool) { test.spec(c, out) },
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestClaimCongruence checks that an assertion which binds an unknown, about which Setup
// states a congruence, has a Where.
func TestClaimCongruence(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ k+8(FP), AX
copied:
	MOVQ AX, (DI)
	RET
`
	prime := big.NewInt(101)
	for _, test := range []struct {
		name, err string
		checked   bool
	}{
		{"with Where", "", true},
		{"without Where", "no Where, but Setup states a congruence", false},
	} {
		var out *machine.Object
		var k, same term.Term
		var a *algebra.Algebra
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				out, k, same = Writable(c.Buffer("out", 8)), c.Input("k", false), c.NewLeaf(64, term.LeafInfo{Name: "same"})
				a = algebra.New(c.Store)
				a.Let(same, a.Value(k))
				c.Rings = append(c.Rings, Congruence{a, prime})
				c.Arg(out.Base, k)
			},
			Weakenings: Weakenings{At: Assertions{"copied": func(c *Case, _ View) *Assertion {
				claim := &Assertion{}
				claim.HasUnknown(c.Register("AX"), same)
				if test.checked {
					claim.Where = func(s View) error {
						if !s.Congruent(a, a.Value(s.Of(same)[0]), a.Value(k), prime) {
							return errors.New("not congruent")
						}
						return nil
					}
				}
				return claim
			}}},
			Spec: func(c *Case, _ int64, _ bool) { c.Expect(out, 0, same) },
		})
		expectError(t, test.name, err, test.err)
	}
}

// TestClaimUnbound checks that assertions name only leaves that have a number. The bounds of
// w allow no number, so an assertion that names w could give x any bounds.
func TestClaimUnbound(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVBQZX x+8(FP), AX
	MOVQ $2, BX
claimed:
	CMPQ AX, $200
	JB end
	MOVQ $1, BX
end:
	MOVQ BX, (DI)
	RET
`
	type terms = map[term.Term]term.Term
	for _, test := range []struct {
		name, err string
		least     uint64
		claim     func(c *Case, x, sum, u, w term.Term) (has term.Term, of, as terms)
	}{
		{"x is at least 200", "", 200, func(c *Case, x, _, u, _ term.Term) (term.Term, terms, terms) {
			return c.Low(u, 8), terms{u: x}, nil
		}},
		{"x may be less", "u may be 0x0, less than 0xc8", 0, func(c *Case, x, _, u, _ term.Term) (term.Term, terms, terms) {
			return c.Low(u, 8), terms{u: x}, nil
		}},
		{"place", "an assertion states w, which is not bound", 0, func(c *Case, _, sum, _, _ term.Term) (term.Term, terms, terms) {
			return c.Low(sum, 8), nil, nil
		}},
		{"represented term", "an assertion states w, which is not bound", 0, func(c *Case, _, sum, u, _ term.Term) (term.Term, terms, terms) {
			return c.Low(u, 8), terms{u: sum}, nil
		}},
		{"term of another unknown", "an assertion states w, which is not bound", 0, func(c *Case, x, sum, _, _ term.Term) (term.Term, terms, terms) {
			low := c.NewLeaf(8, term.LeafInfo{Name: "low", Public: true})
			return low, terms{low: c.Low(x, 8)}, terms{low: c.Low(sum, 8)}
		}},
		{"itself", "an assertion states w, which is not bound", 0, func(c *Case, _, sum, _, w term.Term) (term.Term, terms, terms) {
			return c.Low(sum, 8), terms{w: w}, nil
		}},
		{"each other", "which is not bound", 0, func(c *Case, _, sum, _, w term.Term) (term.Term, terms, terms) {
			other := c.NewLeaf(64, *c.Info(w))
			return c.Low(sum, 8), terms{w: other, other: w}, nil
		}},
	} {
		var out *machine.Object
		var x term.Term
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				out, x = Writable(c.Buffer("out", 8)), c.NewLeaf(64, term.LeafInfo{Name: "x", Public: true, Min: test.least, Max: 255})
				c.Arg(out.Base, x)
			},
			Spec: func(c *Case, _ int64, _ bool) { c.Expect(out, 0, c.Const(64, 1)) },
			Weakenings: Weakenings{At: Assertions{"claimed": func(c *Case, s View) *Assertion {
				u := c.NewLeaf(64, term.LeafInfo{Name: "u", Public: true, Min: 200, Max: 255})
				w := c.NewLeaf(64, term.LeafInfo{Name: "w", Public: true, Min: 100, Max: 1})
				sum := c.AddConst(c.Add(x, c.Scale(w, 256)), ^uint64(255)) // from 25344 to 255
				has, of, as := test.claim(c, x, sum, u, w)
				return &Assertion{Has: []Has{c.Register("AX").Has(has)}, Of: of, As: as}
			}}},
		})
		expectError(t, test.name, err, test.err)
	}
}
