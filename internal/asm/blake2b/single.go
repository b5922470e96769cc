// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

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

// generateAVX2 and generateAVX512 write the kernels for one message.
func generateAVX2(f *amd64.File, c *constants) {
	generateSingle(f, c, "compressAVX2", "AVX2", func(s *single, b reg.VecVirtual) {
		twice := s.YMM()
		s.VPADDQ(b, b, twice)
		s.VPSRLQ(operand.U8(63), b, b)
		s.VPXOR(twice, b, b)
	})
}

func generateAVX512(f *amd64.File, c *constants) {
	generateSingle(f, c, "compressAVX512", "AVX-512 F and VL", func(s *single, b reg.VecVirtual) {
		s.VPRORQ(operand.U8(63), b, b)
	})
}

// A single is what the generator of a kernel for one message works with.
type single struct {
	*build.Context
	message            operand.Mem
	a, b, c, d         reg.VecVirtual
	rotate24, rotate16 reg.VecVirtual
	rotate63           func(s *single, b reg.VecVirtual)
}

func generateSingle(f *amd64.File, c *constants, name, set string, rotate63 func(*single, reg.VecVirtual)) {
	f.Function(name, "func(h *[8]uint64, blocks *byte, n int, t uint64, f uint64)",
		fmt.Sprintf("%s takes n bytes, whole blocks and at least one, into h, for %s.", name, set),
		"Before them come t bytes; f is all ones for the message's last block.")
	s := &single{Context: f.Context, rotate63: rotate63}
	h := operand.Mem{Base: s.Load(s.Param("h"), s.GP64())}
	blocks := s.Load(s.Param("blocks"), s.GP64())
	s.message = operand.Mem{Base: blocks}
	n := s.Load(s.Param("n"), s.GP64())

	// t, 0, f, 0. A load of both arguments at once would have to wait until they
	// have left the processor's store buffer, and one of half of h as well.
	count := s.YMM()
	final := s.YMM()
	zero := s.YMM()
	s.VPBROADCASTQ(s.argument("t"), count)
	s.VPBROADCASTQ(s.argument("f"), final)
	s.VPXOR(zero, zero, zero)
	s.VPBLENDD(operand.U8(0x30), final, count, count)
	s.VPBLENDD(operand.U8(0xcc), zero, count, count)
	h0, h1 := s.YMM(), s.YMM()
	for i, half := range []reg.VecVirtual{h0, h1} {
		s.VMOVDQU(h.Offset(32*i), half.AsX())
		s.VINSERTI128(operand.U8(1), h.Offset(32*i+16), half, half)
	}

	s.rotate24, s.rotate16 = s.YMM(), s.YMM()
	s.VMOVDQU(c.rotate24, s.rotate24)
	s.VMOVDQU(c.rotate16, s.rotate16)

	s.Label("block")
	s.VPADDQ(c.step, count, count)
	s.a, s.b, s.c, s.d = s.YMM(), s.YMM(), s.YMM(), s.YMM()
	s.VPXOR(c.iv.Offset(32), count, s.d)
	s.VMOVDQU(c.iv, s.c)
	s.VMOVDQA(h0, s.a)
	s.VMOVDQA(h1, s.b)
	for r := range rounds {
		w := sigma[r%len(sigma)]
		s.Comment(fmt.Sprintf("Round %d.", r))
		s.g([4]int{w[0], w[2], w[4], w[6]}, [4]int{w[1], w[3], w[5], w[7]})
		s.permute(1, 2, 3)
		// The diagonal that begins with v3 meets the first quadword of b.
		s.g([4]int{w[14], w[8], w[10], w[12]}, [4]int{w[15], w[9], w[11], w[13]})
		s.permute(3, 2, 1)
	}
	s.VPXOR(s.a, h0, h0)
	s.VPXOR(s.c, h0, h0)
	s.VPXOR(s.d, h1, h1)
	s.VPXOR(s.b, h1, h1) // the last to be known
	s.ADDQ(operand.I32(block), blocks)
	s.SUBQ(operand.I32(block), n)
	s.JNZ(operand.LabelRef("block"))

	s.VMOVDQU(h0, h)
	s.VMOVDQU(h1, h.Offset(32))
	s.VZEROUPPER()
	s.RET()
}

// argument is the memory of an argument of the function.
func (s *single) argument(name string) operand.Mem {
	basic, err := s.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// g is four G, which take the message's words x, then y.
func (s *single) g(x, y [4]int) {
	mx, my := s.words(x), s.words(y)
	s.VPADDQ(mx, s.a, s.a)
	s.VPADDQ(s.b, s.a, s.a)
	s.VPXOR(s.a, s.d, s.d)
	s.VPADDQ(my, s.a, s.a)
	s.VPSHUFD(operand.U8(0xb1), s.d, s.d)
	s.VPADDQ(s.d, s.c, s.c)
	s.VPXOR(s.c, s.b, s.b)
	s.VPSHUFB(s.rotate24, s.b, s.b)
	s.VPADDQ(s.b, s.a, s.a)
	s.VPXOR(s.a, s.d, s.d)
	s.VPSHUFB(s.rotate16, s.d, s.d)
	s.VPADDQ(s.d, s.c, s.c)
	s.VPXOR(s.c, s.b, s.b)
	s.rotate63(s, s.b)
}

// words puts four words of the message together.
func (s *single) words(w [4]int) reg.VecVirtual {
	var r [4]reg.VecVirtual
	for i := range r {
		r[i] = s.YMM()
		s.VPBROADCASTQ(s.message.Offset(8*w[i]), r[i])
	}
	s.VPBLENDD(operand.U8(0x0c), r[1], r[0], r[0])
	s.VPBLENDD(operand.U8(0xc0), r[3], r[2], r[2])
	s.VPBLENDD(operand.U8(0xf0), r[2], r[0], r[0])
	return r[0]
}

// permute moves the quadwords of c, d and a down by so many places.
func (s *single) permute(c, d, a int) {
	places := [4]uint8{0xe4, 0x39, 0x4e, 0x93}
	s.VPERMQ(operand.U8(places[a]), s.a, s.a)
	s.VPERMQ(operand.U8(places[d]), s.d, s.d)
	s.VPERMQ(operand.U8(places[c]), s.c, s.c)
}
