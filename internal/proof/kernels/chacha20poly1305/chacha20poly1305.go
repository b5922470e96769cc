// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 states what the kernels of internal/chacha20poly1305 compute.
package chacha20poly1305

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
)

const file = "internal/chacha20poly1305/kernel_amd64.s"

// Kernels are those of internal/chacha20poly1305.
var Kernels = []engine.Kernel{
	sealOpenNEON("sealNEON", false), sealOpenNEON("openNEON", true),
	streamKernel("keyStreamAVX512IFMA"), xorKernel("xorAVX512IFMA"),
	lanesKernel("hChaCha20LanesAVX512IFMA", "HChaCha20 of 16 states in the place of their keys", packetsPolyKey, subkey),
	lanesKernel("blockLanesAVX512IFMA", "blocks of key stream of 16 initial states", packetsOut+64*packets, block),
	xorLanesKernel("xorLanesAVX512IFMA"),
	tagLanesKernel("tagLanesAVX512IFMA"), cryptKernel("cryptAVX512IFMA", &Steps), cryptKernel("cryptHalvedAVX512IFMA", &HalvedSteps),
	crypt("cryptAVX2", onePassAVX2), crypt("cryptSSE41", onePassSSE41), cryptShort("cryptAVX512", onePassAVX512),
	shortKernel("shortAVX512IFMA"),
}

// streamKernel makes key stream; its length counts blocks.
func streamKernel(name string) engine.Kernel {
	var state, stream *machine.Object
	sizes := []int64{4, 8, 16, 24, 32}
	return engine.Kernel{
		File: file, Func: name,
		Claim: "stream = n blocks of key stream and what comes after them, 4, 8, 16, 24 or 32 blocks; the counter moves by n",
		Unit:  1, Min: 1, Max: 32, Lengths: "1 to 32 blocks",
		Setup: func(c *engine.Case) {
			size := c.Const(64, 64*32)
			for _, n := range slices.Backward(sizes[:4]) {
				above := c.Borrow(c.Const(64, uint64(n)), c.N, c.Const(8, 0))
				size = c.Choose(above, size, c.Const(64, uint64(64*n)))
			}
			state, stream = engine.Writable(c.Buffer("s", 64)), engine.Writable(c.Bytes("stream", size))
			c.Arg(state.Base, stream.Base, c.N)
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			s := spec.ChaCha20State(state.Words(0, 16, 4, 4))
			c.Expect(state, 4*12, c.AddConst(s[12], uint64(n)))
			blocks, _ := slices.BinarySearch(sizes, n)
			for i := range sizes[blocks] {
				b := spec.ChaCha20Block(c.Store, s)
				c.ExpectBytes(stream, 64*i, b[:]...)
				s[12] = c.AddConst(s[12], 1)
			}
		},
	}
}

// xorKernel is dst = src XOR stream.
func xorKernel(name string) engine.Kernel {
	var x chacha20.Cipher
	var stream *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim: "dst = src XOR stream, apart or in place",
		Unit:  1, Min: 1, Max: 64 << 10, Step: 64,
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

// Where the Go code's lanes have what, in bytes, and how many lanes there are.
const (
	packets        = 16
	packetsPolyKey = 1024
	packetsDst     = 1536
	packetsSrc     = 1664
	packetsLength  = 1792
	packetsRowAt   = 1920
	packetsStart   = 2048
	packetsTags    = 2176
	packetsTable   = 2432
	packetsRows    = 3584
	packetsOut     = packetsRows + packets*2112
	packetsText    = 1984 // bytes of text at most
)

// inRow returns where a byte of a packet is, in words of 4 bytes: each word of all packets lies together.
func inRow(rows, packet, i int) int64 { return int64(rows + 4*(packets*(i/4)+packet) + i%4) }

// packetState returns the state of ChaCha20 of a packet.
func packetState(lanes *machine.Object, packet int) spec.ChaCha20State {
	return spec.ChaCha20State(lanes.Words(inRow(0, packet, 0), 16, 4*packets, 4))
}

// lanesKernel works on the lanes' first bytes, so many, of which spec says what they become for each packet.
func lanesKernel(name, claim string, size int64, spec func(c *engine.Case, lanes *machine.Object, packet int)) engine.Kernel {
	var lanes *machine.Object
	return engine.Kernel{
		File: file, Func: name, Claim: claim,
		Setup: func(c *engine.Case) {
			lanes = engine.Writable(c.Buffer("s", size))
			c.Arg(lanes.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for p := range packets {
				spec(c, lanes, p)
			}
		},
	}
}

// block is a block of a packet.
func block(c *engine.Case, lanes *machine.Object, packet int) {
	for i, b := range spec.ChaCha20Block(c.Store, packetState(lanes, packet)) {
		c.ExpectByte(lanes, inRow(packetsOut, packet, i), b)
	}
}

// subkey is HChaCha20 of a packet: words 0 to 3 and 12 to 15 in the place of its key.
func subkey(c *engine.Case, lanes *machine.Object, packet int) {
	x := spec.ChaCha20Rounds(c.Store, packetState(lanes, packet))
	for i, word := range append(x[:4:4], x[12:]...) {
		c.Expect(lanes, inRow(0, packet, 4*(4+i)), word)
	}
}
