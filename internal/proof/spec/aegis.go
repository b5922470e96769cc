// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package spec

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

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
	c0 := constantBlock(0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62)
	c1 := constantBlock(0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd)
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

func constantBlock(bytes ...uint8) (b Block) {
	for i, v := range bytes {
		b[i] = term.ConstByte(v)
	}
	return b
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
