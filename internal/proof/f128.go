// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/arm64"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// f128Block is the block of Multimixer-128 (ia.cr/2023/1357) in bytes.
const f128Block = 32

// multimixer are the kernels of package multimixer.
var multimixer = []Kernel{
	sumF128("internal/multimixer/f128_amd64.s", "sumAVX2", 64, laneOffsets(amd64.Vectors, 64, []int{0, 1, 2, 3}, 32)),
	sumF128("internal/multimixer/f128_amd64.s", "sumAVX512", 128, laneOffsets(amd64.Vectors, 64, []int{2, 3, 4, 5}, 64)),
	sumF128("internal/multimixer/f128_arm64.s", "sumNEON", 64, laneOffsets(arm64.Vectors, 16, []int{0, 1, 2, 3, 4, 5, 6, 7}, 16)),
}

// f128Terms is how many terms of x and of y are added in a word of the second half.
var f128Terms = 3

// f128Product returns product i of f_128 for the block at a place: x_i·y_i for the first
// four, and u_i·v_i for the others, where u_i = x_i + x_{i+1} + x_{i+2} and
// v_i = y_{i+1} + y_{i+2} + y_{i+3}, with indices modulo 4.
func (c *Case) f128Product(key, msg *machine.Object, at int64, i int) term.Term {
	word := func(first int64, i int) term.Term {
		offset := at + 4*(first+int64(i%4))
		return c.Add(c.Load(key, offset, 4), c.Load(msg, offset, 4))
	}
	a, b := word(0, i), word(4, i)
	if i >= 4 {
		a, b = c.Const(32, 0), c.Const(32, 0)
		for j := range f128Terms {
			a, b = c.Add(a, word(0, i+j)), c.Add(b, word(4, i+j+1))
		}
	}
	return c.Mul(c.Extend(a, 64), c.Extend(b, 64))
}

// sumF128 stores the sums of the products of all blocks. The lanes hold them.
func sumF128(file, name string, step int64, lanes []int) Kernel {
	var dst, key, msg *machine.Object
	loop := &sumLoop{
		lanes: lanes, step: step, sums: 8,
		start: func(c *Case, sum int) term.Term { return c.Const(64, 0) },
		products: func(c *Case, sum int, at, n int64) (all []term.Term) {
			for ; n > 0; at, n = at+f128Block, n-f128Block {
				all = append(all, c.f128Product(key, msg, at, sum))
			}
			return all
		},
	}
	return Kernel{
		File: file, Func: name,
		Claim: "the sum of f_128(key + message) over the blocks of 32 bytes, modulo 2^64",
		Unit:  f128Block, Min: f128Block, Max: 64 << 10, Step: step,
		Setup: func(c *Case) {
			dst, key, msg = Writable(c.Buffer("dst", 64)), c.Bytes("key", c.N), c.Bytes("msg", c.N)
			c.Pointers(dst, key, msg)
			c.Arg(c.N)
			c.MayOverlap(dst, key, msg)
		},
		Spec: func(c *Case, n int64, last bool) {
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
		Advance: func(c *Case) {
			c.Move(key, step)
			c.Move(msg, step)
		},
		Widen: loop.widen,
		Holds: loop.holds,
	}
}
