// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package spec specifies what kernels must compute. Its functions follow the RFCs but
// return terms instead of numbers, and the prover compares these terms with those that
// a kernel computes.
package spec

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// The constants of RFC 8439, section 2.
var (
	ChaCha20Constants    = [4]uint64{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
	ChaCha20Rotations    = [4]int{16, 12, 8, 7}
	ChaCha20DoubleRounds = 10
)

// A ChaCha20State contains 16 words. Word 12 is the block counter.
type ChaCha20State [16]term.Term

// ChaCha20Key returns the state for key[at:at+32], with counter and nonce 0.
func ChaCha20Key(c *term.Store, key *machine.Object, at int64) (s ChaCha20State) {
	for i, v := range ChaCha20Constants {
		s[i] = c.Const(32, v)
	}
	copy(s[4:], key.Words(at, 8, 4, 4))
	return s
}

// quarters applies a quarter round to each column and each diagonal of v. word(i) is added
// in half i of these 8 rounds.
func quarters(c *term.Store, v *[16]term.Term, times int, rotations [4]int, word func(i int) term.Term) {
	for i := range 8 {
		by := i / 4 // number of columns to the right in the next row
		at := func(row int) *term.Term { return &v[4*row+(i+by*row)%4] }
		for half := range 2 {
			*at(0) = c.Add(c.Add(*at(0), *at(1)), word(2*i+half))
			*at(3) = c.Rot(c.Xor(*at(3), *at(0)), times*rotations[2*half])
			*at(2) = c.Add(*at(2), *at(3))
			*at(1) = c.Rot(c.Xor(*at(1), *at(2)), times*rotations[2*half+1])
		}
	}
}

// ChaCha20Rounds returns the state after ten double rounds.
func ChaCha20Rounds(c *term.Store, s ChaCha20State) ChaCha20State {
	for range ChaCha20DoubleRounds {
		quarters(c, (*[16]term.Term)(&s), 1, ChaCha20Rotations, func(int) term.Term { return c.Const(32, 0) })
	}
	return s
}

// ChaCha20Block returns the keystream block for the state s.
func ChaCha20Block(c *term.Store, s ChaCha20State) [64]term.Byte { return block(c, s, ChaCha20Rounds) }

// block returns s + rounds(c, s) in little-endian order. It computes a block once.
func block[S ~[16]term.Term](c *term.Store, s S, rounds func(*term.Store, S) S) [64]term.Byte {
	return term.Memo(c, s, func() (b [64]term.Byte) {
		for i, x := range rounds(c, s) {
			c.Bytes(b[4*i:4*i+4], c.Add(x, s[i]))
		}
		return b
	})
}

// Salsa20Key returns the state for a key, with nonce and counter 0: a matrix of 16 words
// (Bernstein, "Salsa20 specification").
func Salsa20Key(c *term.Store, key *machine.Object) (s [16]term.Term) {
	for i, v := range ChaCha20Constants { // "expand 32-byte k"
		s[5*i] = c.Const(32, v)
	}
	copy(s[1:5], key.Words(0, 4, 4, 4))
	copy(s[11:], key.Words(16, 4, 4, 4))
	return s
}

// Salsa20Block returns the keystream block for the state s, with 20 rounds.
func Salsa20Block(c *term.Store, s [16]term.Term) [64]term.Byte {
	type salsa20State [16]term.Term // not the key of a ChaCha20 block
	return block(c, salsa20State(s), func(c *term.Store, x salsa20State) salsa20State {
		for round := range 20 {
			for i := range 4 {
				at := func(j int) int { return (5*i + 4*j) % 16 } // a column, starting at the diagonal
				if round%2 == 1 {
					at = func(j int) int { return 4*i + (i+j)%4 } // a row
				}
				for j, by := range [4]int{7, 9, 13, 18} {
					to := at(j + 1)
					x[to] = c.Xor(x[to], c.Rot(c.Add(x[at(j)], x[at(j+3)]), by))
				}
			}
		}
		return x
	})
}

// A Block is the unit of AES and AEGIS.
type Block = [16]term.Byte

// BlockOf returns the block that consists of two 64-bit words.
func BlockOf(c *term.Store, words ...term.Term) (b Block) {
	c.Bytes(b[:8], words[0])
	c.Bytes(b[8:], words[1])
	return b
}

// bytewise applies op to the bytes of x and y.
func bytewise(c *term.Store, op func(x, y term.Term) term.Term, x, y Block) Block {
	for i := range x {
		c.Bytes(x[i:i+1], op(c.Gather(x[i:i+1]), c.Gather(y[i:i+1])))
	}
	return x
}

// XorBlocks returns the XOR of blocks.
func XorBlocks(c *term.Store, sum Block, more ...Block) Block {
	for _, b := range more {
		sum = bytewise(c, c.Xor, sum, b)
	}
	return sum
}

// AESRound applies one AES round (RFC 10032, section 2).
func AESRound(c *term.Store, block, key Block) Block {
	block = substitute(c, block)
	c.MixColumns(block[:], block[:])
	return XorBlocks(c, block, key)
}

// AESRotations holds the number of columns by which ShiftRows rotates each row left.
var AESRotations = [4]int{0, 1, 2, 3}

// substitute applies SubBytes and ShiftRows.
func substitute(c *term.Store, block Block) (out Block) {
	c.SubBytes(block[:], block[:])
	for column := range 4 {
		for row, by := range AESRotations {
			out[4*column+row] = block[4*((column+by)%4)+row]
		}
	}
	return out
}

// AESEncrypt encrypts a block (FIPS 197, section 5.1). The round keys are at keys[at:].
func AESEncrypt(c *term.Store, block Block, keys *machine.Object, at int64, rounds int) Block {
	key := func(round int) Block { return BlockOf(c, keys.Words(at+int64(16*round), 2, 8, 8)...) }
	block = XorBlocks(c, block, key(0))
	for round := 1; round < rounds; round++ {
		block = AESRound(c, block, key(round))
	}
	return XorBlocks(c, substitute(c, block), key(rounds))
}

// A Lane is the AEGIS state of one lane: eight or six blocks.
type Lane []Block

// Update returns the lane after it has absorbed m (sections 3.5 and 4.5).
func (s Lane) Update(c *term.Store, m ...Block) Lane {
	next := make(Lane, len(s))
	for i := range s {
		key := s[i]
		if i%4 == 0 && i/4 < len(m) {
			key = XorBlocks(c, key, m[i/4])
		}
		next[i] = AESRound(c, s[(i+len(s)-1)%len(s)], key)
	}
	return next
}

// AEGISLane returns a lane's state after Init (sections 3.3, 4.3 and 5.3).
func AEGISLane(c *term.Store, key, nonce []Block, context Block) (s Lane) {
	var constants [32]term.Byte // the Fibonacci numbers modulo 256: 0x00, 0x01, 0x01, ..., 0xdd
	for i, v, next := 0, uint8(0), uint8(1); i < 32; i, v, next = i+1, next, v+next {
		constants[i] = term.ConstByte(v)
	}
	c0, c1 := Block(constants[:16]), Block(constants[16:])
	xor := func(x, y Block) Block { return XorBlocks(c, x, y) }
	k, n, last, updates := key[0], nonce[0], 7, 10
	inputs := [][]Block{{n, k}}
	if len(key) == 1 {
		s = Lane{xor(k, n), c1, c0, c1, xor(k, n), xor(k, c0), xor(k, c1), xor(k, c0)}
	} else {
		k1, n1 := key[1], nonce[1]
		s, last, updates = Lane{xor(k, n), xor(k1, n1), c1, c0, xor(k, c0), xor(k1, c1)}, 5, 16
		inputs = [][]Block{{k}, {k1}, {xor(k, n)}, {xor(k1, n1)}}
	}
	for i := range updates {
		s[3], s[last] = xor(s[3], context), xor(s[last], context)
		s = s.Update(c, inputs[i%len(inputs)]...)
	}
	return s
}

// KeyStream returns the keystream for the message blocks that the next Update absorbs.
func (s Lane) KeyStream(c *term.Store) []Block {
	and := func(i, j int) Block { return bytewise(c, c.And, s[i], s[j]) }
	if len(s) == 8 {
		return []Block{XorBlocks(c, s[1], s[6], and(2, 3)), XorBlocks(c, s[2], s[5], and(6, 7))}
	}
	return []Block{XorBlocks(c, s[1], s[4], s[5], and(2, 3))}
}

// Finish returns the lane after Finalize, which mixes in u.
func (s Lane) Finish(c *term.Store, u Block) Lane {
	t := XorBlocks(c, s[map[int]int{8: 2, 6: 3}[len(s)]], u)
	m := []Block{t, t}[:len(s)/2-2]
	for range 7 {
		s = s.Update(c, m...)
	}
	return s
}

// Tags returns the halves of the 32-byte tag and the 16-byte tag.
func (s Lane) Tags(c *term.Store) [3]Block {
	half := len(s) / 2
	sum := func(of Lane) Block { return XorBlocks(c, of[0], of[1:]...) }
	return [3]Block{sum(s[:half]), sum(s[half:]), sum(s[:min(len(s), 7)])}
}

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

// Poly64Step returns the POLY-64 state y after it has absorbed word with the key k. The
// caller must set large if and only if word >= Poly64Limit.
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

// F128Product returns the i-th product of f_128 for the block at msg[at:]. Let x_j and
// y_j be the sums of words j and j+4 of the block and the key words at the same offsets.
// If i < 4, the product is x_i·y_i. Otherwise, it is (x_i + x_{i+1} + x_{i+2})·(y_{i+1} +
// y_{i+2} + y_{i+3}), with indices modulo 4.
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
// the message, which must be below 2·p, and s is the second half of the key. Kernels test
// whether h is at least p with a shift or, if compares is true, with a comparison. The
// terms of these tests differ.
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
