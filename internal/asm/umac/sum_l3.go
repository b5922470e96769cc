// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/umac"
)

// vectorL3[n] is the maximum message length for which L3 uses vector code.
var vectorL3 = []int{1: 128, 2: 256} // n is the number of streams

type l3Vectors struct {
	words     [3]Mem // words[i] is a VPSHUFB control that extracts 16-bit word i of each quadword
	low36     Mem
	prime36   Mem
	bigEndian Mem // VPSHUFB control that gathers the lower halves of the quadwords
}

func newL3Vectors(f *amd64.File) (c l3Vectors) {
	table := func(name string, low, high uint64) Mem { return amd64.Table[uint64](f, name, low, high, low, high) }
	for i, name := range []string{"word0", "word1", "word2"} {
		word := 0x8080808080800100 + 0x0202*uint64(i)
		c.words[i] = table(name, word, word+0x0808)
	}
	c.low36 = table("low36", 1<<36-1, 1<<36-1)
	c.prime36 = table("prime36", prime36, prime36)
	c.bigEndian = table("bigEndian", 0x08090a0b00010203, 0x8080808080808080)
	return c
}

func (k *sumKernel) hash() VecVirtual {
	if !k.sse41 {
		return k.l3(k.join(k.pairs), 0)
	}
	hash := k.l3(k.pairs[0], 0)
	if k.streams > 2 {
		second := k.l3(k.pairs[1], 2)
		k.VPUNPCKLQDQ(second, hash, hash)
	}
	return hash
}

// l3 emits code that computes L3-HASH, except for the XOR with k2.
func (k *sumKernel) l3(values VecVirtual, first int) VecVirtual {
	k.Comment("L3: an inner product of 16-bit words modulo 2^36 - 5.")
	var lows, highs [4]VecVirtual
	for i := range lows {
		word := k.quadwords()
		if i < 3 {
			k.VPSHUFB(k.l3c.words[i], values, word)
		} else {
			k.VPSRLQ(U8(48), values, word)
		}
		// Key factors have 36 bits: multiply the lower 32 and upper 4 separately.
		key := Mem{Base: k.keys, Disp: layout.KeysL3K1 + 32*(3-i) + 8*first}
		lows[i], highs[i] = k.quadwords(), k.quadwords()
		k.VPMULUDQ(key, word, lows[i])
		k.VPMULUDQ(key.Offset(4), word, highs[i])
	}
	add := func(x, y VecVirtual) VecVirtual {
		k.VPADDQ(x, y, y)
		return y
	}
	high := add(add(highs[0], highs[1]), add(highs[2], highs[3]))
	k.VPSLLQ(U8(32), high, high)
	x := add(high, add(add(lows[0], lows[1]), add(lows[2], lows[3])))
	// x is below 2^54, so the reduced sum is below 2·prime36.
	over, less := k.quadwords(), k.quadwords()
	k.VPSRLQ(U8(36), x, over)
	k.VPAND(k.l3c.low36, x, x)
	k.VPADDQ(over, x, x)
	k.VPSLLQ(U8(2), over, over)
	k.VPADDQ(over, x, x)
	k.VPSUBQ(k.l3c.prime36, x, less)
	k.VBLENDVPD(less, x, less, x) // less if it is not negative, else x
	k.VPSHUFB(k.l3c.bigEndian, x, x)
	return x
}

// scalarTag emits scalar code that computes L3 and stores the tag.
func (k *sumKernel) scalarTag(words []GPVirtual) {
	k.Comment("L3: an inner product of 16-bit words modulo 2^36 - 5.")
	mask, prime := k.GP64(), k.GP64()
	k.MOVQ(U64(1<<36-1), mask)
	k.MOVQ(U64(prime36), prime)
	var sums []GPVirtual
	for s, v := range words {
		sum, word, over := k.GP64(), k.GP64(), k.GP64()
		key := func(i int) Mem {
			return Mem{Base: k.keys, Disp: layout.KeysUhashL3 + layout.SizeofL3Key*s + layout.L3KeyK1 + 8*i}
		}
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
		sums = append(sums, sum)
	}
	masks, to := k.GP64(), Mem{Base: k.to}
	k.VMOVQ(k.masks(), masks)
	if k.streams == 1 {
		k.BSWAPL(sums[0].As32())
		k.XORL(sums[0].As32(), masks.As32())
		k.MOVL(masks.As32(), to)
		return
	}
	k.BSWAPL(sums[0].As32())
	k.BSWAPL(sums[1].As32())
	k.SHLQ(U8(32), sums[1])
	k.ORQ(sums[1], sums[0])
	k.XORQ(sums[0], masks)
	k.MOVQ(masks, to)
}

// masks emits code that computes pad XOR k2, the tag's mask.
func (k *sumKernel) masks() VecVirtual {
	masks := k.pad
	if k.streams <= 2 {
		// The offset depends only on the public nonce.
		table, at := k.GP64(), amd64.Load(k.Context, "at")
		masks = k.XMM()
		k.LEAQ(NewDataAddr(NewStaticSymbol(slideSymbol), 0), table)
		k.VMOVDQU(Mem{Base: table, Index: at, Scale: 1}, masks)
		k.VPSHUFB(masks, k.pad, masks)
	}
	k.VPXOR(Mem{Base: k.keys, Disp: layout.KeysL3K2}, masks, masks)
	return masks
}

func (k *sumKernel) storeTag(hash VecVirtual) {
	masks, to := k.masks(), Mem{Base: k.to}
	if k.streams > 2 && !k.sse41 {
		k.VPERMQ(U8(0x08), hash, hash)
	}
	k.VPXOR(hash.AsX(), masks, masks)
	switch k.streams {
	case 1:
		k.VMOVD(masks, to)
	case 2:
		k.VMOVQ(masks, to)
	case 3:
		k.VMOVQ(masks, to)
		k.VPEXTRD(U8(2), masks, to.Offset(8))
	case 4:
		k.VMOVDQU(masks, to)
	}
}

func (k *sumKernel) quadwords() VecVirtual {
	if k.streams > 2 {
		return k.vector()
	}
	return k.XMM()
}

// join returns a register with all values. pairs[i] contains streams 2i and 2i+1.
func (k *sumKernel) join(pairs []VecVirtual) VecVirtual {
	if len(pairs) == 1 {
		return pairs[0]
	}
	all := k.YMM()
	k.VINSERTI128(U8(1), pairs[1], pairs[0].AsY(), all)
	return all
}
