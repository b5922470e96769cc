// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// One message: the rows a, b, c, d of the working vector v are registers of four
// quadwords, and a half round is four G side by side. Everything waits for
// one chain of instructions, in each half of G
//
//	a += b    d ^= a    d = d rotated    c += d    b ^= c    b = b rotated
//
// and nothing else may stand in it:
//
//   - The message's words are added to a before b is there.
//   - Half of the half rounds work on diagonals, and bring the other rows into b's
//     order: the last of a, d and c are known before the last of b is, and
//     b never moves. A permutation across the register takes 3 cycles, and
//     the three have 5, 4 and 6 until they are needed.
//   - The words that a half round takes from four places are put together from
//     broadcasts, which cost a load, and blends, which any port can do. The
//     processor does it far ahead: no word depends on the chain.
//   - Rotations by whole bytes are shuffles. They take 1 cycle everywhere, which
//     cannot be said of AVX-512's rotations.
//
// The chain is 12 cycles for each G with AVX-512, 13 without: there the rotation
// by 63 is an addition and a shift side by side, then an exclusive or. Two
// G a round, 12 rounds and 2 cycles between blocks make 290 and 314 cycles a block.
// Scalar code has a chain of 12 cycles too, but more than 1344 instructions, which
// take 336 cycles where there are four ports for them.

// Rows is what the rounds of one message take: registers, and the instruction set's
// way to rotate quadwords by 63.
type Rows struct {
	*build.Context
	A, B, C, D         Op
	Rotate24, Rotate16 Op // orders of bytes
	Rotate63           func(r *Rows, b Op)
}

// A MessageVector is four words of the message, which the four G of half a round take.
type MessageVector struct {
	Order int // of Orders, in which the round takes the words
	Index int // of the vector, 0 to 3
	Words [4]int
}

// Orders is how many orders of the message's words there are.
const Orders = len(sigma)

// Vectors returns the vectors of an order.
func Vectors(order int) [4]MessageVector {
	w := sigma[order]
	return [4]MessageVector{
		{order, 0, [4]int{w[0], w[2], w[4], w[6]}},
		{order, 1, [4]int{w[1], w[3], w[5], w[7]}},
		// The diagonal that begins with v3 meets the first quadword of b.
		{order, 2, [4]int{w[14], w[8], w[10], w[12]}},
		{order, 3, [4]int{w[15], w[9], w[11], w[13]}},
	}
}

// Rounds returns all rounds. Words says where a vector is, and the instructions that
// put it there.
func (r *Rows) Rounds(words func(v MessageVector) (amd64.Code, Op)) amd64.Code {
	var out amd64.Code
	for i := range rounds {
		v := Vectors(i % Orders)
		out = append(out, func() { r.Comment(fmt.Sprintf("Round %d.", i)) })
		out = append(out, r.g(words, v[0], v[1])...)
		out = append(out, r.permute(1, 2, 3)...)
		out = append(out, r.g(words, v[2], v[3])...)
		out = append(out, r.permute(3, 2, 1)...)
	}
	return out
}

// g is four G, which take the message's words x, then y.
func (r *Rows) g(words func(v MessageVector) (amd64.Code, Op), x, y MessageVector) amd64.Code {
	out, mx := words(x)
	more, my := words(y)
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

// permute moves the quadwords of c, d and a down by so many places.
func (r *Rows) permute(c, d, a int) amd64.Code {
	places := [4]uint8{0xe4, 0x39, 0x4e, 0x93}
	return amd64.Code{
		func() { r.VPERMQ(U8(places[a]), r.A, r.A) },
		func() { r.VPERMQ(U8(places[d]), r.D, r.D) },
		func() { r.VPERMQ(U8(places[c]), r.C, r.C) },
	}
}

// Finish takes the result of the rounds into the chain value.
func (r *Rows) Finish(h0, h1 Op) amd64.Code {
	return amd64.Code{
		func() { r.VPXOR(r.A, h0, h0) },
		func() { r.VPXOR(r.C, h0, h0) },
		func() { r.VPXOR(r.D, h1, h1) },
		func() { r.VPXOR(r.B, h1, h1) }, // the last to be known
	}
}
