// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimixer contains the proof statements for the assembly kernels of
// Multimixer-128.
package multimixer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Kernels contains the statements of package multimixer's kernels.
var Kernels = engine.Constructed(func() []engine.Kernel {
	return []engine.Kernel{
		sum("internal/multimixer/f128_amd64.s", "sumAVX2", 64, 4, []register{{"Z0", 0, 2}, {"Z1", 3, 1}, {"Z2", 6, 4}, {"Z3", 7, 5}}),
		sum("internal/multimixer/f128_amd64.s", "sumAVX512", 128, 8, []register{{"Z2", 0, 2}, {"Z3", 1, 3}, {"Z4", 6, 4}, {"Z5", 5, 7}}),
		sum("internal/multimixer/f128_arm64.s", "sumNEON", 64, 2, []register{
			{"V0", 0, 1}, {"V1", 2, 3}, {"V2", 4, 5}, {"V3", 6, 7}, {"V4", 0, 1}, {"V5", 2, 3}, {"V6", 4, 5}, {"V7", 6, 7}}),
	}
})

// A register accumulates parts of two sums, in even and odd lanes.
type register struct {
	name      string
	even, odd int // indices of the sums
}

func sum(file, name string, step int64, lanes int, registers []register) engine.Kernel {
	var dst, key, msg *machine.Object
	var before []term.Term // the sums at the loop's head
	// after returns the sums after n bytes, from the loop's head if c.Looped.
	after := func(c *engine.Case, n int64) []term.Term {
		s := slices.Repeat([]term.Term{c.Const(64, 0)}, 8)
		if c.Looped {
			copy(s, before)
		}
		for i := range s {
			for at := int64(0); at < n; at += spec.F128Block {
				s[i] = c.Add(s[i], spec.F128Product(c.Store, key, msg, at, i))
			}
		}
		return s
	}
	invariant := func(c *engine.Case) *engine.Assertion {
		before = after(c, 0)
		a := &engine.Assertion{Where: func(s engine.View) (err error) {
			want := after(c, step*c.Iterations())
			for i, got := range s.Of(before...) {
				err = cmp.Or(err, s.Is(fmt.Sprintf("sum %d", i), got, want[i]))
			}
			return err
		}}
		for i := range lanes * len(registers) {
			r := registers[i/lanes]
			sum, unknown := []int{r.even, r.odd}[i%2], c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("lane%d", i)})
			before[sum] = c.Add(before[sum], unknown)
			a.HasUnknown(c.Lane(r.name, i%lanes), unknown)
		}
		return a
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim: "the sum of f_128(key + message) over the blocks of 32 bytes, modulo 2^64",
		Range: engine.Range{Unit: spec.F128Block, Min: spec.F128Block, Max: 64 << 10},
		Loop:  engine.Loop{Step: step, Invariant: invariant},
		Setup: func(c *engine.Case) {
			dst, key, msg = engine.Writable(c.Buffer("dst", 64)), c.Bytes("key", c.N), c.Bytes("msg", c.N)
			c.Arg(dst.Base, key.Base, msg.Base, c.N)
			c.MayOverlap(dst, key, msg)
		},
		Spec: func(c *engine.Case, n int64, last bool) {
			if last {
				c.Expect(dst, 0, after(c, n)...)
			}
		},
	}
}
