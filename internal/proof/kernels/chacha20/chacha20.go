// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20 contains the proof statements for internal/chacha20 and
// internal/salsa20.
package chacha20

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	chacha20AMD64 = "internal/chacha20/chacha20_amd64.s"
	chacha20ARM64 = "internal/chacha20/chacha20_arm64.s"
	salsa20AMD64  = "internal/salsa20/salsa20_amd64.s"
)

// Kernels contains the statements of the ChaCha20 and Salsa20 kernels.
var Kernels = engine.Constructed(func() []engine.Kernel {
	return []engine.Kernel{
		blockKernel(chacha20AMD64, "blockAMD64", false), blockKernel(chacha20AMD64, "blockAVX512", false),
		blockKernel(chacha20AMD64, "hChaCha20SSE41", true), XOR(chacha20AMD64, "xorSSE41", 256, ChaCha20),
		blockKernel(chacha20AMD64, "hChaCha20AVX2", true), blockKernel(chacha20AMD64, "hChaCha20AVX512", true), blockKernel(chacha20ARM64, "hChaCha20NEON", true),
		XOR(chacha20AMD64, "xorAVX2", 1024, ChaCha20), XOR(chacha20ARM64, "xorNEON", 512, ChaCha20), XOR(chacha20AMD64, "xorAVX512", 1024, ChaCha20),
		statesKernel(chacha20AMD64, "statesAVX2", 16),
		XOR(salsa20AMD64, "xorAVX2", 1024, salsa20), XOR(salsa20AMD64, "xorAVX512", 1024, salsa20),
		XOR("internal/salsa20/salsa20_arm64.s", "xorNEON", 320, salsa20),
	}
})

// blockKernel returns the statement of a kernel for one ChaCha20 or HChaCha20 block.
func blockKernel(file, name string, h bool) engine.Kernel {
	claim, size, input := "out = a block of key stream, with x in place of counter and nonce", int64(64), "x"
	if h {
		claim, size, input = "out = HChaCha20(key, nonce)", 32, "nonce"
	}
	var out, key, x *machine.Object
	return engine.Kernel{
		File: file, Func: name, Claim: claim,
		Setup: func(c *engine.Case) {
			out, key, x = engine.Writable(c.Buffer("out", size)), c.Buffer("key", 32), c.Buffer(input, 16)
			if x.Public = h; h {
				c.MayOverlap(out, key, x)
			}
			c.Arg(out.Base, key.Base, x.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			s := spec.ChaCha20Key(c.Store, key, 0)
			copy(s[12:], x.Words(0, 4, 4, 4))
			if h {
				s = spec.ChaCha20Rounds(c.Store, s)
				c.Expect(out, 0, append(s[:4:4], s[12:]...)...)
				return
			}
			b := spec.ChaCha20Block(c.Store, s)
			c.ExpectBytes(out, 0, b[:]...)
		},
	}
}

func statesKernel(file, name string, step int64) engine.Kernel {
	var states *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim: "a block of key stream of each of n initial states, in its place",
		Range: engine.Range{Unit: 8, Min: 8, Max: 1024, Lengths: "8 to 1024 states, multiples of 8"},
		Loop:  engine.Loop{Step: step},
		Setup: func(c *engine.Case) {
			states = engine.Writable(c.Bytes("states", c.Scale(c.N, 64)))
			c.Arg(states.Base, c.N)
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			for at := range n {
				b := spec.ChaCha20Block(c.Store, spec.ChaCha20State(states.Words(64*at, 16, 4, 4)))
				c.ExpectBytes(states, 64*at, b[:]...)
			}
		},
	}
}

// XOR returns the statement of a kernel that encrypts src into dst.
func XOR(file, name string, step int64, stream Block) engine.Kernel {
	var x Cipher
	return engine.Kernel{
		File: file, Func: name,
		Claim: "dst = src XOR the key stream from block counter, apart or in place",
		Range: engine.Range{Unit: 1, Min: 1, Max: 64 << 10},
		Loop:  engine.Loop{Step: step, Advance: func(c *engine.Case) { x.Advance(c, step) }},
		Setup: func(c *engine.Case) { x.Declare(c, c.N) },
		Spec:  func(c *engine.Case, n int64, _ bool) { x.Expect(c, n, stream) },
	}
}

// A Block returns the keystream block with the given number.
type Block func(c *engine.Case, x *Cipher, number term.Term) [64]term.Byte

// ChaCha20 returns the keystream block with the given number. A 32-bit number is the
// block counter, and the nonce has 12 bytes. Otherwise, the lower half of number is the
// block counter, and the upper half is the nonce's first word.
func ChaCha20(c *engine.Case, x *Cipher, number term.Term) [64]term.Byte {
	s := spec.ChaCha20Key(c.Store, x.Key, x.KeyAt)
	s[12] = c.Low(number, 32)
	if c.Width(number) == 32 {
		copy(s[13:], x.Nonce.Words(x.NonceAt, 3, 4, 4))
	} else {
		s[13] = c.Low(c.Shr(number, 32), 32)
		copy(s[14:], x.Nonce.Words(x.NonceAt, 2, 4, 4))
	}
	return spec.ChaCha20Block(c.Store, s)
}

func salsa20(c *engine.Case, x *Cipher, number term.Term) [64]term.Byte {
	s := spec.Salsa20Key(c.Store, x.Key)
	copy(s[6:8], x.Nonce.Words(0, 2, 4, 4))
	s[8], s[9] = c.Low(number, 32), c.Low(c.Shr(number, 32), 32)
	return spec.Salsa20Block(c.Store, s)
}

// A Cipher describes a kernel that computes dst = src XOR keystream.
type Cipher struct {
	Dst, Src, Key, Nonce *machine.Object
	KeyAt, NonceAt       int64     // offsets in Key and Nonce
	Counter              term.Term // 32 bits if the nonce has 12 bytes
	After                uint64    // the keystream starts at block Counter + After
}

// Texts declares dst and src, which may be the same buffer.
func (x *Cipher) Texts(c *engine.Case, n term.Term) {
	x.Dst, x.Src = engine.Writable(c.Bytes("dst", n)), c.Bytes("src", n)
	c.InPlace(x.Src, x.Dst)
}

// Declare declares the arguments dst, src, n, key, nonce and counter.
func (x *Cipher) Declare(c *engine.Case, n term.Term) {
	x.Texts(c, n)
	x.Key, x.Nonce, x.Counter = c.Buffer("key", 32), engine.Public(c.Buffer("nonce", 8)), c.Input("counter", true)
	c.Arg(x.Dst.Base, x.Src.Base, n, x.Key.Base, x.Nonce.Base, x.Counter)
}

// Expect requires dst[:n] to equal src XOR keystream.
func (x *Cipher) Expect(c *engine.Case, n int64, block Block) {
	for at := int64(0); at < n; at += 64 {
		size := min(64, n-at)
		number := c.AddConst(x.Counter, x.After+uint64(at/64))
		c.ExpectBytes(x.Dst, at, term.Memo(c.Store, [5]any{"text", x.Src, at, size, number}, func() []term.Byte {
			bytes := block(c, x, number)
			for i := range bytes[:size] {
				c.Store.Bytes(bytes[i:], c.Xor(x.Src.Load(at+int64(i), 1), c.Gather(bytes[i:i+1])))
			}
			return bytes[:size]
		})...)
	}
}

// Advance replaces the counter with its value after n bytes.
func (x *Cipher) Advance(c *engine.Case, n int64) {
	c.Become(x.Counter, c.AddConst(x.Counter, uint64(n/64)))
}
