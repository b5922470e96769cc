// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 contains the proof statements for the assembly kernels of
// internal/chacha20poly1305.
package chacha20poly1305

import (
	"fmt"
	"slices"

	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
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
		crypt("cryptAVX2", [3]string{"DX", "CX", "BX"}, onePass{step: 512, before: [2]int64{448, 192}, r0: "SI", r1: 1744},
			"rounds8", "First", ""),
		crypt("cryptSSE41", [3]string{"SI", "DI", "R8"}, onePass{step: 256, r0: "R9", r1: 392}, "rounds4", ""),
		crypt("cryptAVX512", [3]string{"CX", "BX", "SI"}, onePass{step: 1024, before: [2]int64{960, 192}, words: true, r0: "DI", r1: 1128}, ""),
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

// A Schedule describes how the loop hashes blocks. Each iteration, called a step,
// hashes several parts of equal size: vector lanes hash the last Group blocks of a
// part, and general-purpose registers hash the blocks before them, if any.
type Schedule struct {
	Group       int64 // blocks of a part that the lanes hash
	MinDistance int64 // minimum distance from text to dst if text lies before dst

	parts       int               // parts of a step
	chains      []*poly1305.Lanes // one for each part, with a single number
	first       *poly1305.Lanes   // at the loop's head, the number to be added to the first block
	table       *poly1305.Table
	claimSuffix string // an addition to the claim
}

// Steps and HalvedSteps are the schedules of the kernels. Tests change them.
var (
	Steps = Schedule{
		Group: 32, MinDistance: 1024, parts: 4, table: poly1305.LongTable,
		first: lanesAt([]int{0}, []uint64{1<<52 - 1, 1<<52 - 1, 1<<27 - 1}, "1216", "1280", "1344"),
	}
	HalvedSteps = Schedule{
		Group: 24, MinDistance: 1664, parts: 2, table: poly1305.HalvedTable, claimSuffix: "; it changes its arguments dst, src, text and n",
		first:  chainAt(poly1305.MaxH2, "AX", "CX", "BX"),
		chains: []*poly1305.Lanes{chainAt(poly1305.MaxChain, "AX", "CX", "BX"), chainAt(poly1305.MaxChain, "SI", "DI", "R8")},
	}
)

// The lanes between steps, after a group, and multiplied by powers of r.
var (
	stepLanes     = lanesAt(poly1305.IfmaLanes.Powers, poly1305.IfmaLanes.Limits, "1024", "1088", "1152")
	stepRegisters = lanesAt(poly1305.IfmaLanes.Powers, poly1305.IfmaLanes.Limits, "Z18", "Z19", "Z20")
	stepSum       = lanesAt(eight, poly1305.IfmaLanes.Limits, "Z18", "Z19", "Z20")
	eight         = make([]int, 8) // lanes that need not be multiplied by powers of r
)

func lanesAt(powers []int, limits []uint64, rows ...string) *poly1305.Lanes {
	return &poly1305.Lanes{Radix: 52, Width: 64, Powers: powers, Limits: limits, Rows: rows}
}

func chainAt(limit uint64, rows ...string) *poly1305.Lanes {
	return &poly1305.Lanes{Radix: 64, Width: 64, Powers: []int{0}, Limits: []uint64{1<<64 - 1, 1<<64 - 1, limit}, Rows: rows}
}

type cryptProof struct {
	*Schedule
	x           chacha20.Cipher
	g           *poly1305.Ring
	state, text *machine.Object
	h           poly1305.Number
}

// A stepNote records h between parts: Lanes plus the next part's chain. Without chains,
// the first chain is the number to be added to the first block.
type stepNote struct {
	Lanes  algebra.Poly
	Chains [4]algebra.Poly
	Read   [4]int // blocks that each chain has processed in this step
	Added  int    // groups added in this step, plus 1 after the final sum
}

func cryptKernel(name string, schedule *Schedule) engine.Kernel {
	p := cryptProof{Schedule: schedule}
	block := func(c *engine.Case, _ *chacha20.Cipher, number term.Term) [64]term.Byte {
		s := spec.ChaCha20State(p.state.Words(layout.MessageConstants, 16, 4, 4))
		s[12] = number
		return spec.ChaCha20Block(c.Store, s)
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim: fmt.Sprintf("dst = src XOR n steps of 2048 bytes of key stream, apart or in place, the counter moves by 32n; h = (h + block + 2^128)·r for each block of as much text, modulo 2^130 - 5, with the powers of r in the table; text may lie %d bytes or more before dst in its buffer, or 2048 or more after it; the upper word of h is at most 7 before and 4 after", p.MinDistance) + p.claimSuffix,
		Range: engine.Range{Unit: 1, Min: 1, Max: 64 << 10 / layout.StepBytes, Lengths: "1 to 32 steps"},
		Loop:  engine.Loop{Step: 1, Advance: func(c *engine.Case) { p.x.Advance(c, layout.StepBytes) }, Invariant: p.invariant},
		Setup: func(c *engine.Case) {
			n := c.Scale(c.N, layout.StepBytes)
			p.g = poly1305.NewRing(c)
			p.state = engine.Writable(c.Buffer("s", layout.MessageR))
			p.h = poly1305.NewNumber(c, "h", poly1305.MaxH2)
			p.state.Set(layout.MessageH, p.h[:]...)
			p.x.Texts(c, n)
			p.x.Counter = p.state.Load(layout.MessageCounter, 4)
			p.text = c.Bytes("text", n)
			c.MayShare(p.text, p.x.Dst, p.MinDistance, layout.StepBytes)
			c.Arg(p.state.Base, p.table.Declare(c, p.g).Base, p.x.Dst.Base, p.x.Src.Base, p.text.Base, c.N)
			if p.chains != nil {
				c.Resize(p.state, c.Const(64, layout.MessageS))
				p.g.Put(c, p.state, layout.MessageR)
				engine.Writable(c.Arguments)
			}
		},
		Spec: func(c *engine.Case, n int64, last bool) {
			p.x.Expect(c, n*layout.StepBytes, block)
			if last {
				c.Expect(p.state, layout.MessageCounter, c.AddConst(p.x.Counter, uint64(n*layout.StepBytes/64)))
			}
			c.Checked(p.state, layout.MessageH, layout.MessageH+24)
			if p.chains != nil { // kernels with chains change their arguments
				c.Free(c.Arguments, 16, 48)
			}
		},
		Weakenings: engine.Weakenings{At: p.checks()},
		Left: func(_ *engine.Case, s engine.View, n int64) error {
			note, ok := s.Note.(stepNote)
			if !ok || n != 1 || note.Added != p.parts+1 {
				return fmt.Errorf("the last of %d steps from the loop's head ends after %d parts", n, note.Added)
			}
			return p.g.Check(s, p.state, layout.MessageH, note.Lanes, poly1305.MaxChain)
		},
	}
}

// invariant states that the lanes and the first number sum to h.
func (p *cryptProof) invariant(c *engine.Case) *engine.Assertion {
	lanes, first := stepLanes.Unknown(c), p.first.Unknown(c)
	a := &engine.Assertion{Algebra: p.g.Algebra}
	a.Note = stepNote{Lanes: stepLanes.Value(c, p.g, lanes), Chains: [4]algebra.Poly{p.first.Value(c, p.g, first)}}
	stepLanes.Claim(c, a, lanes)
	p.first.Claim(c, a, first)
	a.Where = func(s engine.View) error {
		want := p.g.Number(64, p.h[:]...)
		if note, after := s.Note.(stepNote); after {
			if want = note.Lanes; note.Added != p.parts {
				return fmt.Errorf("an iteration ends after %d parts of a step", note.Added)
			}
		}
		got := stepLanes.Value(c, p.g, s.Of(lanes...)).Plus(p.first.Value(c, p.g, s.Of(first...)))
		return p.g.Same(s, "h at the loop's head", got, want)
	}
	return a
}

// checks returns the assertions at labels in a step. Each of them replaces the number that
// it checks with unknowns.
func (p *cryptProof) checks() engine.Assertions {
	part := layout.StepBytes / spec.Poly1305Block / int64(p.parts) // blocks in a part
	at := engine.Assertions{}
	check := func(label string, check func(*engine.Case, *stepNote) *engine.Assertion) {
		at[label] = func(c *engine.Case, s engine.View) *engine.Assertion {
			note, ok := s.Note.(stepNote)
			if !ok {
				return nil // before the loop invariant, there is nothing to check
			}
			return check(c, &note)
		}
	}
	for i := range p.chains {
		for j := range 4 {
			check(fmt.Sprintf("chain%dBlock%d", i, j), func(c *engine.Case, note *stepNote) *engine.Assertion {
				want := p.g.Hash(c, note.Chains[i], p.text, part*int64(i)+int64(note.Read[i]), 1)
				note.Read[i]++
				return p.represent(c, p.chains[i], want, note, &note.Chains[i])
			})
		}
	}
	for i := range p.parts { // after the group of a part
		check(fmt.Sprint("added", i), func(c *engine.Case, note *stepNote) *engine.Assertion {
			machine.Refuse(note.Added != i, "part %d of a step comes after %d", i, note.Added)
			note.Added++
			before := part - p.Group
			machine.Refuse(note.Read[i] != int(before), "a chain has %d blocks, want %d", note.Read[i], before)
			want := note.Lanes.Mul(p.g.R.Power(int(before))).Plus(note.Chains[i])
			want = p.g.Hash(c, want, p.text, part*int64(i)+before, p.Group)
			return p.represent(c, stepRegisters, want, note, &note.Lanes)
		})
	}
	check("summed", func(c *engine.Case, note *stepNote) *engine.Assertion { // after multiplication by powers of r
		machine.Refuse(note.Added != p.parts, "the lanes are added up after %d parts", note.Added)
		note.Added++
		return p.represent(c, stepSum, note.Lanes, note, &note.Lanes)
	})
	return at
}

// represent returns the assertion that the lanes represent want, and replaces number, a
// field of note, with the number of the unknown limbs.
func (p *cryptProof) represent(c *engine.Case, lanes *poly1305.Lanes, want algebra.Poly, note *stepNote, number *algebra.Poly) *engine.Assertion {
	limbs := lanes.Unknown(c)
	a := &engine.Assertion{Algebra: p.g.Algebra}
	lanes.Claim(c, a, limbs)
	a.Where = func(s engine.View) error { return p.g.Same(s, "h", lanes.Value(c, p.g, s.Of(limbs...)), want) }
	*number = lanes.Value(c, p.g, limbs)
	a.Note = *note
	return a
}
