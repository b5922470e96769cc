// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/poly1305"
)

// A scalar generates the Poly1305 kernel for general registers.
type scalar struct {
	*build.Context
	r0, r1, q GPVirtual // the words of r, and 5·r1/4
}

// A Word is a general register, virtual or physical.
type Word interface {
	Register
	GP
}

// Words contains the registers of a number, the lowest word first.
type Words [3]Word

func (k *scalar) words() Words { return Words{k.GP64(), k.GP64(), k.GP64()} }

func (k *scalar) load(x Words, at func(i int) Mem) {
	for i := range x {
		k.MOVQ(at(i), x[i])
	}
}

func (k *scalar) store(x Words, at func(i int) Mem) {
	for i := range x {
		k.MOVQ(x[i], at(i))
	}
}

func generateScalar(f *amd64.File) {
	generateBlocks(f)
	generatePowers(f)
	generateMorePowers(f)
}

func (k *scalar) loadR(r Mem) {
	k.r0, k.r1, k.q = k.GP64(), k.GP64(), k.GP64()
	LoadR(k.Context, r, k.r0, k.r1, k.q)
}

// LoadR emits code that loads the two words of r into r0 and r1, and sets q to 5·r1/4.
// The upper word of r must be a multiple of 4 so that the division is exact.
func LoadR(c *build.Context, r Mem, r0, r1, q Word) {
	c.MOVQ(r, r0)
	c.MOVQ(r.Offset(8), r1)
	FiveQuarters(c, r1, q)
}

func FiveQuarters(c *build.Context, r1, q Word) {
	c.MOVQ(r1, q)
	c.SHRQ(U8(2), q)
	c.ADDQ(r1, q)
}

func (k *scalar) product(a, b Op, hi, lo GPVirtual) {
	k.MOVQ(a, RAX)
	k.MULQ(b)
	k.MOVQ(RAX, lo)
	k.MOVQ(RDX, hi)
}

func (k *scalar) addProduct(a, b Op, hi, lo GPVirtual) {
	k.MOVQ(a, RAX)
	k.MULQ(b)
	k.ADDQ(RAX, lo)
	k.ADCQ(RDX, hi)
}

// multiply emits code that sets h to h·r + block, partially reduced.
func (k *scalar) multiply(h Words, block *Mem) {
	// If block is nil, h becomes h·r. For bounds, see multiply in internal/poly1305.
	lo0, hi0, lo1, hi1, t := k.GP64(), k.GP64(), k.GP64(), k.GP64(), k.GP64()
	k.product(k.r0, h[0], hi0, lo0)
	if block != nil {
		k.ADDQ(*block, lo0)
		k.ADCQ(U8(0), hi0)
	}
	k.product(k.r1, h[0], hi1, lo1)
	if block != nil {
		k.ADDQ(block.Offset(8), lo1)
		k.ADCQ(U8(1), hi1)
	}
	k.addProduct(k.q, h[1], hi0, lo0)
	k.addProduct(k.r0, h[1], hi1, lo1)
	k.MOVQ(k.q, t)
	k.IMULQ(h[2], t)
	k.IMULQ(k.r0, h[2])
	// After Fold, h[2] is at most 6: at most 3 plus three carries.
	Product{h, lo0, hi0, lo1, hi1, t, k.GP64()}.Fold(k.Context, block != nil)
}

// A Product lists the registers that hold a product with this value:
//
//	Lo0 + (Hi0 + Lo1 + Rest)·2^64 + (Hi1 + H[2])·2^128
type Product struct {
	H                              Words
	Lo0, Hi0, Lo1, Hi1, Rest, Over Word
}

// Fold emits code that stores the product in H, partially reduced.
func (p Product) Fold(c *build.Context, lateCarries bool) {
	if lateCarries {
		// Reducing H[2] before the carries out of Lo1 shortens the dependency chain.
		c.ADDQ(p.Hi1, p.H[2])
		p.H.Five(c, p.Over)
		c.ADDQ(p.Hi0, p.Lo1)
		c.ADCQ(U8(0), p.H[2])
		c.ADDQ(p.Rest, p.Lo1)
		c.ADCQ(U8(0), p.H[2])
	} else {
		c.ADDQ(p.Rest, p.Lo1)
		c.ADCQ(p.Hi1, p.H[2])
		c.ADDQ(p.Hi0, p.Lo1)
		c.ADCQ(U8(0), p.H[2])
		p.H.Five(c, p.Over)
	}
	for i, lo := range []Word{p.Lo0, p.Lo1} {
		if lo != p.H[i] {
			c.MOVQ(lo, p.H[i])
		}
	}
	p.H.Add(c, p.Over)
}

// Five emits code that sets over to 5·(h>>130) and clears these bits.
func (h Words) Five(c *build.Context, over Word) {
	c.MOVQ(h[2], over)
	c.ANDL(U8(3), h[2].As32())
	c.SHRQ(U8(2), over)
	c.LEAQ(Mem{Base: over, Index: over, Scale: 4}, over)
}

// Add emits code that adds word to h.
func (h Words) Add(c *build.Context, word Word) {
	c.ADDQ(word, h[0])
	c.ADCQ(U8(0), h[1])
	c.ADCQ(U8(0), h[2])
}

func generateBlocks(f *amd64.File) {
	f.Function("blocksAMD64", "func(s *State, msg *byte, n int)",
		"blocksAMD64 is blocksGeneric for n blocks, where n must be at least 1.")
	k := &scalar{Context: f.Context}
	s := Mem{Base: amd64.Load(k.Context, "s")}
	msg, n := amd64.Load(k.Context, "msg"), amd64.Load(k.Context, "n")
	h, at := k.words(), func(i int) Mem { return s.Offset(layout.StateH + 8*i) }
	k.load(h, at)
	k.loadR(s.Offset(layout.StateR))
	block := Mem{Base: msg}
	k.ADDQ(block, h[0])
	k.ADCQ(block.Offset(8), h[1])
	k.ADCQ(U8(1), h[2])
	k.DECQ(n)
	k.JZ(LabelRef("last"))
	k.Comment("h·r plus the next block.")
	k.Label("next")
	k.ADDQ(U8(16), msg)
	k.multiply(h, &block)
	k.DECQ(n)
	k.JNZ(LabelRef("next"))
	k.Label("last")
	k.multiply(h, nil)
	k.store(h, at)
	k.RET()
}

// powersOrder and moreOrder give the order of powers in a power list.
var (
	powersOrder = [9]int{8, 4, 7, 3, 6, 2, 5, 1, 16} // the first eight in lane order
	moreOrder   = [2]int{32, 24}
)

// morePowers is the byte offset of moreOrder in a power list.
const morePowers = 8 * 3 * len(powersOrder)

func generatePowers(f *amd64.File) {
	names := make([]string, len(powersOrder))
	for i := range names {
		names[i] = strconv.Itoa(powersOrder[i])
	}
	last := len(names) - 1
	f.Function("powersAMD64", "func(list, r *uint64)",
		"powersAMD64 stores the powers "+strings.Join(names[:last], ", ")+" and "+names[last]+" of r: first their lower",
		"words, then their middle words, then their upper words.")
	k := &scalar{Context: f.Context}
	list := Mem{Base: amd64.Load(k.Context, "list")}
	r := Mem{Base: amd64.Load(k.Context, "r")}
	k.loadR(r)
	at := powerAt(list)
	h := k.words()
	k.MOVQ(k.r0, h[0])
	k.MOVQ(k.r1, h[1])
	k.XORQ(h[2], h[2])
	k.store(h, at(1))
	times := func(to int) {
		k.multiply(h, nil)
		k.store(h, at(to))
	}
	times(2)
	times(3)
	k.load(h, at(2))
	for _, power := range []int{4, 8, 16} {
		k.square(h)
		k.store(h, at(power))
	}
	k.load(h, at(4))
	times(5)
	times(6)
	times(7)
	k.RET()
}

func powerAt(list Mem) func(power int) func(i int) Mem {
	return func(power int) func(i int) Mem {
		if more := slices.Index(moreOrder[:], power); more >= 0 {
			return func(i int) Mem { return list.Offset(morePowers + 8*(len(moreOrder)*i+more)) }
		}
		lane := slices.Index(powersOrder[:], power)
		return func(i int) Mem { return list.Offset(8 * (len(powersOrder)*i + lane)) }
	}
}

func generateMorePowers(f *amd64.File) {
	f.Function("morePowersAMD64", "func(list *uint64, squares int)",
		"morePowersAMD64 stores the powers 32 and 24 after the powers stored by powersAMD64. If squares",
		"is 2 instead of 1, it stores the powers 64 and 24.")
	k := &scalar{Context: f.Context}
	at := powerAt(Mem{Base: amd64.Load(k.Context, "list")})
	h := k.words()
	k.load(h, at(16))
	k.square(h)
	k.CMPQ(amd64.Argument(f.Context, "squares"), U8(2))
	k.JNE(LabelRef("squared"))
	k.square(h)
	k.Label("squared")
	k.store(h, at(32))
	k.load(h, at(6))
	k.square(h)
	k.square(h)
	k.store(h, at(24))
	k.RET()
}

// square emits code that sets h to h·h.
//
// The upper word of h is at most 4, so the square is below 25·2^256 and fits in t. The
// code adds the bits above 2^130 five times. It shifts them down by 128 bits, which
// adds them four times, and then by 130 bits, which adds them once. The upper word of
// the sum is at most 3 + 24 + 6 + 2, so the code reduces it again.
func (k *scalar) square(h Words) {
	t := [5]GPVirtual{k.GP64(), k.GP64(), k.GP64(), k.GP64(), k.GP64()}
	lo, hi := k.GP64(), k.GP64()
	k.product(h[0], h[0], t[1], t[0])
	k.product(h[1], h[1], t[3], t[2])
	k.MOVQ(h[2], t[4])
	k.IMULQ(h[2], t[4])
	k.ADDQ(h[2], h[2])
	k.Comment("2·h0·h1 at 2^64.")
	k.product(h[0], h[1], hi, lo)
	for i := range 2 {
		k.ADDQ(lo, t[1])
		k.ADCQ(hi, t[2])
		k.ADCQ(U8(0), t[3])
		if i > 0 { // t[3] is a product's upper half at first and cannot overflow
			k.ADCQ(U8(0), t[4])
		}
	}
	k.Comment("2·h2·h0 at 2^128, 2·h2·h1 at 2^192.")
	k.product(h[2], h[0], hi, lo)
	k.ADDQ(lo, t[2])
	k.ADCQ(hi, t[3])
	k.ADCQ(U8(0), t[4])
	k.addProduct(h[2], h[1], t[4], t[3])
	k.Comment("Add 4 times the bits above 2^130.")
	u := k.GP64()
	k.MOVQ(t[2], u)
	k.ANDQ(I8(-4), u)
	k.MOVQ(t[2], h[2])
	k.ANDL(U8(3), h[2].As32())
	k.MOVQ(t[0], h[0])
	k.MOVQ(t[1], h[1])
	k.ADDQ(u, h[0])
	k.ADCQ(t[3], h[1])
	k.ADCQ(t[4], h[2])
	k.Comment("Add the bits above 2^130 once more.")
	k.SHRQ(U8(2), t[3], t[2])
	k.SHRQ(U8(2), t[4], t[3])
	k.SHRQ(U8(2), t[4])
	k.ADDQ(t[2], h[0])
	k.ADCQ(t[3], h[1])
	k.ADCQ(t[4], h[2])
	over := k.GP64()
	h.Five(k.Context, over)
	h.Add(k.Context, over)
}
