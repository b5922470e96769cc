// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"debug/elf"
	"fmt"

	"github.com/unimac/unimac/internal/proof/asm"
)

// An architecture describes disassembly syntax and the code that the assembler adds.
type architecture struct {
	name       string
	machine    elf.Machine
	page       uint64 // the largest page size of its systems
	llvm       string // LLVM's name
	attributes string // features to enable in the disassembler
	separator  []byte // three HLT after what an instruction may swallow, and NOP
	padding    string // fills the space after a function
	jump       string // the unconditional jump

	// lines replaces addresses and joins lines that are one instruction in the source.
	lines func(list []line) []line
	// normal returns one spelling for all alternative spellings of an instruction.
	normal func(text string) string
	// text returns the expected disassembly. arguments is their offset from SP.
	text func(in *asm.Instr, arguments int64) expected

	size func(frame int64) int64 // size of the stack that a function with this frame uses

	// The assembler adds these instructions for the stack.
	check, enter, leave func(size int64) []expected
	grow                []expected
}

var architectures = []*architecture{amd64, arm64}

type expected struct {
	text  string       // with the words label and data in place of addresses
	label string       // the label to which it jumps
	data  *asm.Operand // data to which it refers
}

func texts(list ...string) (all []expected) {
	for _, text := range list {
		all = append(all, expected{text: text})
	}
	return all
}

// These labels name the function, its stack-growing code and runtime.morestack.
const (
	start     = "·start"
	grow      = "·grow"
	morestack = "runtime.morestack_noctxt.abi0"
)

// The assembler checks stacks from stackSmall bytes. Checks above stackBig are
// unsupported.
const stackSmall, stackBig = 128, 4096

// A comparison compares a function with its source.
type comparison struct {
	name string
	*program
	*routine
	file      *asm.File
	fn        *asm.Func
	next      int      // index in lines
	places    []uint64 // addresses of the source instructions
	jumps     []jump
	shortened int // number of jumps that lead to the end of a chain of jumps
}

type jump struct {
	label string
	to    uint64
}

// compare rejects all code except fn's instructions and those that the assembler adds.
func (c *comparison) compare(begin uint64) error {
	a, size := c.arch, c.arch.size(c.fn.Frame)
	split := c.fn.Split && size >= stackSmall
	if split && size > stackBig {
		return fmt.Errorf("a frame of %d bytes needs a stack check that is not known here", c.fn.Frame)
	}
	labels := map[string]uint64{start: begin, morestack: c.symbols[morestack].Value}
	var enter []expected
	if split {
		enter = a.check(size)
	}
	leave := a.leave(size)
	if size > 0 {
		enter = append(enter, a.enter(size)...)
	} else {
		leave = leave[len(leave)-1:]
	}
	if err := c.are(enter); err != nil {
		return err
	}
	for i := range c.fn.Code {
		in, want := &c.fn.Code[i], leave
		if in.Op != "RET" {
			want = []expected{a.text(in, size+8)} // 8 bytes for the return address
		}
		c.places = append(c.places, c.here())
		if err := c.are(want); err != nil {
			return fmt.Errorf("line %d, %s: %w", in.Line, in, err)
		}
	}
	c.places = append(c.places, 0) // no instruction
	labels[grow] = c.here()
	if split {
		if err := c.are(a.grow); err != nil {
			return err
		}
	}
	for c.next < len(c.lines) && c.lines[c.next].text == a.padding {
		c.next++
	}
	if c.next != len(c.lines) {
		return fmt.Errorf("unexpected code at %#x: %s", c.here(), c.lines[c.next].text)
	}
	return c.checkJumps(labels)
}

func (c *comparison) here() uint64 {
	if c.next == len(c.lines) {
		return 0
	}
	return c.lines[c.next].at
}

func (c *comparison) are(list []expected) error {
	for _, want := range list {
		if c.next == len(c.lines) {
			return fmt.Errorf("the code ends, want %s", want.text)
		}
		l := &c.lines[c.next]
		c.next++
		if c.arch.normal(l.text) != c.arch.normal(want.text) {
			return fmt.Errorf("%s at %#x, want %s", l.text, l.at, want.text)
		}
		if want.label != "" {
			c.jumps = append(c.jumps, jump{want.label, l.to})
		}
		if o := want.data; o != nil {
			bytes, at := c.file.Data[o.Name], l.to-uint64(o.Imm)
			if !c.constant(at, bytes) || len(bytes) >= 16 && at%16 != 0 {
				return fmt.Errorf("%s at %#x names data at %#x, want read-only, aligned %x there", l.text, l.at, at, bytes)
			}
		}
	}
	return nil
}

// checkJumps checks jump targets. The assembler may have shortened chains of jumps.
func (c *comparison) checkJumps(labels map[string]uint64) error {
	for _, j := range c.jumps {
		want, ok := labels[j.label]
		if n, inText := c.fn.Labels[j.label]; inText {
			steps := 0
			for ; c.places[n] != j.to && n < len(c.fn.Code) && c.fn.Code[n].Op == c.arch.jump && steps < len(c.fn.Code); steps++ {
				n = c.fn.Labels[c.fn.Code[n].Args[0].Name]
			}
			want, ok = c.places[n], true
			if steps > 0 {
				c.shortened++
			}
		}
		if !ok || j.to != want {
			return fmt.Errorf("a jump to %s leads to %#x, want %#x", j.label, j.to, want)
		}
	}
	return nil
}
