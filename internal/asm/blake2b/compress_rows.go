// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// A kernel for one message keeps each row (a, b, c and d) in one register. It computes
// G (RFC 7693) on all columns, and then on all diagonals:
//
//	a += b    d ^= a    d = d rotated    c += d    b ^= c    b = b rotated
//
// The latency of G's dependency chain limits the speed, so the kernel keeps all other
// work off the chain:
//
//   - It gathers message words, and adds them to row a, before row b is ready.
//   - It permutes rows a, c and d to form the diagonals, but not row b. G computes row
//     b last, so permuting row b would lengthen the chain.
//   - It rotates by whole bytes with shuffles, which take one cycle on every processor.

// Rows contains the registers of one message.
type Rows struct {
	*build.Context
	A, B, C, D         Op
	Rotate24, Rotate16 Op // VPSHUFB controls
	Rotate63           func(r *Rows, b Op)
}

// A MessageVector contains one message word for each G in half a round.
type MessageVector struct {
	Order int // number of the order of message words, less than Orders
	Index int // number of the vector in the order, 0 to 3
	Words [4]int
}

// Orders is the number of different message word orders.
const Orders = len(sigma)

// Vectors returns the four vectors of a round's order.
func Vectors(order int) [4]MessageVector {
	w := sigma[order]
	return [4]MessageVector{
		{order, 0, [4]int{w[0], w[2], w[4], w[6]}},
		{order, 1, [4]int{w[1], w[3], w[5], w[7]}},
		// The first diagonal contains v4, because row b is not permuted.
		{order, 2, [4]int{w[14], w[8], w[10], w[12]}},
		{order, 3, [4]int{w[15], w[9], w[11], w[13]}},
	}
}

// Rounds returns the code for all rounds.
func (r *Rows) Rounds(load func(v MessageVector) (amd64.Code, Op)) amd64.Code {
	var out amd64.Code
	for i := range rounds {
		v := Vectors(i % Orders)
		out = append(out, func() { r.Comment(fmt.Sprintf("Round %d.", i)) })
		out = append(out, r.g(load, v[0], v[1])...)
		out = append(out, r.permute(1, 2, 3)...)
		out = append(out, r.g(load, v[2], v[3])...)
		out = append(out, r.permute(3, 2, 1)...)
	}
	return out
}

func (r *Rows) g(load func(v MessageVector) (amd64.Code, Op), x, y MessageVector) amd64.Code {
	// load must return code that loads a vector, and then the vector's operand.
	out, mx := load(x)
	more, my := load(y)
	out = append(out, more...)
	return append(out,
		func() { r.VPADDQ(mx, r.A, r.A) },
		func() { r.VPADDQ(r.B, r.A, r.A) },
		func() { r.VPXOR(r.A, r.D, r.D) },
		func() { r.VPADDQ(my, r.A, r.A) },
		func() { r.VPSHUFD(U8(0xb1), r.D, r.D) },
		func() { r.VPADDQ(r.D, r.C, r.C) },
		func() { r.VPXOR(r.C, r.B, r.B) },
		func() { r.VPSHUFB(r.Rotate24, r.B, r.B) },
		func() { r.VPADDQ(r.B, r.A, r.A) },
		func() { r.VPXOR(r.A, r.D, r.D) },
		func() { r.VPSHUFB(r.Rotate16, r.D, r.D) },
		func() { r.VPADDQ(r.D, r.C, r.C) },
		func() { r.VPXOR(r.C, r.B, r.B) },
		func() { r.Rotate63(r, r.B) })
}

func (r *Rows) permute(c, d, a int) amd64.Code {
	places := [4]uint8{0xe4, 0x39, 0x4e, 0x93}
	return amd64.Code{
		func() { r.VPERMQ(U8(places[a]), r.A, r.A) },
		func() { r.VPERMQ(U8(places[d]), r.D, r.D) },
		func() { r.VPERMQ(U8(places[c]), r.C, r.C) },
	}
}

// Finish returns code that XORs the result into the chain value.
func (r *Rows) Finish(h0, h1 Op) amd64.Code {
	return amd64.Code{
		func() { r.VPXOR(r.A, h0, h0) },
		func() { r.VPXOR(r.C, h0, h0) },
		func() { r.VPXOR(r.D, h1, h1) },
		func() { r.VPXOR(r.B, h1, h1) }, // last, because B is computed last
	}
}
