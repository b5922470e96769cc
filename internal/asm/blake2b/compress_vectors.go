// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

func generateAVX2(f *amd64.File, c *Constants) {
	generateSingle(f, c, "compressAVX2", "AVX2", func(s *Rows, b Op) {
		twice := s.YMM()
		s.VPADDQ(b, b, twice)
		s.VPSRLQ(U8(63), b, b)
		s.VPXOR(twice, b, b)
	})
}

func generateAVX512(f *amd64.File, c *Constants) {
	generateSingle(f, c, "compressAVX512", "AVX-512 F and VL", func(s *Rows, b Op) {
		s.VPRORQ(U8(63), b, b)
	})
}

type single struct {
	*Rows
	message Mem
}

func generateSingle(f *amd64.File, c *Constants, name, set string, rotate63 func(*Rows, Op)) {
	f.Function(name, "func(h *[8]uint64, blocks *byte, n int, t uint64, f uint64)",
		fmt.Sprintf("%s compresses n bytes, which must be one or more whole blocks, into h, for %s.", name, set),
		"t is the number of bytes before the blocks; f must be all ones for the message's last block",
		"and otherwise 0.")
	s := &single{Rows: &Rows{Context: f.Context, Rotate63: rotate63}}
	h := Mem{Base: amd64.Load(s.Context, "h")}
	blocks := amd64.Load(s.Context, "blocks")
	s.message = Mem{Base: blocks}
	n := amd64.Load(s.Context, "n")

	// The caller has just stored these values, so wider loads would stall.
	count := s.YMM()
	final := s.YMM()
	zero := s.YMM()
	s.VPBROADCASTQ(amd64.Argument(s.Context, "t"), count)
	s.VPBROADCASTQ(amd64.Argument(s.Context, "f"), final)
	s.VPXOR(zero, zero, zero)
	s.VPBLENDD(U8(0x30), final, count, count)
	s.VPBLENDD(U8(0xcc), zero, count, count)
	h0, h1 := s.YMM(), s.YMM()
	for i, half := range []VecVirtual{h0, h1} {
		s.VMOVDQU(h.Offset(32*i), half.AsX())
		s.VINSERTI128(U8(1), h.Offset(32*i+16), half, half)
	}

	s.Rotate24, s.Rotate16 = s.YMM(), s.YMM()
	s.VMOVDQU(c.Rotate24, s.Rotate24)
	s.VMOVDQU(c.Rotate16, s.Rotate16)

	s.Label("block")
	s.VPADDQ(c.Step, count, count)
	s.A, s.B, s.C, s.D = s.YMM(), s.YMM(), s.YMM(), s.YMM()
	s.VPXOR(c.IV.Offset(32), count, s.D)
	s.VMOVDQU(c.IV, s.C)
	s.VMOVDQA(h0, s.A)
	s.VMOVDQA(h1, s.B)
	s.Rounds(func(v MessageVector) (amd64.Code, Op) { return s.words(v.Words) }).Write()
	s.Finish(h0, h1).Write()
	s.ADDQ(I32(block), blocks)
	s.SUBQ(I32(block), n)
	s.JNZ(LabelRef("block"))

	s.VMOVDQU(h0, h)
	s.VMOVDQU(h1, h.Offset(32))
	s.VZEROUPPER()
	s.RET()
}

func (s *single) words(w [4]int) (instructions amd64.Code, sum VecVirtual) {
	var r [4]VecVirtual
	for i := range r {
		r[i] = s.YMM()
		instructions = append(instructions, func() { s.VPBROADCASTQ(s.message.Offset(8*w[i]), r[i]) })
	}
	return append(instructions,
		func() { s.VPBLENDD(U8(0x0c), r[1], r[0], r[0]) },
		func() { s.VPBLENDD(U8(0xc0), r[3], r[2], r[2]) },
		func() { s.VPBLENDD(U8(0xf0), r[2], r[0], r[0]) }), r[0]
}
