// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// The scalar kernel for one message runs on every amd64 processor. Only 15 general
// registers are available for the 16 words of v, so row c, the words v8 to v11, is kept
// in memory. G uses row c later than the other rows, so loads of row c come long after
// the stores of the previous G.
//
// The kernel interleaves only two Gs, because there are not enough registers for more.

func generateAMD64(f *amd64.File, c *Constants) {
	f.Function("compressAMD64", "func(h *[8]uint64, blocks *byte, n int, t uint64, f uint64)",
		"compressAMD64 compresses n bytes, which must be one or more whole blocks, into h. It runs on",
		"every amd64 processor. t is the number of bytes before the blocks; f must be all ones for the",
		"message's last block and otherwise 0.")
	inMemory, t, n := f.AllocLocal(4*8), f.AllocLocal(8), f.AllocLocal(8)
	s := NewScalar(f.Context, c, Mem{Base: RSI}, inMemory)
	f.Load(f.Param("blocks"), RSI)
	f.MOVQ(amd64.Argument(f.Context, "t"), RAX)
	f.MOVQ(RAX, t)
	f.MOVQ(amd64.Argument(f.Context, "n"), RAX)
	f.MOVQ(RAX, n)

	f.Label("block")
	s.Begin(amd64.Argument(f.Context, "h"), t)
	f.XORQ(amd64.Argument(f.Context, "f"), s.v[14])
	for i := range rounds {
		s.Round(i).Write()
	}
	s.Finish(amd64.Argument(f.Context, "h"))
	f.ADDQ(I32(block), RSI)
	f.SUBQ(U32(block), n)
	f.JNZ(LabelRef("block"))
	f.RET()
}

// A Scalar computes one message in all general registers except RSI.
type Scalar struct {
	*build.Context
	constants *Constants
	message   Mem
	v         [16]Op
	spare     [2]GPPhysical // registers for c
}

const Rounds = rounds

// NewScalar returns a generator for one block. Row c is kept at inMemory.
func NewScalar(c *build.Context, constants *Constants, message, inMemory Mem) *Scalar {
	return &Scalar{c, constants, message, [16]Op{
		RAX, RBX, RCX, RDX, // a
		RDI, RBP, R8, R9, // b
		inMemory, inMemory.Offset(8), inMemory.Offset(16), inMemory.Offset(24), // c
		R10, R11, R12, R13, // d
	}, [2]GPPhysical{R14, R15}}
}

// Begin emits code that initializes the state for the next block.
func (s *Scalar) Begin(h, t Mem) {
	s.ADDQ(U32(block), t) // the byte counter of RFC 7693
	s.Comment("Initialize v with the chain value, the IV and t.")
	s.MOVQ(h, s.spare[0]) // h must hold the address of the chain value
	for i := range 8 {
		s.MOVQ(Mem{Base: s.spare[0], Disp: 8 * i}, s.v[i])
	}
	for i := range 4 {
		s.MOVQ(s.constants.IV.Offset(8*i), s.spare[1])
		s.MOVQ(s.spare[1], s.v[8+i])
		s.MOVQ(s.constants.IV.Offset(32+8*i), s.v[12+i])
	}
	s.XORQ(t, s.v[12])
}

func (s *Scalar) Finish(h Mem) {
	s.Comment("Add the result to the chain value.")
	s.MOVQ(h, s.spare[0])
	for i := range 4 {
		s.XORQ(s.v[8+i], s.v[i])
		s.XORQ(s.v[12+i], s.v[4+i])
	}
	for i := range 8 {
		s.XORQ(s.v[i], Mem{Base: s.spare[0], Disp: 8 * i})
	}
}

func (s *Scalar) Round(i int) amd64.Code {
	m := sigma[i%len(sigma)]
	out := amd64.Code{func() { s.Comment(fmt.Sprintf("Round %d.", i)) }}
	out = append(out, s.pair([4]int{0, 4, 8, 12}, [4]int{1, 5, 9, 13}, m[0:4], i == 0, true)...)
	out = append(out, s.pair([4]int{2, 6, 10, 14}, [4]int{3, 7, 11, 15}, m[4:8], true, false)...)
	out = append(out, s.pair([4]int{0, 5, 10, 15}, [4]int{1, 6, 11, 12}, m[8:12], false, true)...)
	return append(out, s.pair([4]int{2, 7, 8, 13}, [4]int{3, 4, 9, 14}, m[12:16], true, i == rounds-1)...)
}

// pair returns two interleaved Gs, which optionally load and store row c.
func (s *Scalar) pair(first, second [4]int, words []int, load, store bool) (out amd64.Code) {
	one, two := s.g(first, words[0], words[1], s.spare[0], load, store), s.g(second, words[2], words[3], s.spare[1], load, store)
	for i := range one {
		out = append(out, one[i], two[i])
	}
	return out
}

func (s *Scalar) g(index [4]int, x, y int, c Op, load, store bool) amd64.Code {
	a, b, inMemory, d := s.v[index[0]], s.v[index[1]], s.v[index[2]], s.v[index[3]]
	out := amd64.Code{
		func() { s.ADDQ(s.message.Offset(8*x), a) },
		func() { s.ADDQ(b, a) },
		func() { s.XORQ(a, d) },
		func() { s.RORQ(U8(32), d) },
	}
	if load {
		out = append(out, func() { s.MOVQ(inMemory, c) })
	}
	out = append(out,
		func() { s.ADDQ(d, c) },
		func() { s.XORQ(c, b) },
		func() { s.RORQ(U8(24), b) },
		func() { s.ADDQ(s.message.Offset(8*y), a) },
		func() { s.ADDQ(b, a) },
		func() { s.XORQ(a, d) },
		func() { s.RORQ(U8(16), d) },
		func() { s.ADDQ(d, c) })
	if store {
		out = append(out, func() { s.MOVQ(c, inMemory) })
	}
	return append(out,
		func() { s.XORQ(c, b) },
		func() { s.RORQ(U8(63), b) })
}
