// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	stepText   = 2048 // bytes that a step encrypts, and hashes
	stepStateH = 64   // where the state has h
)

// stepBehind is by how many bytes text may lie before dst in its buffer, or by more.
var stepBehind = int64(1024)

// stepLanes are eight lanes of Poly1305, in the frame between steps and in registers when a
// group of blocks has been added. StepFirst is what is to be added to the first block.
var (
	stepGroup     = int64(32) // blocks
	stepLanes     = stepLanesAt(true, 1024, 1088, 1152)
	stepRegisters = stepLanesAt(false, amd64.Vectors+64*18, amd64.Vectors+64*19, amd64.Vectors+64*20)
	stepFirst     = &polyLanes{
		radix: 52, powers: []int{0}, most: []uint64{1<<52 - 1, 1<<52 - 1, 1<<27 - 1},
		cells: [][]cell{cellsOf(true, 1216, 1), cellsOf(true, 1280, 1), cellsOf(true, 1344, 1)},
	}
)

func stepLanesAt(frame bool, at ...int) *polyLanes {
	l := *ifmaLanes
	l.cells = nil
	for _, at := range at {
		l.cells = append(l.cells, cellsOf(frame, at, 8))
	}
	return &l
}

// A stepNote is what is known of h on the way: the number that the lanes make, and how many
// blocks of the text are in it.
type stepNote struct {
	h      algebra.Poly
	blocks int64
	summed bool // the lanes were multiplied by their powers
}

// A stepsProof is one of cryptAVX512IFMA.
type stepsProof struct {
	x           cipher
	g           *polyRing
	state, text *machine.Object
	h           polyH
}

// stepsKernel encrypts, and hashes text that may lie in dst's buffer.
func stepsKernel(file, name string) Kernel {
	var p stepsProof
	counter := func(c *Case) term.Term { return c.Load(p.state, 4*12, 4) }
	return Kernel{
		File: file, Func: name,
		Claim:    "dst = src XOR n steps of 2048 bytes of key stream, the counter moves by 32n; h = (h + block + 2^128)·r for each block of as much text, modulo 2^130 - 5, with the powers of r in the table; text may lie 1024 bytes or more before dst in its buffer, or 2048 or more after it; the upper word of h is at most 7 before and 4 after",
		Variants: []string{"apart", "in place"},
		Wipes:    true,
		Unit:     1, Min: 1, Max: 64 << 10 / stepText, Step: 1, Lengths: "1 to 32 steps",
		Setup: p.setup,
		Spec: func(c *Case, n int64, last bool) {
			s := c.chachaState(p.state)
			for i := range n * stepText {
				key := c.Gather([]term.Byte{c.keptBlock(c.ahead(s, i/64))[i%64]})
				c.Expect(p.x.dst, i, c.Xor(c.Load(p.x.src, i, 1), key))
			}
			if last {
				c.Expect(p.state, 4*12, c.AddConst(counter(c), uint64(n*stepText/64)))
				c.Free(p.state, stepStateH, stepStateH+24)
			}
		},
		Advance: func(c *Case) {
			for _, o := range []*machine.Object{p.x.dst, p.x.src, p.text} {
				c.Move(o, stepText)
			}
			c.Become(counter(c), c.AddConst(counter(c), stepText/64))
		},
		Widen: func(c *Case, head *machine.State) {
			stepLanes.widen(c, head)
			stepFirst.widen(c, head)
		},
		Holds: func(c *Case, head, then *machine.State, first bool) error {
			return algebra.Safely(func() error { return p.holds(c, head, then, first) })
		},
		Cut:   p.cut,
		Watch: p.watch,
		Left: func(c *Case, s *machine.State, n int64, last bool) error {
			if !last {
				return nil
			}
			note, _ := s.Note.(stepNote)
			if note.blocks != n*stepText/poly1305Block || !note.summed {
				return fmt.Errorf("h has %d blocks", note.blocks)
			}
			return algebra.Safely(func() error {
				if err := p.g.AtMost(c.stored(s, p.state, stepStateH+16), maxChain); err != nil {
					return fmt.Errorf("the upper word of h %w", err)
				}
				return p.h.check(c, p.g, s, note.h)
			})
		},
	}
}

func (p *stepsProof) setup(c *Case) {
	n := c.Scale(c.N, stepText)
	p.g = c.newPolyRing()
	p.state = Writable(c.Buffer("s", stepStateH+24))
	p.h = c.newPolyH(p.state, stepStateH)
	p.x.texts(c, n)
	p.text = c.Bytes("text", n)
	c.Pointers(p.state, longTable.declare(c, p.g), p.x.dst, p.x.src, p.text)
	c.Arg(c.N)
}

// value returns what the lanes make at the loop's head, with what is added to the next block.
func (p *stepsProof) value(c *Case, s *machine.State) (algebra.Poly, error) {
	h, err := stepLanes.value(c, p.g, s)
	if err != nil {
		return nil, err
	}
	first, err := stepFirst.value(c, p.g, s)
	return h.Plus(first), err
}

func (p *stepsProof) holds(c *Case, head, then *machine.State, first bool) error {
	before, err := p.value(c, head)
	if err != nil {
		return err
	}
	got, err := p.value(c, then)
	if err != nil {
		return err
	}
	if first {
		head.Note = stepNote{h: before}
		return p.g.congruent("h at first", got, p.g.Number(64, p.h.words...))
	}
	note := then.Note.(stepNote)
	if note.blocks != stepText/poly1305Block {
		return fmt.Errorf("a turn reads %d blocks", note.blocks)
	}
	return p.g.congruent("h after a turn", got, note.h)
}

// cut is after each reduction: the lanes make the number that they should, and become new
// unknowns.
func (p *stepsProof) cut(c *Case, s *machine.State) {
	in := &c.fn.Code[s.PC]
	if in.Op != "VPADDQ" || in.Args[0].Reg != "Z30" || in.Args[2].Reg != "Z20" || in.Args[1].Reg != "Z20" {
		return
	}
	note, ok := s.Note.(stepNote)
	if !ok {
		return // before the loop there is nothing to show
	}
	if err := algebra.Safely(func() (err error) { s.Note, err = p.reduced(c, s, note); return err }); err != nil {
		machine.Fail("after %d blocks: %v", note.blocks, err)
	}
}

func (p *stepsProof) reduced(c *Case, s *machine.State, note stepNote) (stepNote, error) {
	lanes := stepRegisters
	if after := c.fn.Code[s.PC:]; !goesBack(c.fn, after) { // after the loop
		lanes = &polyLanes{radix: 52, bits: 52, cells: lanes.cells, most: lanes.most, powers: make([]int, 8)}
		note.summed = true
	} else {
		note.h = p.g.hash(c, note.h, p.text, note.blocks, stepGroup)
		note.blocks += stepGroup
	}
	type key struct {
		blocks int64
		lanes  [24]term.Term
	}
	k := key{blocks: note.blocks}
	for i := range k.lanes {
		k.lanes[i] = lanes.cells[i/8][i%8].word(c, s)
	}
	got, err := lanes.value(c, p.g, s)
	if err == nil {
		err = p.g.congruent("h", got, note.h)
	}
	if err != nil {
		return note, err
	}
	lanes.widen(c, s)
	note.h, err = lanes.value(c, p.g, s)
	return note, err
}

// goesBack reports whether there is a branch that may be taken back among instructions.
func goesBack(fn *asm.Func, code []asm.Instr) bool {
	for i := range code {
		if code[i].Op == "JNZ" {
			return true
		}
	}
	return false
}

// watch has every byte of text be read when that of dst is stored that may lie in its place, if
// text begins before dst, and when that is not, if it begins after.
func (p *stepsProof) watch(c *Case) machine.Watch {
	return func(mem *machine.Memory, o *machine.Object, offset, size int64, store bool) {
		once(mem, p.x.dst, o, offset, size, store)
		if o != p.text {
			return
		}
		p.x.behind(mem, offset+size, stepBehind)
		if mem.Extent(p.x.dst) > offset+stepText {
			machine.Fail("reads text[%d] after dst[%d] is stored", offset, mem.Extent(p.x.dst)-1)
		}
	}
}
