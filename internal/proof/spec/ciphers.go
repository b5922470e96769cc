// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package spec specifies what kernels must compute. Its functions follow the RFCs but
// return terms instead of numbers, and the prover compares these terms with those that
// a kernel computes.
package spec

import (
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

func quarters(c *term.Store, v *[16]term.Term, times int, rotations [4]int, word func(i int) term.Term) {
	for i := range 8 {
		by := i / 4 // number of columns to the right in the next row
		at := func(row int) *term.Term { return &v[4*row+(i+by*row)%4] }
		for half := range 2 {
			*at(0) = c.Add(*at(0), *at(1))
			if word != nil {
				*at(0) = c.Add(*at(0), word(2*i+half))
			}
			*at(3) = c.Rot(c.Xor(*at(3), *at(0)), times*rotations[2*half])
			*at(2) = c.Add(*at(2), *at(3))
			*at(1) = c.Rot(c.Xor(*at(1), *at(2)), times*rotations[2*half+1])
		}
	}
}

// ChaCha20Rounds returns the state after ten double rounds.
func ChaCha20Rounds(c *term.Store, s ChaCha20State) ChaCha20State {
	for range ChaCha20DoubleRounds {
		quarters(c, (*[16]term.Term)(&s), 1, ChaCha20Rotations, nil)
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
