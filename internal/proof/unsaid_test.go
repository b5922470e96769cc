// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
)

// TestUnsaid has each statement refuse another value of each byte that a kernel leaves behind, except
// those of which it is known to say nothing. So a statement that checks less than before is noticed.
func TestUnsaid(t *testing.T) {
	bytes := func(object string, ranges ...[2]int) (list []string) {
		for _, r := range ranges {
			for at := r[0]; at < r[1]; at++ {
				list = append(list, fmt.Sprintf("%s[%d]", object, at))
			}
		}
		return list
	}
	lanes := bytes("st", [2]int{8, 32}, [2]int{40, 64})                             // of streams that are not in use
	used := append(bytes("arguments", [2]int{16, 40}), bytes("m", [2]int{0, 8})...) // what a call uses up
	unsaid := map[string][]string{
		"umac nhPolyAVX2": lanes, "umac nhPolyAVX512": lanes, "umac nhPolyNEON": lanes, "umac nhPolySSE41": lanes,
		"chacha20poly1305 cryptAVX2": used, "chacha20poly1305 cryptSSE41": used,
	}
	for i := range Kernels {
		k := Kernels[i].Sample()
		// Left checks what they leave by what their invariants claim: they come to the head in any case.
		fromHead := k.Func == "tagLanesAVX512IFMA" || k.Func == "cryptAVX512IFMA"
		n := int64(0)
		if k.Unit > 0 {
			n = max(k.Unit, (k.Min+k.Unit-1)/k.Unit*k.Unit)
		}
		variant := k.Parts()[0].Variant
		f, fn := read(t, k)
		s, err := engine.NewSession(k, f, fn, variant)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Unsaid(n, fromHead)
		if err != nil {
			t.Errorf("%s: %v", k.Name(), err)
		}
		want := unsaid[k.Name()]
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: nothing is said of %q, want %q", k.Name(), got, want)
		}
	}
}

// TestUnsaidNotices takes away what checks h: all of it is found.
func TestUnsaidNotices(t *testing.T) {
	k := kernel(t, "blocksAMD64")
	k.Left = func(*engine.Case, engine.View, int64) error { return nil }
	f, fn := read(t, k)
	s, err := engine.NewSession(k, f, fn, k.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Unsaid(0, false); err != nil || len(got) != 24 {
		t.Errorf("%q, %v", got, err)
	}
}

// TestStatementDigest has the digest of a statement change with what it says, and with nothing else.
func TestStatementDigest(t *testing.T) {
	digest := func(change func(k *engine.Kernel)) string {
		k := tiny()
		change(k)
		return k.Digest()
	}
	same := digest(func(*engine.Kernel) {})
	setup := func(change func(c *engine.Case)) func(*engine.Kernel) {
		return func(k *engine.Kernel) {
			before := k.Setup
			k.Setup = func(c *engine.Case) { before(c); change(c) }
		}
	}
	spec := func(change func(c *engine.Case, n int64)) func(*engine.Kernel) {
		return func(k *engine.Kernel) {
			before := k.Spec
			k.Spec = func(c *engine.Case, n int64, last bool) { before(c, n, last); change(c, n) }
		}
	}
	for name, change := range map[string]func(*engine.Kernel){
		"the claim":             func(k *engine.Kernel) { k.Claim += "!" },
		"the lengths":           func(k *engine.Kernel) { k.Max = 512 },
		"the shortest length":   func(k *engine.Kernel) { k.Min = 16 },
		"the step":              func(k *engine.Kernel) { k.Step = 16 },
		"a frame that is wiped": func(k *engine.Kernel) { k.Unwiped = false },
		"a shorter message":     setup(func(c *engine.Case) { c.Resize(object(c, "src"), c.AddConst(c.N, ^uint64(0))) }),
		"a writable source":     setup(func(c *engine.Case) { engine.Writable(object(c, "src")) }),
		"a public source":       setup(func(c *engine.Case) { engine.Public(object(c, "src")) }),
		"known contents":        setup(func(c *engine.Case) { object(c, "src").Set(0, c.Const(8, 0)) }),
		"buffers over others":   setup(func(c *engine.Case) { c.MayOverlap(object(c, "dst"), object(c, "src")) }),
		"another argument":      setup(func(c *engine.Case) { c.Arguments.Set(24, c.Const(64, 0)) }),
		"a byte that may be anything": spec(func(c *engine.Case, n int64) {
			c.Free(object(c, "dst"), n-1, n)
		}),
		"a byte that is another": spec(func(c *engine.Case, n int64) { c.ExpectByte(object(c, "dst"), 0, object(c, "src").Initial(1)) }),
		"how the work goes on": func(k *engine.Kernel) {
			before := k.Advance
			k.Advance = func(c *engine.Case) { before(c); c.Move(object(c, "src"), 16) }
		},
	} {
		if digest(change) == same {
			t.Errorf("%s makes no difference", name)
		}
	}
	if digest(spec(func(c *engine.Case, n int64) {
		for i := n - 1; i >= 0; i-- { // as before, in another order
			c.ExpectByte(object(c, "dst"), i, object(c, "src").Initial(i))
		}
	})) != same {
		t.Error("the order makes a difference")
	}
}
