// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// example returns the statement about exampleText that README.md shows.
func example() *engine.Kernel {
	var out, words *machine.Object
	var sum term.Term // of the words before this iteration
	after := func(c *engine.Case, n int64) term.Term {
		s := c.Const(64, 0)
		if c.Looped {
			s = sum
		}
		for at := int64(0); at < n; at += 8 {
			s = c.Add(s, words.Load(at, 8))
		}
		return s
	}
	return &engine.Kernel{
		File: "internal/x/sum_amd64.s", Func: "sumAMD64", Claim: "out = the sum of words, modulo 2^64",
		Range: engine.Range{Unit: 8, Min: 8, Max: 64 << 10},
		Loop: engine.Loop{
			Step: 8, // bytes per iteration
			// At the loop's head, AX contains the sum of all previous words, which no
			// term of the inputs represents. Where checks this sum.
			Invariant: func(c *engine.Case) *engine.Assertion {
				sum = c.NewLeaf(64, term.LeafInfo{Name: "sum"})
				a := &engine.Assertion{Where: func(s engine.View) error {
					return s.Is("the sum", s.Of(sum)[0], after(c, 8*c.Iterations()))
				}}
				a.HasUnknown(c.Register("AX"), sum)
				return a
			},
		},
		Setup: func(c *engine.Case) { // memory, and arguments in order
			out, words = engine.Writable(c.Buffer("out", 8)), c.Bytes("words", c.N)
			c.Arg(out.Base, words.Base, c.N)
		},
		Spec: func(c *engine.Case, n int64, last bool) { // memory after n bytes
			if last {
				c.Expect(out, 0, after(c, n))
			}
		},
	}
}

// exampleText returns a kernel with extra lines at the loop's head, before the branch
// back and at the end.
func exampleText(head, loop, end string) string {
	return "TEXT ·sumAMD64(SB), NOSPLIT, $0-24\nMOVQ out+0(FP), DI\nMOVQ words+8(FP), SI\nMOVQ n+16(FP), CX\nXORQ AX, AX\nXORQ BX, BX\nagain:\n" +
		head + "\nADDQ (SI), AX\nADDQ $8, SI\n" + loop + "\nSUBQ $8, CX\nJNZ again\n" + end + "\nMOVQ AX, (DI)\nRET\n"
}

// TestExample proves the example and checks that README.md contains it.
func TestExample(t *testing.T) {
	k := example()
	f, fn := parse(t, filepath.Base(k.File), k.Func, exampleText("", "", ""))
	if _, err := k.ProveFunc(f, fn, engine.All); err != nil {
		t.Error(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```go\n")
	block, _, ok := strings.Cut(block, "```")
	source, err := os.ReadFile("newcomer_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if !ok || !strings.Contains(string(source), "\n"+block) {
		t.Error("the example in README.md differs from the one in newcomer_test.go")
	}
}

// TestNewcomer checks that errors say how to fix a statement that lacks an invariant
// and how to add an unknown instruction.
func TestNewcomer(t *testing.T) {
	const forgotten = " is unknown at the loop's head (line 9): state it in an Invariant"
	for _, test := range []struct{ name, head, loop, end, err string }{
		{"stored value", "", "", "", "out[0]: AX" + forgotten},
		{"address", "", "IMUL3Q $3, BX, BX\nADDQ $1, BX", "MOVQ (SI)(BX*1), AX", "line 15: BX" + forgotten},
		{"branch", "", "IMUL3Q $3, BX, BX\nADDQ $1, BX", "TESTQ BX, BX\nJZ on\non:", "BX" + forgotten},
		{"unknown word instruction", "LZCNTQ BX, BX", "", "", "add its name to classes in amd64/sets.go and, if its family has no row yet, add a row to amd64/rows.go"},
		{"unknown vector instruction", "VPABSD Z0, Z0", "", "", "add a row to amd64/rows.go"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := example()
			k.Invariant = nil // without it, Spec cannot refer to sum
			k.Spec = func(c *engine.Case, _ int64, last bool) {
				if last {
					c.Expect(object(c, "out"), 0, object(c, "words").Load(0, 8))
				}
			}
			f, fn := parse(t, "sum_amd64.s", k.Func, exampleText(test.head, test.loop, test.end))
			_, err := k.ProveFunc(f, fn, engine.All)
			if err == nil || !strings.Contains(err.Error(), test.err) || len(err.Error()) > 300 {
				t.Errorf("proof: got error %v, want %q in at most 300 bytes", err, test.err)
			}
		})
	}
}
