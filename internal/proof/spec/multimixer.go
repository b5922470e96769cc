// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package spec

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// F128Block is the block of Multimixer-128 (ia.cr/2023/1357) in bytes.
const F128Block = 32

// F128Terms is how many terms of x and of y are added in a word of the second half.
var F128Terms = 3

// F128Product returns product i of f_128 for the block at a place: x_i·y_i for the first
// four, and u_i·v_i for the others, where u_i = x_i + x_{i+1} + x_{i+2} and
// v_i = y_{i+1} + y_{i+2} + y_{i+3}, with indices modulo 4.
func F128Product(c *term.Store, key, msg *machine.Object, at int64, i int) term.Term {
	word := func(first int64, i int) term.Term {
		offset := at + 4*(first+int64(i%4))
		return c.Add(key.Load(offset, 4), msg.Load(offset, 4))
	}
	a, b := word(0, i), word(4, i)
	if i >= 4 {
		a, b = c.Const(32, 0), c.Const(32, 0)
		for j := range F128Terms {
			a, b = c.Add(a, word(0, i+j)), c.Add(b, word(4, i+j+1))
		}
	}
	return c.Mul(c.Extend(a, 64), c.Extend(b, 64))
}
