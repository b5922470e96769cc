// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// scalarL3 is the length from which on a message of one chunk takes scalar instructions
// for L3 of two streams.
const scalarL3 = 256

// l3 returns L3-HASH of the values of stream s and, if there is one, the next, as
// big-endian words. Vector instructions are not faster by themselves, but scalar ones,
// which all wait for NH, are so many with more than one stream, or with POLY-64 before
// them, that they fill the processor's queue, and the next message cannot begin. NH of a
// whole chunk fills that of the vector instructions: there, scalar ones were 2 ns faster
// with two streams, and 4 with one.
//
// A factor of the key has 36 bits: its lower 32 and upper four are multiplied apart. As
// in reduce36, the inner product is below 2^54, and below 2·prime36 after what is above
// 2^36 came back five times.
func (k *sumKernel) l3(s int) Op {
	values := k.pairs[s/2]
	sum, k2 := k.l3Products(s, values), k.XMM()
	k.VMOVD(k.l3Key(s, l3K2), k2)
	if high := k.XMM(); s+1 == k.streams {
		k.VEXTRACTI128(U8(1), sum, high)
		k.VPADDQ(high, sum.AsX(), sum.AsX())
		k.VPSHUFD(U8(0x4e), sum.AsX(), high)
		k.VPADDQ(high, sum.AsX(), sum.AsX())
	} else {
		k.VPUNPCKHQDQ(values, values, values)
		second, even, odd := k.l3Products(s+1, values), k.YMM(), k.YMM()
		k.VPUNPCKLQDQ(second, sum, even)
		k.VPUNPCKHQDQ(second, sum, odd)
		k.VPADDQ(odd, even, sum)
		k.VEXTRACTI128(U8(1), sum, high)
		k.VPADDQ(high, sum.AsX(), sum.AsX())
		k.VPINSRD(U8(2), k.l3Key(s+1, l3K2), k2, k2)
	}
	x, over, less := sum.AsX(), k.XMM(), k.XMM()
	k.VPSRLQ(U8(36), x, over)
	k.VPAND(k.low36, x, x)
	k.VPADDQ(over, x, x)
	k.VPSLLQ(U8(2), over, over)
	k.VPADDQ(over, x, x)
	k.VPSUBQ(k.prime36, x, less)
	k.VBLENDVPD(less, x, less, x) // less, unless it is negative
	k.VPXOR(k2, x, x)
	k.VPSHUFB(k.bigEndian, x, x)
	return x
}

// l3Products returns the products of the words of the lower value with the key of stream s.
func (k *sumKernel) l3Products(s int, value VecVirtual) VecVirtual {
	words, low, high := k.YMM(), k.YMM(), k.YMM()
	k.VPERMQ(U8(0x1b), k.l3Key(s, l3K1+8*4), low) // the last factor is the lowest word's
	k.VPSRLQ(U8(32), low, high)
	k.VPMOVZXWQ(value, words)
	k.VPMULUDQ(words, low, low)
	k.VPMULUDQ(words, high, high)
	k.VPSLLQ(U8(32), high, high)
	k.VPADDQ(high, low, low)
	return low
}

// l3Key returns the memory at an offset of L3's key for stream s.
func (k *sumKernel) l3Key(s, disp int) Mem {
	return Mem{Base: k.keys, Disp: keysL3 + l3Size*s + disp}
}

// scalarTag stores the tag of one or two streams, L3 of which scalar instructions compute.
func (k *sumKernel) scalarTag() {
	mask, prime, v := k.GP64(), k.GP64(), k.GP64()
	k.MOVQ(U64(1<<36-1), mask)
	k.MOVQ(U64(prime36), prime)
	k.VMOVQ(k.pairs[0], v)
	if k.streams == 1 {
		hash := k.scalarL3(0, v, mask, prime)
		k.BSWAPL(hash.As32())
		k.tag(0, hash)
		return
	}
	w := k.GP64()
	k.VPEXTRQ(U8(1), k.pairs[0], w)
	hash := k.scalarL3(0, v, mask, prime)
	k.SHLQ(U8(32), hash)
	k.ORQ(k.scalarL3(1, w, mask, prime), hash)
	k.BSWAPQ(hash)
	k.tag(0, hash)
}

// scalarL3 returns L3-HASH of the value v of stream s. As in reduce36, the inner product
// is below 2^54, and below 2·prime36 after what is above 2^36 came back five times.
func (k *sumKernel) scalarL3(s int, v, mask, prime GPVirtual) GPVirtual {
	sum, word, over := k.GP64(), k.GP64(), k.GP64()
	key := func(i int) Mem { return k.l3Key(s, l3K1+8*i) }
	k.MOVWQZX(v.As16(), sum)
	k.IMULQ(key(7), sum)
	for i := 6; i >= 4; i-- {
		k.SHRQ(U8(16), v)
		if i > 4 {
			k.MOVWQZX(v.As16(), word)
		} else {
			word = v
		}
		k.IMULQ(key(i), word)
		k.ADDQ(word, sum)
	}
	k.MOVQ(sum, over)
	k.SHRQ(U8(36), over)
	k.ANDQ(mask, sum)
	k.LEAQ(Mem{Base: over, Index: over, Scale: 4}, over)
	k.ADDQ(over, sum)
	k.MOVQ(sum, over)
	k.SUBQ(prime, over)
	k.CMOVQCC(over, sum)
	k.XORL(k.l3Key(s, l3K2), sum.As32())
	return sum
}
