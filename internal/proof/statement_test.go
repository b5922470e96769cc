// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
)

// TestDigest checks that a kernel's digest depends on its assertions, and that two
// proofs of the same statement have the same digest.
func TestDigest(t *testing.T) {
	invariant := func(change func(a *engine.Assertion)) func(k *engine.Kernel) {
		return func(k *engine.Kernel) {
			before := k.Invariant
			k.Invariant = func(c *engine.Case) *engine.Assertion {
				a := before(c)
				change(a)
				return a
			}
		}
	}
	digest := func(name string, change func(k *engine.Kernel)) string {
		k := kernel(t, name).Sample()
		change(k)
		f, fn := read(t, k)
		r, err := k.Digest(f, fn)
		if err != nil {
			t.Error(err)
		}
		return r.Digest
	}
	same := func(*engine.Kernel) {}
	for _, test := range []struct {
		name, kernel string
		change       func(k *engine.Kernel)
	}{
		{"Where", "blocksAMD64", invariant(func(a *engine.Assertion) { a.Where = nil })},
		{"Note", "blocksAMD64", invariant(func(a *engine.Assertion) { a.Note = "shown" })},
		{"Left", "blocksAMD64", func(k *engine.Kernel) {
			k.Left = func(*engine.Case, engine.View, int64) error { return nil }
		}},
		{"Exit", "cryptSSE41", func(k *engine.Kernel) {
			exit := k.Segments[0].Own().Exit
			k.Segments[0].Exit = func(c *engine.Case) *engine.Assertion {
				a := exit(c)
				a.Where = nil
				return a
			}
		}},
	} {
		before := digest(test.kernel, same)
		if digest(test.kernel, same) != before {
			t.Errorf("%s: digests of two proofs differ", test.kernel)
		}
		if digest(test.kernel, test.change) == before {
			t.Errorf("%s: changing %s does not change the digest", test.kernel, test.name)
		}
	}
}

// TestStatementDigest checks that each change of a statement changes the digest or
// makes the proof fail. A Spec that describes the same bytes in another order must not
// change the digest.
func TestStatementDigest(t *testing.T) {
	digest := func(change func(k *engine.Kernel)) string {
		k := tiny()
		change(k)
		f, fn := parse(t, k.File, k.Func, tinyAMD64("0", "", "", ""))
		r, err := k.Digest(f, fn)
		if err != nil {
			return err.Error()
		}
		return r.Digest
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
		"claim":               func(k *engine.Kernel) { k.Claim += "!" },
		"largest length":      func(k *engine.Kernel) { k.Max = 512 },
		"shortest length":     func(k *engine.Kernel) { k.Min = 16 },
		"step":                func(k *engine.Kernel) { k.Step = 16 },
		"wiped frame":         func(k *engine.Kernel) { k.Unwiped = false },
		"shorter source":      setup(func(c *engine.Case) { c.Resize(object(c, "src"), c.AddConst(c.N, ^uint64(0))) }),
		"writable source":     setup(func(c *engine.Case) { engine.Writable(object(c, "src")) }),
		"public source":       setup(func(c *engine.Case) { engine.Public(object(c, "src")) }),
		"known contents":      setup(func(c *engine.Case) { object(c, "src").Set(0, c.Const(8, 0)) }),
		"overlapping buffers": setup(func(c *engine.Case) { c.MayOverlap(object(c, "dst"), object(c, "src")) }),
		"known argument":      setup(func(c *engine.Case) { c.Arguments.Set(24, c.Const(64, 0)) }),
		"open output byte": spec(func(c *engine.Case, n int64) {
			c.Free(object(c, "dst"), n-1, n)
		}),
		"other output byte": spec(func(c *engine.Case, n int64) { c.ExpectBytes(object(c, "dst"), 0, object(c, "src").Initial(1)) }),
		"Advance": func(k *engine.Kernel) {
			before := k.Advance
			k.Advance = func(c *engine.Case) { before(c); c.Move(object(c, "src"), 16) }
		},
	} {
		if digest(change) == same {
			t.Errorf("%s: the change does not change the digest", name)
		}
	}
	if digest(spec(func(c *engine.Case, n int64) {
		for i := n - 1; i >= 0; i-- { // the same bytes in another order
			c.ExpectBytes(object(c, "dst"), i, object(c, "src").Initial(i))
		}
	})) != same {
		t.Error("the order of Spec's bytes changes the digest")
	}
}
