// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"debug/elf"
	"fmt"

	"github.com/unimac/unimac/internal/proof/asm"
)

// An architecture is how machine code is written, and what the assembler puts around the text of a function.
type architecture struct {
	name       string
	machine    elf.Machine
	attributes string // that the disassembler needs
	padding    string // what comes after a function
	jump       string // the name of a jump that is always taken

	// lines has addresses apart from what the disassembler writes, and makes one instruction of several that stand
	// for one of the text. The last one ends at an address.
	lines func(list []line, end uint64) []line
	// normal writes numbers, and what has two names, in one way.
	normal func(text string) string
	// text is what the disassembler writes for an instruction, in a function whose arguments begin so many bytes
	// above the stack pointer.
	text func(in *asm.Instr, arguments int64) expected

	size func(frame int64) int64 // what a function takes from the stack

	// For so many bytes: the check of the stack, what comes after the text for it, and how the frame is made and
	// left.
	check, grow, enter, leave func(size int64) []expected
}

var architectures = []*architecture{amd64, arm64}

// expected is what the object should have.
type expected struct {
	text  string       // with the words label and data in the place of addresses
	label string       // to which it goes
	data  *asm.Operand // that it names
}

// texts are instructions that name nothing.
func texts(list ...string) (all []expected) {
	for _, text := range list {
		all = append(all, expected{text: text})
	}
	return all
}

// Labels of what is in no text: the function itself, what comes after it, and the runtime's function that gives
// more stack.
const (
	start     = "·start"
	grow      = "·grow"
	morestack = "runtime.morestack_noctxt.abi0"
)

// Bytes of a frame, as package internal/abi of the standard library has them: below the first one, a function that
// calls nothing needs no check of the stack; above the second one, the check is another.
const stackSmall, stackBig = 128, 4096

// A comparison is of one function.
type comparison struct {
	*binary
	file      *asm.File
	fn        *asm.Func
	code      []line
	next      int      // of code
	places    []uint64 // where each instruction of the text begins
	jumps     []jump
	shortened int
}

// A jump goes to a label in the text, and to an address in the object.
type jump struct {
	label string
	to    uint64
}

// compare has each instruction of the object be what the text says, and nothing else be there.
func (c *comparison) compare(s elf.Symbol) error {
	a, size := c.arch, c.arch.size(c.fn.Frame)
	split := c.fn.Split && size >= stackSmall
	if split && size > stackBig {
		return fmt.Errorf("how the stack is checked for a frame of %d bytes is not known", c.fn.Frame)
	}
	if len(c.code) == 0 || c.code[0].at != s.Value {
		return fmt.Errorf("no code begins at %#x", s.Value)
	}
	labels := map[string]uint64{start: s.Value, morestack: c.symbols[morestack].Value}
	var begin []expected
	if split {
		begin = a.check(size)
	}
	leave := a.leave(size)
	if size > 0 {
		begin = append(begin, a.enter(size)...)
	} else {
		leave = leave[len(leave)-1:]
	}
	if err := c.are(begin); err != nil {
		return err
	}
	for i := range c.fn.Code {
		in, want := &c.fn.Code[i], leave
		if in.Op != "RET" {
			want = []expected{a.text(in, size+8)} // above the address to return to
		}
		c.places = append(c.places, c.here())
		if err := c.are(want); err != nil {
			return fmt.Errorf("line %d, %s: %w", in.Line, in, err)
		}
	}
	labels[grow] = c.here()
	if split {
		if err := c.are(a.grow(size)); err != nil {
			return err
		}
	}
	for c.next < len(c.code) && c.code[c.next].text == a.padding {
		c.next++
	}
	if c.next != len(c.code) {
		return fmt.Errorf("there is more from %#x on: %s", c.here(), c.code[c.next].text)
	}
	return c.arrive(labels)
}

// here returns the address of the next instruction.
func (c *comparison) here() uint64 {
	if c.next == len(c.code) {
		return 0
	}
	return c.code[c.next].at
}

// are has the next instructions be some.
func (c *comparison) are(list []expected) error {
	for _, want := range list {
		if c.next == len(c.code) {
			return fmt.Errorf("the code ends, want %s", want.text)
		}
		l := &c.code[c.next]
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
				return fmt.Errorf("%s at %#x has its data at %#x, which is not %x, or not to be read alone, or not aligned", l.text, l.at, at, bytes)
			}
		}
	}
	return nil
}

// arrive has each jump go to its label, or where a chain of jumps there ends.
func (c *comparison) arrive(labels map[string]uint64) error {
	for _, j := range c.jumps {
		want, ok := labels[j.label]
		if n, inText := c.fn.Labels[j.label]; inText {
			steps := 0
			for ; c.at(n) != j.to && n < len(c.fn.Code) && c.fn.Code[n].Op == c.arch.jump && steps < len(c.fn.Code); steps++ {
				n = c.fn.Labels[c.fn.Code[n].Args[0].Name]
			}
			want, ok = c.at(n), true
			if steps > 0 {
				c.shortened++
			}
		}
		if !ok || j.to != want {
			return fmt.Errorf("a jump to %s goes to %#x, want %#x", j.label, j.to, want)
		}
	}
	return nil
}

// at returns where an instruction of the text is, or 0 for one after the last.
func (c *comparison) at(n int) uint64 {
	if n < len(c.places) {
		return c.places[n]
	}
	return 0
}
