package engine

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// invariant binds a memory place of a moving output; claims at label for places in
// read-only memory; partial registers.
func TestHole12PartialRegister(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
	MOVQ n+16(FP), CX
	MOVQ $5, BX
loop:
	CMPQ CX, $0
	JEQ end
	MOVQ AX, BX
	SUBQ $1, CX
	JMP loop
end:
	MOVQ BX, (DI)
	RET
`
	var out *machine.Object
	var key term.Term
	// claims only the upper half of BX is 0
	for _, off := range []int64{0, 4, 1} {
		err := prove(t, text, &Kernel{
			Range: Range{Unit: 1, Max: 1000},
			Loop: Loop{Step: 1, Invariant: func(c *Case) *Assertion {
				p := c.Register("BX")
				p.At += off
				width := 32
				if off == 1 {
					width = 8
				}
				v := uint64(0)
				if off == 0 {
					v = 5
				}
				return &Assertion{Has: []Has{p.Has(c.Const(width, v))}}
			}},
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.Arg(out.Base, key, c.N)
			},
			Spec: func(c *Case, n int64, last bool) {
				if last {
					c.Expect(out, 0, c.Const(64, 5))
				}
			},
		})
		report(t, "partial register", err)
	}
}

// NextInstruction with a Call.
func TestHole13NextCall(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ key+8(FP), AX
from:
	MOVQ $9, AX
to:
	MOVQ AX, (DI)
	RET
`
	for _, nop := range []bool{false, true} {
		txt := text
		if nop {
			txt = strings.Replace(text, "to:", "to:\n\tNOP", 1)
		}
		var out *machine.Object
		var key, u, x term.Term
		segment := section("from", "to", func(c *Case) []Has {
			x = c.NewLeaf(64, term.LeafInfo{Name: "x"})
			return []Has{c.Register("AX").Has(x)}
		})
		err := prove(t, txt, &Kernel{
			Setup: func(c *Case) {
				out, key = Writable(c.Buffer("out", 8)), c.Input("key", false)
				c.Arg(out.Base, key)
				u = c.NewLeaf(64, term.LeafInfo{Name: "u"})
			},
			Spec:     func(c *Case, _ int64, _ bool) { c.Expect(out, 0, key) },
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": func(c *Case, s View) *Assertion {
				a := &Assertion{NextInstruction: true, Call: &Call{To: "to", Cases: []Entry{{}}}}
				a.HasUnknown(c.Register("AX"), u)
				return a
			}}},
		})
		report(t, "NextInstruction with Call", err)
	}
}

// A segment that stores to own, own is in an InPlace output; the caller reads in later; and
// the segment reads in when out starts at another place.
func TestHole14Alias(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-16
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
from:
	MOVQ $9, 8(DI)
	MOVQ 8(SI), AX
	MOVQ AX, (DI)
to:
	RET
`
	for _, test := range []struct {
		own, src     int64
		ownn, srcn   int64
		share        bool
		base         int64
		segmentShare bool
	}{
		{0, 0, 16, 16, true, 0, true}, {0, 0, 16, 16, true, 0, false}, {0, 8, 16, 8, true, 8, true}, {0, 8, 16, 8, true, 8, false},
	} {
		var out, in, own, src *machine.Object
		segment := section("from", "to", func(c *Case) []Has {
			return []Has{c.Register("DI").Has(own.Base), c.Register("SI").Has(c.AddConst(src.Base, -uint64(test.base)))}
		})
		segment.Setup = func(c *Case) {
			own, src = Writable(c.Buffer("own", test.ownn)), c.Buffer("src", test.srcn)
			if test.segmentShare {
				c.InPlace(src, own)
			}
		}
		segment.Spec = func(c *Case, _ int64, _ bool) {
			c.Expect(own, 0, src.Load(8-test.base, 8))
			c.Expect(own, 8, c.Const(64, 9))
		}
		err := prove(t, text, &Kernel{
			Setup: func(c *Case) {
				out, in = Writable(c.Buffer("out", 16)), c.Buffer("in", 16)
				c.InPlace(in, out)
				c.Arg(out.Base, in.Base)
			},
			Spec: func(c *Case, _ int64, _ bool) {
				c.ExpectResult(out, 0, "x", "own", 0, 16)
			},
			Segments: []Kernel{segment},
			Weakenings: Weakenings{At: Assertions{"from": calling("to", "x", func(c *Case) (map[string]Place, []Has) {
				return map[string]Place{"own": In(out, test.own), "src": In(in, test.src)}, []Has{c.Register("DI").Has(out.Base), c.Register("SI").Has(in.Base)}
			})}},
		})
		report(t, "alias", err)
	}
}

func report(t *testing.T, name string, err error) {
	if err == nil {
		t.Errorf("%s: ACCEPTED", name)
	} else {
		t.Logf("%s: refused: %v", name, err)
	}
}
