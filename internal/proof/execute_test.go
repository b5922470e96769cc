// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/term"
)

// contents are numbers for inputs: the least ones, the greatest ones and random ones.
var contents = []func(info *term.LeafInfo) uint64{
	func(info *term.LeafInfo) uint64 { return info.Min },
	func(info *term.LeafInfo) uint64 { return info.Max },
	func(info *term.LeafInfo) uint64 {
		if n := info.Max - info.Min + 1; n != 0 {
			return info.Min + rand.Uint64N(n)
		}
		return rand.Uint64()
	},
}

// relative are the kernels whose Left and assertions are about the last turn of a loop: a run from the beginning has
// none of their unknowns, or about hashes whose terms are not those of numbers.
var relative = []string{"nhPoly", "tagLanes", "cryptAVX512IFMA", "cryptHalved", "sumAVX2AES", "sumAVX512AES", "sumSSE41AES", "sumNEONAES", "sumFour"}

// execute runs a kernel in its variants on numbers: for two lengths with all contents, or for one with random ones.
func execute(t *testing.T, k *engine.Kernel, f *asm.File, fn *asm.Func, one bool) (total engine.Execution, err error) {
	t.Helper()
	for _, part := range k.Parts() {
		if part.Kernel.From != "" {
			continue
		}
		k := part.Kernel
		all := []int64{0}
		if k.Unit > 0 {
			all = lengthsOf(k, part.Variant)
		}
		if one && k.Step > 256 {
			all = all[:1]
		} else if one {
			all = all[len(all)-1:]
		}
		s, err := engine.NewSession(k, f, fn, part.Variant)
		if err != nil {
			return total, err
		}
		left := !slices.ContainsFunc(relative, func(name string) bool { return strings.HasPrefix(k.Func, name) })
		for _, n := range all {
			for i, content := range contents {
				if one && i < 2 {
					continue
				}
				x, runs := s.Execute(n, content, left)
				if runs != nil && err == nil {
					err = fmt.Errorf("%s, length %d, contents %d: %w", part.Variant, n, i, runs)
				}
				total.Steps += x.Steps
				total.Assertions += x.Assertions
				total.Compared += x.Compared
				total.Written += x.Written
			}
		}
		s.Store.Drop()
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// lengthsOf returns two short lengths: the first one that callers give, and one after a turn of the loop.
func lengthsOf(k *engine.Kernel, variant string) (list []int64) {
	c := k.Declared(variant)
	for _, from := range []int64{k.Min, max(k.Reached, k.Step) + k.Unit} {
		for n := (from + k.Unit - 1) / k.Unit * k.Unit; n <= k.Max; n += k.Unit {
			if k.Given == nil || k.Given(c, n) {
				list = append(list, n)
				break
			}
		}
	}
	return slices.Compact(list)
}

// TestExecuted runs kernels on numbers. The ordinary test takes every fourth kernel, as
// TestFollow executes all of them: one short length of its first variant, with random
// contents. The whole test takes all variants, two lengths, and contents of every kind.
func TestExecuted(t *testing.T) {
	for i := range Kernels {
		if !mactest.Whole() && i%4 > 0 {
			continue
		}
		k := &Kernels[i]
		if !mactest.Whole() {
			k = k.Sample()
		}
		t.Run(k.Name(), func(t *testing.T) {
			f, fn := read(t, k)
			x, err := execute(t, k, f, fn, !mactest.Whole())
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d instructions, %d assertions, %d bytes compared, %d written by segments", x.Steps, x.Assertions, x.Compared, x.Written)
		})
	}
}

// TestExecutedNotices checks that runs on numbers fail for false assertions of several
// families and for wrong kernels. The ordinary test takes a third of them, as
// TestFollowPlanted and TestFollowWrong cover the same families.
func TestExecutedNotices(t *testing.T) {
	more := func(look func(*engine.Case, engine.View) *engine.Assertion, register string) func(*engine.Case, engine.View) *engine.Assertion {
		return func(c *engine.Case, s engine.View) *engine.Assertion {
			a := look(c, s)
			if a != nil {
				a.Has = append(a.Has, c.Register(register).Has(c.Const(64, 0x123456789)))
			}
			return a
		}
	}
	for i, test := range []struct {
		kernel, err string
		change      func(k *engine.Kernel)
	}{
		{"run128SSE41AES", "BX is", func(k *engine.Kernel) { k.At["taken"] = more(k.At["taken"], "BX") }},
		{"xorLanesAVX512IFMA", "R9 is", func(k *engine.Kernel) { k.At["secondLane"] = more(k.At["secondLane"], "R9") }},
		{"shortAVX512IFMA", "R11 is", func(k *engine.Kernel) { k.Cut = more(k.Cut, "R11") }},
		{"cryptSSE41", "SI is", func(k *engine.Kernel) { k.Cut = more(k.Cut, "SI") }},
		{"sealNEON", "R3 is", func(k *engine.Kernel) { k.At["keyed"] = more(k.At["keyed"], "R3") }},
		{"sumAVX2AES", "DI is", func(k *engine.Kernel) {
			holds := k.Cuts[0].Holds
			k.Cuts[0].Holds = func(c *engine.Case) *engine.Assertion {
				a := holds(c)
				a.Has = append(a.Has, c.Register("DI").Has(c.Const(64, 0x123456789)))
				return a
			}
		}},
	} {
		if !mactest.Whole() && i%3 > 0 {
			continue
		}
		k := kernel(t, test.kernel).Sample()
		test.change(k)
		f, fn := read(t, k)
		if _, err := execute(t, k, f, fn, false); err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, want %q", test.kernel, err, test.err)
		}
	}
	for _, a := range wrongKernels(t) {
		switch a.name {
		case "two packets swap their rows", "an empty text skips the tag", "a state that a segment has stored is overwritten by what was there before",
			"loops: a step moves the counter by one more", "returns: two messages have no tags":
		default:
			continue
		}
		if !mactest.Whole() && a.name != "an empty text skips the tag" {
			continue
		}
		k := kernel(t, a.kernel).Sample()
		if a.variants != nil {
			k.Variants = a.variants
		}
		f, fn := a.of(t, k)
		if _, err := execute(t, k, f, fn, false); err == nil {
			t.Errorf("%s: not noticed", a.name)
		} else {
			t.Logf("%s: %v", a.name, err)
		}
	}
}
