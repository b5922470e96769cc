// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
)

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

// packetState returns the state of ChaCha20 of a packet: each word of all packets lies
// together.
func packetState(c *engine.Case, lanes *machine.Object, packet int) (s spec.ChaCha20State) {
	for i := range s {
		s[i] = c.Load(lanes, int64(4*(packets*i+packet)), 4)
	}
	return s
}

// blockLanesKernel is a block of each packet.
func blockLanesKernel(file, name string) engine.Kernel {
	var lanes *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim: "blocks of key stream of 16 initial states",
		Wipes: true,
		Setup: func(c *engine.Case) {
			lanes = engine.Writable(c.Buffer("s", packetsOut+64*packets))
			c.Pointers(lanes)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for p := range packets {
				for i, b := range spec.ChaCha20Block(c.Store, packetState(c, lanes, p)) {
					c.ExpectByte(lanes, int64(packetsOut+4*(packets*(i/4)+p)+i%4), b)
				}
			}
		},
	}
}

// subkeysKernel is HChaCha20 of the packets.
func subkeysKernel(file, name string) engine.Kernel {
	var lanes *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim: "HChaCha20 of 16 states in the place of their keys",
		Wipes: true,
		Setup: func(c *engine.Case) {
			lanes = engine.Writable(c.Buffer("s", packetsPolyKey))
			c.Pointers(lanes)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for p := range packets {
				for i, x := range spec.ChaCha20Rounds(c.Store, packetState(c, lanes, p)) {
					switch {
					case i < 4:
						c.Expect(lanes, int64(4*(packets*(4+i)+p)), x)
					case i >= 12:
						c.Expect(lanes, int64(4*(packets*(8+i-12)+p)), x)
					}
				}
			}
		},
	}
}
