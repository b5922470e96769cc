// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package spec

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// BLAKE2bBlock is the size of a block in bytes.
const BLAKE2bBlock = 128

// The constants of RFC 7693, sections 2.1, 2.6 and 2.7.
var (
	BLAKE2bRounds    = 12
	BLAKE2bRotations = [4]int{32, 24, 16, 63}
	BLAKE2bIV        = [8]uint64{
		0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
		0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
	}
	BLAKE2bSigma = [10][16]int64{
		{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
		{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
		{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
		{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
		{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
		{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
		{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
		{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
		{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
	}
)

// BLAKE2bF returns F(h, m, t, f) as defined in RFC 7693, section 3.2. t is the number
// of bytes hashed so far, including m. f is all ones for the last block and 0
// otherwise.
func BLAKE2bF(c *term.Store, h [8]term.Term, m [16]term.Term, t, f term.Term) [8]term.Term {
	var v [16]term.Term
	for i := range 8 {
		v[i], v[8+i] = h[i], c.Const(64, BLAKE2bIV[i])
	}
	v[12], v[14] = c.Xor(v[12], t), c.Xor(v[14], f)
	for round := range BLAKE2bRounds { // G is ChaCha20's quarter round with message words, rotating to the right
		quarters(c, &v, -1, BLAKE2bRotations, func(i int) term.Term { return m[BLAKE2bSigma[round%10][i]] })
	}
	for i := range h {
		h[i] = c.Xor(h[i], c.Xor(v[i], v[8+i]))
	}
	return h
}

// L3Prime is the prime of L3-HASH (RFC 4418, section 5.4).
var L3Prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 36), big.NewInt(5))

// L3Product returns the inner product of value's 16-bit words and k1.
func L3Product(c *term.Store, a *algebra.Algebra, value term.Term, k1 [4]term.Term) (sum algebra.Poly) {
	var words [8]term.Byte
	c.Bytes(words[:], value)
	for i, k := range k1 {
		word := c.Gather(words[6-2*i : 8-2*i]) // the first word is the most significant
		sum = sum.Plus(a.Value(word).Mul(a.Value(k)))
	}
	return sum
}

// The constants of RFC 4418, section 5.2.
const (
	NHChunk   = 1024 // bytes per NH value
	NHGroup   = 32   // bytes whose words are multiplied in pairs
	NHStreams = 4
	NHKeySize = (NHStreams + 1) * NHChunk / 2 // size of the key in package umac
)

// NHBits is the number of bits per byte; tests change it.
var NHBits uint64 = 8

// NHValue returns the NH hash of chunk[at:at+n] (RFC 4418, section 5.2.2). UMAC hashes
// a message up to four times, with overlapping keys: the key of stream, from 0 to 3,
// starts at key[16*stream].
func NHValue(c *term.Store, key, chunk *machine.Object, at, n int64, stream int) term.Term {
	word := func(i int64) term.Term {
		var b [4]term.Byte
		for j := range b {
			if b[j] = term.ConstByte(0); i+int64(j) < n {
				b[j] = chunk.Initial(at + i + int64(j))
			}
		}
		return c.Add(c.Gather(b[:]), key.Load(16*int64(stream)+i, 4))
	}
	return term.Memo(c, [5]any{key, chunk, at, n, stream}, func() term.Term {
		last := max(n-1, 0) / NHGroup * NHGroup // offset of the last group
		sum := c.Const(64, NHBits*uint64(n-last))
		for i := last; i < last+NHGroup/2; i += 4 {
			sum = c.Add(sum, c.Mul(c.Extend(word(i), 64), c.Extend(word(i+NHGroup/2), 64)))
		}
		if last > 0 {
			sum = c.Add(sum, NHValue(c, key, chunk, at, last, stream))
		}
		return sum
	})
}

// The constants of POLY-64 (RFC 4418, section 5.3.2).
var (
	Poly64Prime         = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(59))
	Poly64Limit  uint64 = 1<<64 - 1<<32
	Poly64Offset uint64 = 59
	Poly64Start  uint64 = 1                  // initial y
	Poly64Two           = true               // if set, words from the limit on are replaced with two words
	Poly64Mask   uint64 = 0x01ffffff01ffffff // for keys
)

// Poly64Step returns the POLY-64 state after absorbing word into the state y with the
// key k. The caller must set large if and only if word >= Poly64Limit, because POLY-64
// replaces such a word with two words.
func Poly64Step(k, y, word algebra.Poly, large bool) algebra.Poly {
	if large && Poly64Two {
		y = y.Mul(k).Plus(algebra.Integer(Poly64Prime)).Minus(algebra.Constant(0)) // absorbs the marker
		word = word.Minus(algebra.Integer(new(big.Int).SetUint64(Poly64Offset)))
	}
	return y.Mul(k).Plus(word)
}

// F128Block is the block size of Multimixer-128 in bytes (ia.cr/2023/1357).
const F128Block = 32

// F128Terms is the number of words per sum in F128Product. Tests change it.
var F128Terms = 3

// F128Product returns the i-th product of f_128, the function that Multimixer-128
// applies to each block, for the block at msg[at:]. Let x_j, for j from 0 to 3, be the
// sum of word j of the block and the key word at the same offset. Let y_j be the same
// for word j+4. If i < 4, the product is x_i·y_i. Otherwise, it is (x_i + x_{i+1} +
// x_{i+2})·(y_{i+1} + y_{i+2} + y_{i+3}), with indices modulo 4.
func F128Product(c *term.Store, key, msg *machine.Object, at int64, i int) term.Term {
	word := func(first int64, i int) term.Term {
		offset := at + 4*(first+int64(i%4))
		return c.Add(key.Load(offset, 4), msg.Load(offset, 4))
	}
	a, b := word(0, i), word(4, i)
	if i >= 4 {
		a, b = c.Const(32, 0), c.Const(32, 0)
		for j := range F128Terms {
			a, b = c.Add(a, word(0, i+j)), c.Add(b, word(4, i+j+1))
		}
	}
	return c.Mul(c.Extend(a, 64), c.Extend(b, 64))
}

// Poly1305Block is the block size in bytes (RFC 8439, section 2.5).
const Poly1305Block = 16

var (
	Poly1305Prime  = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	Poly1305Marker = 128 // number of the bit that is set above each block
)

// Poly1305BlockAt returns a message block as a number, including the bit above it.
func Poly1305BlockAt(c *term.Store, a *algebra.Algebra, msg *machine.Object, at int64) algebra.Poly {
	return a.Number(64, msg.Load(at, 8), msg.Load(at+8, 8)).Plus(algebra.Constant(Poly1305Marker))
}

// Poly1305Tag52 is Poly1305Tag for 52-bit limbs. h must be below 2·(2^130 - 5).
func Poly1305Tag52(c *term.Store, h [3]term.Term, s [2]term.Term) (tag [2]term.Term) {
	mask := c.Const(64, 1<<52-1)
	g := h
	g[0] = c.AddConst(g[0], 5)
	g[1] = c.Add(g[1], c.Shr(g[0], 52))
	g[2] = c.Add(g[2], c.Shr(g[1], 52))
	above := c.Xor(c.Zero(c.Shr(g[2], 26)), c.Const(8, 1))
	g[0], g[1] = c.And(g[0], mask), c.And(g[1], mask)
	for i := range h {
		h[i] = c.Choose(above, g[i], h[i])
	}
	low := c.Or(h[0], c.Shl(h[1], 52))
	high := c.Or(c.Shr(h[1], 12), c.Shl(h[2], 40))
	tag[0] = c.Add(low, s[0])
	tag[1] = c.Add(c.Add(high, s[1]), c.Extend(c.Borrow(tag[0], s[0], c.Const(8, 0)), 64))
	return tag
}

// Poly1305Clamp is the mask for r.
var Poly1305Clamp = [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}

// Poly1305Key returns r and s from a keystream block (RFC 8439, section 2.6).
func Poly1305Key(c *term.Store, block [64]term.Byte) (r, s [2]term.Term) {
	for i, mask := range Poly1305Clamp {
		r[i] = c.And(c.Gather(block[8*i:8*i+8]), c.Const(64, mask))
		s[i] = c.Gather(block[16+8*i : 24+8*i])
	}
	return r, s
}

// Poly1305Tag returns the tag (h mod p + s) mod 2^128 for p = 2^130-5. h is the hash of
// the message, which must be below 2·p, and s is the second half of the key. A kernel
// can test whether h is at least p with a shift or, on arm64, with a comparison. If
// compares is true, Poly1305Tag uses the comparison, so that the terms are the same as
// those of the kernel.
func Poly1305Tag(c *term.Store, h [3]term.Term, s [2]term.Term, compares bool) (tag [2]term.Term) {
	none := c.Const(8, 0)
	add := func(x, y, carry term.Term) (sum, out term.Term) {
		return c.Add(c.Add(x, y), c.Extend(carry, 64)), c.Carry(x, y, carry)
	}
	zero := c.Const(64, 0)
	g0, carry := add(h[0], c.Const(64, 5), none)
	g1, carry := add(h[1], zero, carry)
	g2, _ := add(h[2], zero, carry)
	less := c.Zero(c.Shr(g2, 2))
	if compares {
		less = c.Borrow(g2, c.Const(64, 4), none)
	}
	above := c.Xor(less, c.Const(8, 1))
	tag[0], carry = add(c.Choose(above, g0, h[0]), s[0], none)
	tag[1], _ = add(c.Choose(above, g1, h[1]), s[1], carry)
	return tag
}
