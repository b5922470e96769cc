// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20 states what the kernels of internal/chacha20 compute.
package chacha20

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
)

const (
	chacha20AMD64 = "internal/chacha20/chacha20_amd64.s"
	chacha20ARM64 = "internal/chacha20/chacha20_arm64.s"
)

// Kernels are those of internal/chacha20.
var Kernels = []engine.Kernel{
	blockKernel(chacha20AMD64, "blockAMD64"),
	hChaCha20(chacha20AMD64, "hChaCha20SSE41"), XOR(chacha20AMD64, "xorSSE41", 256, ChaCha20),
	hChaCha20(chacha20AMD64, "hChaCha20AVX2"), hChaCha20(chacha20AMD64, "hChaCha20AVX512"), hChaCha20(chacha20ARM64, "hChaCha20NEON"),
	XOR(chacha20AMD64, "xorAVX2", 1024, ChaCha20), XOR(chacha20ARM64, "xorNEON", 512, ChaCha20), XOR(chacha20AMD64, "xorAVX512", 1024, ChaCha20),
	statesKernel(chacha20AMD64, "statesAVX2", 16),
}

// blockKernel is a block (RFC 8439, section 2.3) with 16 bytes in place of counter and nonce.
func blockKernel(file, name string) engine.Kernel {
	var out, key, x *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim: "out = a block of key stream, with x in place of counter and nonce",
		Wipes: true,
		Setup: func(c *engine.Case) {
			out, key, x = engine.Writable(c.Buffer("out", 64)), c.Buffer("key", 32), c.Buffer("x", 16)
			c.Pointers(out, key, x)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			s := spec.ChaCha20Key(c.Store, key, 0)
			for i := range 4 {
				s[12+i] = c.Load(x, int64(4*i), 4)
			}
			b := spec.ChaCha20Block(c.Store, s)
			c.ExpectBytes(out, 0, b[:]...)
		},
	}
}

// statesKernel is a block in the place of each of n states.
func statesKernel(file, name string, step int64) engine.Kernel {
	var states *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim: "a block of key stream of each of n initial states, in its place",
		Wipes: true,
		Unit:  8, Min: 8, Max: 1024, Step: step, Lengths: "8 to 1024 states, multiples of 8",
		Setup: func(c *engine.Case) {
			states = engine.Writable(c.Bytes("states", c.Scale(c.N, 64)))
			c.Arg(states.Base, c.N)
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			for at := range n {
				var s spec.ChaCha20State
				for i := range s {
					s[i] = c.Load(states, 64*at+int64(4*i), 4)
				}
				b := spec.ChaCha20Block(c.Store, s)
				c.ExpectBytes(states, 64*at, b[:]...)
			}
		},
	}
}

// hChaCha20 is HChaCha20 (draft-irtf-cfrg-xchacha, section 2.2).
func hChaCha20(file, name string) engine.Kernel {
	var out, key, nonce *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim: "out = HChaCha20(key, nonce)",
		Wipes: true,
		Setup: func(c *engine.Case) {
			out, key, nonce = engine.Writable(c.Buffer("out", 32)), c.Buffer("key", 32), engine.Public(c.Buffer("nonce", 16))
			c.Pointers(out, key, nonce)
			c.MayOverlap(out, key, nonce)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			s := spec.ChaCha20Key(c.Store, key, 0)
			for i := range 4 {
				s[12+i] = c.Load(nonce, int64(4*i), 4)
			}
			s = spec.ChaCha20Rounds(c.Store, s)
			c.Expect(out, 0, s[:4]...)
			c.Expect(out, 16, s[12:]...)
		},
	}
}

// XOR is dst = src XOR the key stream of a cipher from a block's number, of 64 bits.
func XOR(file, name string, step int64, stream Block) engine.Kernel {
	var x Cipher
	return engine.Kernel{
		File: file, Func: name,
		Claim: "dst = src XOR the key stream from block counter, apart or in place",
		Wipes: true,
		Unit:  1, Min: 1, Max: 64 << 10, Step: step,
		Setup: func(c *engine.Case) {
			x.Texts(c, c.N)
			x.Keyed(c)
			c.Arg(x.Dst.Base, x.Src.Base, c.N, x.Key.Base, x.Nonce.Base, x.Counter)
		},
		Spec:    func(c *engine.Case, n int64, _ bool) { x.Expect(c, n, x.Stream(c, stream)) },
		Advance: func(c *engine.Case) { x.Advance(c, step) },
	}
}
