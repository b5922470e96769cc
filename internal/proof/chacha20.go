// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	chacha20AMD64 = "internal/chacha20/chacha20_amd64.s"
	chacha20ARM64 = "internal/chacha20/chacha20_arm64.s"
)

// chacha20 are the kernels of internal/chacha20.
var chacha20 = []Kernel{
	hChaCha20(chacha20AMD64, "hChaCha20AVX2"), hChaCha20(chacha20AMD64, "hChaCha20AVX512"), hChaCha20(chacha20ARM64, "hChaCha20NEON"),
	xorChaCha20(chacha20AMD64, "xorAVX2", 1024), xorChaCha20(chacha20ARM64, "xorNEON", 512), xorChaCha20(chacha20AMD64, "xorAVX512", 1024),
}

// The numbers of RFC 8439, section 2.
var (
	chachaConstants    = [4]uint64{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
	chachaRotations    = [4]int{16, 12, 8, 7}
	chachaDoubleRounds = 10
)

// A chachaState is a state of 16 words of 32 bits.
type chachaState [16]term.Term

// chachaKey returns the state of a key (RFC 8439, section 2.3), without counter and
// nonce.
func (c *Case) chachaKey(key *machine.Object) (s chachaState) {
	for i, v := range chachaConstants {
		s[i] = c.Const(32, v)
	}
	for i := range 8 {
		s[4+i] = c.Load(key, int64(4*i), 4)
	}
	return s
}

// rounds returns the permutation of a state: ten double rounds.
func (c *Case) chachaRounds(s chachaState) chachaState {
	quarter := func(a, b, d, e int) {
		step := func(a, b, d, k int) {
			s[a] = c.Add(s[a], s[b])
			s[d] = c.Rot(c.Xor(s[d], s[a]), k)
		}
		step(a, b, e, chachaRotations[0])
		step(d, e, b, chachaRotations[1])
		step(a, b, e, chachaRotations[2])
		step(d, e, b, chachaRotations[3])
	}
	for range chachaDoubleRounds {
		for i := range 4 {
			quarter(i, 4+i, 8+i, 12+i)
		}
		for i := range 4 {
			quarter(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4)
		}
	}
	return s
}

// chachaBlock returns the block of key stream that a state makes.
func (c *Case) chachaBlock(s chachaState) (b [64]term.Byte) {
	for i, x := range c.chachaRounds(s) {
		c.Store.Bytes(b[4*i:4*i+4], c.Add(x, s[i]))
	}
	return b
}

// stream returns byte i of the key stream that begins with a block's number.
func (c *Case) stream(key, nonce *machine.Object, counter term.Term, i int64) term.Byte {
	b, ok := c.Memo[i/64].([64]term.Byte)
	if !ok {
		s := c.chachaKey(key)
		block := c.AddConst(counter, uint64(i/64))
		s[12], s[13] = c.Low(block, 32), c.Low(c.Shr(block, 32), 32)
		s[14], s[15] = c.Load(nonce, 0, 4), c.Load(nonce, 4, 4)
		b = c.chachaBlock(s)
		c.Memo[i/64] = b
	}
	return b[i%64]
}

// hChaCha20 is HChaCha20 (draft-irtf-cfrg-xchacha, section 2.2).
func hChaCha20(file, name string) Kernel {
	var out, key, nonce *machine.Object
	return Kernel{
		File: file, Func: name,
		Claim: "out = HChaCha20(key, nonce)",
		Wipes: true,
		Setup: func(c *Case) {
			out, key, nonce = Writable(c.Buffer("out", 32)), c.Buffer("key", 32), Public(c.Buffer("nonce", 16))
			c.Pointers(out, key, nonce)
		},
		Spec: func(c *Case, _ int64, _ bool) {
			s := c.chachaKey(key)
			for i := range 4 {
				s[12+i] = c.Load(nonce, int64(4*i), 4)
			}
			s = c.chachaRounds(s)
			for i := range 4 {
				c.Expect(out, int64(4*i), s[i])
				c.Expect(out, int64(16+4*i), s[12+i])
			}
		},
	}
}

// xorChaCha20 is dst = src XOR the key stream from a block's number, of 64 bits.
func xorChaCha20(file, name string, step int64) Kernel {
	var dst, src, key, nonce *machine.Object
	var counter term.Term
	return Kernel{
		File: file, Func: name,
		Claim:    "dst = src XOR the key stream from block counter",
		Wipes:    true,
		Variants: []string{"apart", "in place"},
		Unit:     1, Min: 1, Max: 64 << 10, Step: step,
		Setup: func(c *Case) {
			dst = Writable(c.Bytes("dst", c.N))
			src = dst
			if c.Variant == "apart" {
				src = c.Bytes("src", c.N)
			}
			key, nonce, counter = c.Buffer("key", 32), Public(c.Buffer("nonce", 8)), c.Input("counter", true)
			c.Pointers(dst, src)
			c.Arg(c.N)
			c.Pointers(key, nonce)
			c.Arg(counter)
		},
		Spec: func(c *Case, n int64, _ bool) {
			for i := range n {
				x := c.Xor(c.Load(src, i, 1), c.Gather([]term.Byte{c.stream(key, nonce, counter, i)}))
				c.Expect(dst, i, x)
			}
		},
		Advance: func(c *Case) {
			c.Move(dst, step)
			c.Move(src, step)
			c.Become(counter, c.AddConst(counter, uint64(step/64)))
		},
	}
}
