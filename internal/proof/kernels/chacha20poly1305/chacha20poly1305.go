// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 contains the proof statements for the assembly kernels of
// internal/chacha20poly1305.
package chacha20poly1305

import (
	"slices"

	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
)

const file = "internal/chacha20poly1305/chacha20poly1305_amd64.s"

// Kernels contains the statements of the kernels of internal/chacha20poly1305.
var Kernels = engine.Constructed(func() []engine.Kernel {
	return []engine.Kernel{
		sealOpenNEON("sealNEON", false), sealOpenNEON("openNEON", true),
		streamKernel("keyStreamAVX512IFMA"), xorKernel("xorAVX512IFMA"),
		lanesKernel("hChaCha20LanesAVX512IFMA", "HChaCha20 of 16 states in the place of their keys", layout.LanesPolyKey, true),
		lanesKernel("blockLanesAVX512IFMA", "blocks of key stream of 16 initial states", layout.LanesOut+64*packets, false),
		xorLanesKernel("xorLanesAVX512IFMA"),
		tagLanesKernel("tagLanesAVX512IFMA"), cryptKernel("cryptAVX512IFMA", &Steps), cryptKernel("cryptHalvedAVX512IFMA", &HalvedSteps),
		crypt("cryptAVX2", onePass{step: 512, before: 448, opened: 192, r0: "SI", r1: 1744}, [3]string{"DX", "CX", "BX"}, "rounds8", "First", ""),
		crypt("cryptSSE41", onePass{step: 256, r0: "R9", r1: 392}, [3]string{"SI", "DI", "R8"}, "rounds4", ""),
		crypt("cryptAVX512", onePass{step: 1024, before: 960, opened: 192, words: true, r0: "DI", r1: 1128}, [3]string{"CX", "BX", "SI"}, ""),
		shortKernel("shortAVX512IFMA"),
	}
})

func streamKernel(name string) engine.Kernel {
	var state, stream *machine.Object
	sizes := []int64{4, 8, 16, 24, 32}
	return engine.Kernel{
		File: file, Func: name,
		Claim: "stream = n blocks of key stream and what comes after them, 4, 8, 16, 24 or 32 blocks; the counter moves by n",
		Range: engine.Range{Unit: 1, Min: 1, Max: 32, Lengths: "1 to 32 blocks"},
		Setup: func(c *engine.Case) {
			size := c.Const(64, 64*32)
			for _, n := range slices.Backward(sizes[:4]) {
				above := c.Borrow(c.Const(64, uint64(n)), c.N, c.Const(8, 0))
				size = c.Choose(above, size, c.Const(64, uint64(64*n)))
			}
			state, stream = engine.Writable(c.Buffer("s", layout.MessageH)), engine.Writable(c.Bytes("stream", size))
			c.Arg(state.Base, stream.Base, c.N)
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			s := spec.ChaCha20State(state.Words(layout.MessageConstants, 16, 4, 4))
			c.Expect(state, layout.MessageCounter, c.AddConst(s[12], uint64(n)))
			blocks, _ := slices.BinarySearch(sizes, n)
			for i := range sizes[blocks] {
				b := spec.ChaCha20Block(c.Store, s)
				c.ExpectBytes(stream, 64*i, b[:]...)
				s[12] = c.AddConst(s[12], 1)
			}
		},
	}
}

func xorKernel(name string) engine.Kernel {
	var x chacha20.Cipher
	var stream *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim: "dst = src XOR stream, apart or in place",
		Range: engine.Range{Unit: 1, Min: 1, Max: 64 << 10},
		Loop:  engine.Loop{Step: 64},
		Setup: func(c *engine.Case) {
			x.Texts(c, c.N)
			stream = c.Bytes("stream", c.N)
			c.Arg(x.Dst.Base, x.Src.Base, stream.Base, c.N)
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			for i := range n {
				c.Expect(x.Dst, i, c.Xor(x.Src.Load(i, 1), stream.Load(i, 1)))
			}
		},
	}
}
