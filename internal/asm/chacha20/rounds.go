// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// Arithmetic emits the instructions of the rounds.
type Arithmetic struct {
	*build.Context
	Xor    func(a, b, to Op)
	Rotate func(x Op, bits uint8) // emits code that rotates words to the left

	// Step, if set, returns custom code for a quarter round's step, or nil.
	Step func(sum, addend, x Op, bits uint8) amd64.Code

	// Add and Shuffle, if set, emit code that replaces VPADDD and VPSHUFD.
	Add     func(x, to Op)
	Shuffle func(order uint8, x Op)
}

// AVX512 returns an Arithmetic that uses AVX-512 F, and VL for shorter vectors.
func AVX512(c *build.Context) Arithmetic {
	return Arithmetic{
		Context: c,
		Xor:     func(a, b, to Op) { c.VPXORD(a, b, to) },
		Rotate:  func(x Op, bits uint8) { c.VPROLD(U8(bits), x, x) },
	}
}

// Steps describes the function into which the rounds are emitted.
type Steps struct {
	Arithmetic
	Memory  GPVirtual          // stack memory, aligned to the vector size
	Initial func(word int) Mem // memory operand of an initial state word other than the counter
	Counter func() Mem         // returns the operand for the 64-bit counter of the next block

	// Loop emits ten double rounds. doubleRound returns new code for each call.
	Loop func(label string, doubleRound func() amd64.Code)
}

func (k *Steps) at(i int) Mem { return Mem{Base: k.Memory, Disp: i} }

func (k *Steps) Count(n int) { k.ADDQ(U8(n), k.Counter()) }

func (k *Arithmetic) add(x, to Op) {
	if k.Add != nil {
		k.Add(x, to)
		return
	}
	k.VPADDD(x, to, to)
}

func (k *Arithmetic) shuffle(order uint8, x Op) {
	if k.Shuffle != nil {
		k.Shuffle(order, x)
		return
	}
	k.VPSHUFD(U8(order), x, x)
}

// quarterRounds returns interleaved quarter rounds on a[i], b[i], c[i] and d[i].
func quarterRounds[R Op](k *Arithmetic, a, b, c, d []R) amd64.Code {
	lists := make([]amd64.Code, len(a))
	for q := range lists {
		step := func(sum, addend, x R, bits uint8) {
			if k.Step != nil {
				if code := k.Step(sum, addend, x, bits); code != nil {
					lists[q] = append(lists[q], code...)
					return
				}
			}
			lists[q] = append(lists[q],
				func() { k.add(addend, sum) },
				func() { k.Xor(sum, x, x) },
				func() { k.Rotate(x, bits) })
		}
		step(a[q], b[q], d[q], 16)
		step(c[q], d[q], b[q], 12)
		step(a[q], b[q], d[q], 8)
		step(c[q], d[q], b[q], 7)
	}
	var out amd64.Code
	for i := range lists[0] {
		for _, list := range lists {
			out = append(out, list[i])
		}
	}
	return out
}

// DoubleRound returns a double round in the wide layout.
func DoubleRound[R Op](k *Arithmetic, x []R) amd64.Code {
	a, b, c, d := x[:4], x[4:8], x[8:12], x[12:]
	return append(quarterRounds(k, a, b, c, d), quarterRounds(k, a, rotated(b, 1), rotated(c, 2), rotated(d, 3))...)
}

func rotated[R any](r []R, n int) []R {
	return append(append([]R{}, r[n:]...), r[:n]...)
}

// Ternary returns a Step for AVX-512 VL that rotates x before the XOR:
//
//	x = x<<<bits XOR sum<<bits XOR sum>>(32-bits)
//
// If rotations take two cycles, this is faster. It overwrites t and u.
func (k *Arithmetic) Ternary(t, u Op) func(sum, addend, x Op, bits uint8) amd64.Code {
	return func(sum, addend, x Op, bits uint8) amd64.Code {
		return amd64.Code{
			func() { k.VPROLD(U8(bits), x, x) },
			func() { k.VPADDD(addend, sum, sum) },
			func() { k.VPSLLD(U8(bits), sum, t) },
			func() { k.VPSRLD(U8(32-bits), sum, u) },
			func() { k.VPTERNLOGD(U8(0x96), t, u, x) },
		}
	}
}

// VPSHUFD controls. For example, rotate1 moves word 1 to position 0.
const (
	rotate1 = 0x39
	rotate2 = 0x4e
	rotate3 = 0x93
)

// NarrowDoubleRound returns a double round in the narrow layout.
func NarrowDoubleRound[R Op](k *Arithmetic, a, b, c, d []R) amd64.Code {
	rotate := func(x []R, order uint8) (out amd64.Code) {
		for _, r := range x {
			out = append(out, func() { k.shuffle(order, r) })
		}
		return out
	}
	var out amd64.Code
	for _, orders := range [2][3]uint8{{rotate3, rotate2, rotate1}, {rotate1, rotate2, rotate3}} {
		out = append(out, quarterRounds(k, a, b, c, d)...)
		// To form the diagonals, rotate every row except b, which is computed last.
		out = append(out, rotate(a, orders[0])...)
		out = append(out, rotate(d, orders[1])...)
		out = append(out, rotate(c, orders[2])...)
	}
	return out
}

// TransposeWords returns code that transposes 4 x 4 words in each 128-bit lane.
func TransposeWords[R Op](c *build.Context, r []R, free [2]R) (code amd64.Code, out [4]R, spare [2]R) {
	// The code overwrites all six registers in r and free.
	low01, low23, high01, high23 := free[0], free[1], r[0], r[2]
	// out[j] will hold word j of r[0], r[1], r[2] and r[3].
	out = [4]R{r[1], low01, r[3], high01}
	return amd64.Code{
		func() { c.VPUNPCKLDQ(r[1], r[0], low01) },
		func() { c.VPUNPCKHDQ(r[1], r[0], high01) },
		func() { c.VPUNPCKLDQ(r[3], r[2], low23) },
		func() { c.VPUNPCKHDQ(r[3], r[2], high23) },
		func() { c.VPUNPCKLQDQ(low23, low01, out[0]) },
		func() { c.VPUNPCKHQDQ(low23, low01, out[1]) },
		func() { c.VPUNPCKLQDQ(high23, high01, out[2]) },
		func() { c.VPUNPCKHQDQ(high23, high01, out[3]) },
	}, out, [2]R{high23, low23} // the two registers that are not in out
}
