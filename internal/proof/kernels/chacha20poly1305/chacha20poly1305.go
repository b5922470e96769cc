// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 states what the kernels of internal/chacha20poly1305 compute.
package chacha20poly1305

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

const file = "internal/chacha20poly1305/kernel_amd64.s"

// Kernels are those of internal/chacha20poly1305.
var Kernels = []engine.Kernel{
	sealOpenNEON("sealNEON", false), sealOpenNEON("openNEON", true),
	streamKernel("keyStreamAVX512IFMA"), xorKernel("xorAVX512IFMA"),
	lanesKernel("hChaCha20LanesAVX512IFMA", "HChaCha20 of 16 states in the place of their keys", packetsPolyKey, subkey),
	lanesKernel("blockLanesAVX512IFMA", "blocks of key stream of 16 initial states", packetsOut+64*packets, block),
	xorLanesKernel("xorLanesAVX512IFMA"),
	tagLanesKernel("tagLanesAVX512IFMA"), cryptKernel("cryptAVX512IFMA"),
	crypt("cryptAVX2", onePassAVX2), crypt("cryptSSE41", onePassSSE41),
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

const (
	stepText   = 2048 // bytes that a step encrypts, and hashes
	stepGroups = 4    // of blocks, in a step
	stepStateH = 64   // where the state has h
)

// StepBehind is by how many bytes text may lie before dst in its buffer, or by more.
var StepBehind = int64(1024)

// stepLanes are eight lanes of Poly1305, in the frame between steps and in registers when a
// group of blocks has been added. StepFirst is what is to be added to the first block.
var (
	StepGroup     = int64(32) // blocks
	stepLanes     = lanesAt(poly1305.IfmaLanes.Powers, poly1305.IfmaLanes.Most, "1024", "1088", "1152")
	stepFirst     = lanesAt([]int{0}, []uint64{1<<52 - 1, 1<<52 - 1, 1<<27 - 1}, "1216", "1280", "1344")
	stepRegisters = lanesAt(poly1305.IfmaLanes.Powers, poly1305.IfmaLanes.Most, "Z18", "Z19", "Z20")
	stepSum       = lanesAt(eight, poly1305.IfmaLanes.Most, "Z18", "Z19", "Z20")
)

var eight = make([]int, 8) // lanes that are not multiplied

func lanesAt(powers []int, most []uint64, rows ...string) *poly1305.Lanes {
	return &poly1305.Lanes{Radix: 52, Width: 64, Powers: powers, Most: most, Rows: rows}
}

// A cryptProof is one of cryptAVX512IFMA. The Note of a way is what h is by the blocks so far, from the loop's head on.
type cryptProof struct {
	x           chacha20.Cipher
	g           *poly1305.Ring
	state, text *machine.Object
	h           poly1305.Number
}

// cryptKernel encrypts, and hashes text that may lie in dst's buffer.
func cryptKernel(name string) engine.Kernel {
	var p cryptProof
	block := func(c *engine.Case, _ *chacha20.Cipher, number term.Term) [64]term.Byte {
		s := spec.ChaCha20State(p.state.Words(0, 16, 4, 4))
		s[12] = number
		return spec.ChaCha20Block(c.Store, s)
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim: "dst = src XOR n steps of 2048 bytes of key stream, apart or in place, the counter moves by 32n; h = (h + block + 2^128)·r for each block of as much text, modulo 2^130 - 5, with the powers of r in the table; text may lie 1024 bytes or more before dst in its buffer, or 2048 or more after it; the upper word of h is at most 7 before and 4 after",
		Unit:  1, Min: 1, Max: 64 << 10 / stepText, Step: 1, Lengths: "1 to 32 steps",
		Setup: p.setup,
		Spec: func(c *engine.Case, n int64, last bool) {
			p.x.Expect(c, n*stepText, block)
			if last {
				c.Expect(p.state, 4*12, c.AddConst(p.x.Counter, uint64(n*stepText/64)))
			}
			c.Free(p.state, stepStateH, stepStateH+24)
		},
		Advance:   func(c *engine.Case) { p.x.Advance(c, stepText) },
		Invariant: p.invariant,
		At: engine.Claims{
			"added0": p.reduced(0, stepRegisters), "added1": p.reduced(1, stepRegisters),
			"added2": p.reduced(2, stepRegisters), "added3": p.reduced(3, stepRegisters),
			"summed": p.reduced(stepGroups, stepSum),
		},
		Left: func(_ *engine.Case, s engine.View, n int64) error {
			h, ok := s.Note.(algebra.Poly)
			if !ok {
				return fmt.Errorf("ends after %d steps without the loop", n)
			}
			return p.g.Check(s, p.state, stepStateH, h, poly1305.MaxChain)
		},
	}
}

func (p *cryptProof) setup(c *engine.Case) {
	n := c.Scale(c.N, stepText)
	p.g = poly1305.NewRing(c)
	p.state = engine.Writable(c.Buffer("s", stepStateH+24))
	p.h = poly1305.NewNumber(c, "h", poly1305.MaxH2)
	p.state.Set(stepStateH, p.h[:]...)
	p.x.Texts(c, n)
	p.x.Counter = p.state.Load(4*12, 4)
	p.text = c.Bytes("text", n)
	c.MayLie(p.text, p.x.Dst, StepBehind, stepText)
	c.Arg(p.state.Base, poly1305.LongTable.Declare(c, p.g).Base, p.x.Dst.Base, p.x.Src.Base, p.text.Base, c.N)
}

// invariant claims that the lanes, and what is added to the next block, have unknowns, which make h.
func (p *cryptProof) invariant(c *engine.Case) *engine.Claim {
	lanes, first := stepLanes.Unknown(c), stepFirst.Unknown(c)
	value := func(lanes, first []term.Term) algebra.Poly {
		return stepLanes.Value(c, p.g, lanes).Plus(stepFirst.Value(c, p.g, first))
	}
	a := &engine.Claim{Bounds: p.g.Algebra, Note: value(lanes, first)}
	stepLanes.Claim(c, a, lanes)
	stepFirst.Claim(c, a, first)
	a.Where = func(s engine.View) error {
		want, after := s.Note.(algebra.Poly)
		if !after {
			want = p.g.Number(64, p.h[:]...)
		}
		return p.g.Same(s, "h at the loop's head", value(s.Of(lanes...), s.Of(first...)), want)
	}
	return a
}

// reduced is the claim after each group of blocks, and, the last time, after the lanes were multiplied by their powers: the
// lanes make the number that they should, and become new unknowns.
func (p *cryptProof) reduced(group int64, lanes *poly1305.Lanes) func(*engine.Case, engine.View) *engine.Claim {
	return func(c *engine.Case, s engine.View) *engine.Claim {
		want, ok := s.Note.(algebra.Poly)
		if !ok {
			return nil // without the loop's invariant there is nothing to show
		}
		if group < stepGroups {
			want = p.g.Hash(c, want, p.text, group*StepGroup, StepGroup)
		}
		limbs := lanes.Unknown(c)
		a := &engine.Claim{Bounds: p.g.Algebra, Note: lanes.Value(c, p.g, limbs)}
		lanes.Claim(c, a, limbs)
		a.Where = func(s engine.View) error {
			return p.g.Same(s, fmt.Sprintf("h of %d groups", group), lanes.Value(c, p.g, s.Of(limbs...)), want)
		}
		return a
	}
}
