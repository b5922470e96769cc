// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package spec

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// L3Prime is that of L3-HASH, RFC 4418, section 5.4.
var L3Prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 36), big.NewInt(5))

// L3Product returns the inner product of the words of a value with the factors that count.
func L3Product(c *term.Store, a *algebra.Algebra, value term.Term, k1 [4]term.Term) algebra.Poly {
	sum := algebra.Integer(new(big.Int))
	var words [8]term.Byte
	c.Bytes(words[:], value)
	for i, k := range k1 {
		word := c.Gather(words[6-2*i : 8-2*i]) // the first one is the uppermost
		sum = sum.Plus(a.Value(word).Mul(a.Value(k)))
	}
	return sum
}

// The numbers of RFC 4418, section 5.2.
const (
	NHChunk   = 1024 // bytes under one NH value
	NHGroup   = 32   // bytes that are multiplied with each other
	NHGroups  = NHChunk / NHGroup
	NHStreams = 4
	NHKeySize = (NHStreams + 1) * NHGroups * 16 // as package umac keeps it
)

// NHBits is how many bits a byte has: NH's value gets the chunk's length in bits.
var NHBits uint64 = 8

// nhWord returns a word of a chunk of n bytes, which zeros follow.
func nhWord(c *term.Store, chunk *machine.Object, at, n int64) term.Term {
	var b [4]term.Byte
	for i := range b {
		if at+int64(i) < n {
			b[i] = chunk.Initial(at + int64(i))
		} else {
			b[i] = term.ConstByte(0)
		}
	}
	return c.Gather(b[:])
}

// NHValue returns the value of a stream for a chunk of n bytes (RFC 4418, section 5.2.2):
// the key of stream s is that from byte 16·s on.
func NHValue(c *term.Store, key, chunk *machine.Object, at, n int64, stream int) term.Term {
	whole := n / NHGroup
	all := []term.Term{nhSum(c, key, chunk, at, whole, stream)}
	if whole*NHGroup < max(n, 1) {
		all = append(all, nhGroupSum(c, key, chunk, at, at+n, whole, stream))
	}
	return c.Linear(64, NHBits*uint64(n), all, []uint64{1, 1}[:len(all)])
}

// nhSum returns the products of whole groups.
func nhSum(c *term.Store, key, chunk *machine.Object, at, groups int64, stream int) term.Term {
	if groups == 0 {
		return c.Const(64, 0)
	}
	return term.Once(c, [5]any{key, chunk, at, groups, stream}, func() term.Term {
		last := nhGroupSum(c, key, chunk, at, at+groups*NHGroup, groups-1, stream)
		return c.Add(nhSum(c, key, chunk, at, groups-1, stream), last)
	})
}

// nhGroupSum returns the products of a group of a chunk that ends at a place.
func nhGroupSum(c *term.Store, key, chunk *machine.Object, at, end, group int64, stream int) term.Term {
	sum := c.Const(64, 0)
	for i := range int64(4) {
		m, k := at+group*NHGroup+4*i, group*NHGroup+16*int64(stream)+4*i
		a := c.Add(nhWord(c, chunk, m, end), key.Load(k, 4))
		b := c.Add(nhWord(c, chunk, m+16, end), key.Load(k+16, 4))
		sum = c.Add(sum, c.Mul(c.Extend(a, 64), c.Extend(b, 64)))
	}
	return sum
}

// The numbers of POLY-64, RFC 4418, section 5.3.2: a word from the limit on is taken as a
// marker and the word less an offset.
var (
	Poly64Prime         = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(59))
	Poly64Limit  uint64 = 1<<64 - 1<<32
	Poly64Offset uint64 = 59
	Poly64Start  uint64 = 1                  // y before the first word
	Poly64Two           = true               // that it is taken so
	Poly64Mask   uint64 = 0x01ffffff01ffffff // of keys
)

// Poly64Step returns y after a word. As the number is not always of one form, two says
// whether the word is at least the limit.
func Poly64Step(k, y, word algebra.Poly, two bool) algebra.Poly {
	if !two || !Poly64Two {
		return y.Mul(k).Plus(word)
	}
	marker := algebra.Integer(Poly64Prime).Minus(algebra.Constant(0))
	y = y.Mul(k).Plus(marker)
	return y.Mul(k).Plus(word).Minus(algebra.Integer(new(big.Int).SetUint64(Poly64Offset)))
}

// AESRotations are by how many columns ShiftRows rotates each row to the left (FIPS 197,
// section 5.1.2).
var AESRotations = [4]int{0, 1, 2, 3}

// AESEncrypt returns a block encrypted under round keys, 16 bytes each (FIPS 197, section
// 5.1). The state's columns are four bytes one after the other, as the block's.
func AESEncrypt(c *term.Store, block [16]term.Byte, keys *machine.Object, at int64, rounds int) [16]term.Byte {
	add := func(round int) {
		for i := range block {
			key := keys.Initial(at + int64(16*round+i))
			c.Bytes(block[i:i+1], c.Xor(c.Gather(block[i:i+1]), c.Gather([]term.Byte{key})))
		}
	}
	add(0)
	for round := 1; round <= rounds; round++ {
		c.SubBytes(block[:], block[:])
		var shifted [16]term.Byte
		for column := range 4 {
			for row, by := range AESRotations {
				shifted[4*column+row] = block[4*((column+by)%4)+row]
			}
		}
		block = shifted
		if round < rounds {
			c.MixColumns(block[:], block[:])
		}
		add(round)
	}
	return block
}
