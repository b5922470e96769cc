// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
)

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
