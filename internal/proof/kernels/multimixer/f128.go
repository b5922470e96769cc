// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimixer states what the kernels of Multimixer-128 compute.
package multimixer

import (
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/arm64"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Kernels are those of package multimixer.
var Kernels = []engine.Kernel{
	sumF128("internal/multimixer/f128_amd64.s", "sumAVX2", 64, laneOffsets(amd64.Vectors, 64, []int{0, 1, 2, 3}, 32)),
	sumF128("internal/multimixer/f128_amd64.s", "sumAVX512", 128, laneOffsets(amd64.Vectors, 64, []int{2, 3, 4, 5}, 64)),
	sumF128("internal/multimixer/f128_arm64.s", "sumNEON", 64, laneOffsets(arm64.Vectors, 16, []int{0, 1, 2, 3, 4, 5, 6, 7}, 16)),
}

// sumF128 stores the sums of the products of all blocks. The lanes hold them.
func sumF128(file, name string, step int64, lanes []int) engine.Kernel {
	var dst, key, msg *machine.Object
	loop := &sumLoop{
		lanes: lanes, step: step, sums: 8,
		start: func(c *engine.Case, sum int) term.Term { return c.Const(64, 0) },
		products: func(c *engine.Case, sum int, at, n int64) (all []term.Term) {
			for ; n > 0; at, n = at+spec.F128Block, n-spec.F128Block {
				all = append(all, spec.F128Product(c.Store, key, msg, at, sum))
			}
			return all
		},
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim: "the sum of f_128(key + message) over the blocks of 32 bytes, modulo 2^64",
		Unit:  spec.F128Block, Min: spec.F128Block, Max: 64 << 10, Step: step,
		Setup: func(c *engine.Case) {
			dst, key, msg = engine.Writable(c.Buffer("dst", 64)), c.Bytes("key", c.N), c.Bytes("msg", c.N)
			c.Pointers(dst, key, msg)
			c.Arg(c.N)
			c.MayOverlap(dst, key, msg)
		},
		Spec: func(c *engine.Case, n int64, last bool) {
			for sum := range 8 {
				if !last {
					return
				}
				total := loop.total(c, sum, 0, n)
				if c.Looped {
					total = c.Add(total, loop.before(c, sum))
				}
				c.Expect(dst, int64(8*sum), total)
			}
		},
		Advance: func(c *engine.Case) {
			c.Move(key, step)
			c.Move(msg, step)
		},
		Invariant: loop.claim,
	}
}
