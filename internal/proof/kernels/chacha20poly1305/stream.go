// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"slices"

	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
)

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

const (
	packets        = layout.MaxLanes
	packetsText    = layout.MaxLaneText
	packetsRowText = 2048 // bytes of a row that are stored
)

// inRow returns the offset of byte i of a packet in interleaved rows.
func inRow(rows, packet, i int) int64 { return int64(rows + 4*(packets*(i/4)+packet) + i%4) }

func packetState(lanes *machine.Object, packet int) spec.ChaCha20State {
	return spec.ChaCha20State(lanes.Words(inRow(0, packet, 0), 16, 4*packets, 4))
}

// lanesKernel returns the statement of a kernel that accesses lanes[:size].
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

func block(c *engine.Case, lanes *machine.Object, packet int) {
	for i, b := range spec.ChaCha20Block(c.Store, packetState(lanes, packet)) {
		c.ExpectByte(lanes, inRow(layout.LanesOut, packet, i), b)
	}
}

// subkey requires a packet's HChaCha20 value in place of its key.
func subkey(c *engine.Case, lanes *machine.Object, packet int) {
	x := spec.ChaCha20Rounds(c.Store, packetState(lanes, packet))
	for i, word := range append(x[:4:4], x[12:]...) {
		c.Expect(lanes, inRow(0, packet, 4*(4+i)), word)
	}
}
