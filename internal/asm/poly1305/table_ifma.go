// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// The kernel for AVX-512 IFMA holds a number in each lane as three limbs at 2^0,
// 2^52 and 2^104, the units of VPMADD52LUQ and VPMADD52HUQ: what one of them
// leaves out of a product for the limb above, the other adds there, so that the
// two halves of products meet without a shift. These instructions ignore all but
// the low 52 bits of their factors, so that a limb whose upper bits were carried
// need not be cleared of them.
//
// To multiply x by y, the three limbs of x are multiplied by three numbers,
//
//	x·y = x0·y + x1·(y·2^52 mod p) + x2·(y·2^104 mod p)
//
// so that little lies above 2^156, and x2 may have 52 bits too and need not be cut
// to 26. Each of the three numbers stands in the table as limbs A, B and D. In
// sums over the limbs x of the factors:
//
//	L0 = low(x·A)                at 2^0
//	L1 = low(x·B) + high(x·A)    at 2^52
//	L2 = low(x·D) + high(x·B)    at 2^104
//	L3 = high(x·D)               at 2^156, or 5·2^26 at 2^0
//
// Two products share the sums and the carries after them: 16 blocks take
//
//	h = h·r^16 + (blocks 1 to 8)·r^8 + (blocks 9 to 16)
//
// in each lane. Only the first product waits for the h before.
//
// Why nothing overflows. Of the table, A and B are below 2^52 and D below
// 1.25·2^26, as y is below 1.25·2^130. Of the factors, the limbs of blocks are
// below 2^52, 2^52 and 2^25, those of h below 2^52 (for h0 and h1 the low 52 bits
// count). With six products, three of each factor, and a block in each sum
//
//	L0 < 7·2^52    L1 < 13·2^52    L2 < 13·2^52    L3 < 6.25·2^26
//
// so L3 is a factor below 2^52 itself, and 5·2^26·L3 adds less than 2^52 to L0 and
// less than 2^7 to L1. What L2 has above 2^51, less than 26, is worth 5·2^25 each
// in L0, less than 2^33. Then the carry from L0 to L1 is below 2^4, and that from
// L1 to L2 too; L2 was cut to 51 bits and stays below 2^52, as a factor must.
//
// The proof has these bounds of the code itself, and they hold with room: L1, the
// largest sum, is below 2^55.6, L3 below 2^28.4, the limb h2 not more than some
// carries above 2^51, and powers could be 2^9 times as large.
//
// What limits the speed is the two ports that take 512-bit instructions: 256 bytes
// need 35 multiplications, 10 instructions to cut blocks into limbs and 9 to
// reduce, 54 in all, so 27 cycles. The chain from h to h
// takes some 20 of them.
const (
	lanes = 8

	// The units of L3 and of what is above 2^51 in L2, modulo p.
	unit156 = 5 << 26
	unit155 = 5 << 25

	// tableWords is how many words the powers of the lanes take in the table: nine
	// vectors. The nine words of r^16 follow.
	tableWords = 9 * lanes
)

// ifma is what writes the kernel's code.
type ifma struct {
	*build.Context
	mask52, mask51   VecVirtual
	one              VecVirtual // 1 in each lane
	unit156, unit155 VecVirtual
}

// A number is three limbs.
type number [3]VecVirtual

// A Table gives limb j (0: A, 1: B, 2: D) of y·2^52i, in memory, and whether it is
// a word to broadcast.
type Table struct {
	Base      Mem
	Stride    int
	Broadcast bool
}

func (t Table) limb(i, j int) Mem { return t.Base.Offset(t.Stride * (3*i + j)) }

// Sums are L0 to L3, the low and the high halves apart: so the chains of additions
// are shorter.
type Sums[V Op] struct{ L0, L1, H1, L2, H2, H3 V }

// Multiply returns the code that adds x·y. Of blocks, x2 is below 2^25, and its product with D has no
// upper half.
func (s *Sums[V]) Multiply(c *build.Context, x [3]V, y Table, blocks bool) (code amd64.Code) {
	low, high := c.VPMADD52LUQ, c.VPMADD52HUQ
	if y.Broadcast {
		low, high = c.VPMADD52LUQ_BCST, c.VPMADD52HUQ_BCST
	}
	for i, x := range x {
		code = append(code,
			func() { low(y.limb(i, 0), x, s.L0) },
			func() { high(y.limb(i, 0), x, s.H1) },
			func() { low(y.limb(i, 1), x, s.L1) },
			func() { high(y.limb(i, 1), x, s.H2) },
			func() { low(y.limb(i, 2), x, s.L2) })
		if !blocks || i < 2 {
			code = append(code, func() { high(y.limb(i, 2), x, s.H3) })
		}
	}
	return code
}

func generateIFMA(f *amd64.File) {
	generateTableIFMA(f)
	generateMoreTableIFMA(f)
	generateBlocksIFMA(f)
}

// mask sets mask52, and returns a vector of ones.
func (k *ifma) mask() (ones VecVirtual) {
	ones = k.ZMM()
	k.mask52 = k.ZMM()
	k.VPTERNLOGD(U8(0xff), ones, ones, ones)
	k.VPSRLQ(U8(64-52), ones, k.mask52)
	return ones
}

// broadcast returns a vector of a small number.
func (k *ifma) broadcast(n int) VecVirtual {
	word, v := k.GP64(), k.ZMM()
	k.MOVQ(U32(n), word)
	k.VPBROADCASTQ(word, v)
	return v
}

// split returns the limbs of the numbers of 128 bits in lo and hi with a limb
// top, of 12 bits or less, at 2^128. Only the low 52 bits of the first two count.
func (k *ifma) split(lo, hi, top VecVirtual) number {
	x1, x2 := k.ZMM(), k.ZMM()
	k.VPSHRDQ(U8(52), hi, lo, x1)
	k.VPSHRDQ(U8(104-64), top, hi, x2)
	return number{lo, x1, x2}
}

// cut clears all but the low 52 bits of the lower limbs.
func (k *ifma) cut(x number) {
	k.VPANDQ(k.mask52, x[0], x[0])
	k.VPANDQ(k.mask52, x[1], x[1])
}

// begin returns sums that begin with a number.
func (k *ifma) begin(x number) *Sums[VecVirtual] {
	s := &Sums[VecVirtual]{L0: x[0], L1: x[1], H1: k.ZMM(), L2: x[2], H2: k.ZMM(), H3: k.ZMM()}
	for _, v := range []VecVirtual{s.H1, s.H2, s.H3} {
		k.VPXORQ(v, v, v)
	}
	return s
}

// reduce returns the number that the sums make: x0 and x1 with bits above 2^52
// that count for nothing, as they are in the limb above.
func (k *ifma) reduce(s *Sums[VecVirtual]) number {
	over := k.ZMM()
	k.VPADDQ(s.H2, s.L2, s.L2)
	k.VPSRLQ(U8(51), s.L2, over)
	k.VPANDQ(k.mask51, s.L2, s.L2)
	k.VPMADD52LUQ(k.unit156, s.H3, s.L0)
	k.VPMADD52HUQ(k.unit156, s.H3, s.H1)
	k.VPMADD52LUQ(k.unit155, over, s.L0)
	k.VPADDQ(s.H1, s.L1, s.L1)
	x := number{s.L0, s.L1, s.L2}
	k.carry(x)
	return x
}

// carry adds the bits above 2^52 of the lower limbs to the limb above.
func (k *ifma) carry(x number) {
	for i := range 2 {
		c := k.ZMM()
		k.VPSRLQ(U8(52), x[i], c)
		k.VPADDQ(c, x[i+1], x[i+1])
	}
}

// generateTableIFMA writes the function that makes the table.
func generateTableIFMA(f *amd64.File) {
	f.Function("tableAVX512IFMA", "func(table, powers *uint64)",
		"tableAVX512IFMA makes the table of blocksAVX512IFMA: nine vectors for the numbers whose",
		"limbs at 2^0, 2^64 and 2^128 are words 0, 9 and 18 of powers and the seven",
		"after each, then nine words for that of words 8, 17 and 26.")
	k := &ifma{Context: f.Context}
	to, from := Mem{Base: amd64.Load(k.Context, "table")}, Mem{Base: amd64.Load(k.Context, "powers")}
	k.mask()
	mask26 := k.ZMM()
	k.VPSRLQ(U8(52-26), k.mask52, mask26)
	for _, part := range []struct {
		comment string
		in, out Mem
		load    func(...Op)
		store   func(v VecVirtual, to Mem)
		stride  int
	}{
		{"The powers of the lanes.", from, to, k.VMOVDQU64, func(v VecVirtual, to Mem) { k.VMOVDQU64(v, to) }, 8 * lanes},
		{"The power of both steps.", from.Offset(8 * lanes), to.Offset(8 * tableWords), k.VPBROADCASTQ,
			func(v VecVirtual, to Mem) { k.VMOVQ(v.AsX(), to) }, 8},
	} {
		k.Comment(part.comment)
		var words number
		for i := range words {
			words[i] = k.ZMM()
			part.load(part.in.Offset(8*9*i), words[i])
		}
		k.shifted(words, mask26, func(i, j int, v VecVirtual) { part.store(v, part.out.Offset(part.stride*(3*i+j))) })
	}
	k.VZEROUPPER()
	k.RET()
}

// shifted stores the limbs of y, y·2^52 and y·2^104, where y is in words.
func (k *ifma) shifted(words number, mask26 VecVirtual, store func(i, j int, v VecVirtual)) {
	y := k.split(words[0], words[1], words[2])
	k.cut(y)
	for i := range 3 {
		if i > 0 {
			k.Comment("Times 2^52: the limbs move up, and 5 times what is above 2^130 comes in below.")
			over, next := k.ZMM(), number{k.ZMM(), k.ZMM(), k.ZMM()}
			k.VPSRLQ(U8(26), y[1], over)
			k.VPSLLQ(U8(26), y[2], next[0])
			k.VPADDQ(next[0], over, over)
			k.VPSLLQ(U8(2), over, next[0])
			k.VPADDQ(over, next[0], next[0])
			k.VMOVDQA64(y[0], next[1])
			k.VPANDQ(mask26, y[1], next[2])
			k.carry(next)
			k.cut(next)
			y = next
		}
		for j, v := range y {
			store(i, j, v)
		}
	}
}

// moreTable is where the table goes on with the words of more powers, in bytes: each word of
// the one next to that of the other.
const moreTable = 8 * (tableWords + 9)

// generateMoreTableIFMA writes the function that makes the rest of a table.
func generateMoreTableIFMA(f *amd64.File) {
	f.Function("moreTableAVX512IFMA", "func(table, powers *uint64)",
		"moreTableAVX512IFMA adds the powers that morePowersAMD64 stores to a table: nine times the",
		"words of both.")
	k := &ifma{Context: f.Context}
	to, from := Mem{Base: amd64.Load(k.Context, "table")}, Mem{Base: amd64.Load(k.Context, "powers")}
	k.mask()
	mask26 := k.ZMM()
	k.VPSRLQ(U8(52-26), k.mask52, mask26)
	var words number
	for i := range words {
		words[i] = k.ZMM()
		k.VMOVDQU64(from.Offset(morePowers+8*len(moreOrder)*i), words[i].AsX())
	}
	k.shifted(words, mask26, func(i, j int, v VecVirtual) {
		k.VMOVDQU64(v.AsX(), to.Offset(moreTable+8*len(moreOrder)*(3*i+j)))
	})
	k.VZEROUPPER()
	k.RET()
}
