// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"

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
	jump, ret  string // the unconditional jump in Go's syntax, and the return in LLVM's

	// line replaces the address in l by the word label or data.
	line func(l *line)
	// join adds the instruction next to l if one source instruction yields both.
	join func(l *line, next string) bool
	// normal returns one spelling for all alternative spellings of an instruction.
	normal func(text string) string
	// text returns the expected disassembly. arguments is their offset from SP.
	text func(in *asm.Instr, arguments int64) string

	// The assembler adds code for the stack: a check, code that grows the stack, and code
	// before the function's code and before RET. In their texts, {size} is the size of the
	// stack that a function uses: its frame and saved bytes, rounded down to align. {rest}
	// is 8 bytes less, {checked} is stackSmall bytes less.
	saved, align       int64
	check, grow, leave []string
	enter              func(size int64) []string
}

var architectures = []*architecture{amd64, arm64}

// These labels name the function, its stack-growing code and runtime.morestack.
const (
	start     = "·start"
	grow      = "·grow"
	morestack = "runtime.morestack_noctxt.abi0"
)

// The assembler checks stacks from stackSmall bytes. Checks of stackSmall bytes and
// above stackBig are unsupported.
const stackSmall, stackBig = 128, 4096

// A comparison compares a function with its source.
type comparison struct {
	name string
	*program
	*routine
	file      *asm.File
	fn        *asm.Func
	sizes     *strings.Replacer
	next      int      // index in lines
	places    []uint64 // addresses of the source instructions
	shortened int      // number of jumps that the assembler removed from chains of jumps
}

// compare rejects all code except fn's instructions and those that the assembler adds.
func (c *comparison) compare() error {
	a, size := c.arch, int64(0)
	if c.fn.Frame > 0 {
		size = (c.fn.Frame + a.saved) &^ (a.align - 1)
	}
	c.sizes = strings.NewReplacer("{size}", fmt.Sprint(size), "{rest}", fmt.Sprint(size-8), "{checked}", fmt.Sprint(size-stackSmall))
	c.lines = append(c.lines, line{text: "the end", at: c.at})
	labels := map[string]uint64{start: c.lines[0].at, morestack: c.symbols[morestack].Value}
	var enter, leave, grown []string
	if c.fn.Split && size >= stackSmall {
		if size == stackSmall || size > stackBig {
			return fmt.Errorf("a frame of %d bytes needs a stack check that is not known here", c.fn.Frame)
		}
		enter, grown = a.check, a.grow
	}
	if size > 0 {
		enter, leave = slices.Concat(enter, a.enter(size)), a.leave
	}
	if err := c.are(enter...); err != nil {
		return err
	}
	for i := range c.fn.Code {
		in := &c.fn.Code[i]
		c.places = append(c.places, c.lines[c.next].at)
		want := slices.Concat(leave, []string{a.ret})
		if in.Op != "RET" {
			want = []string{a.text(in, size+8)} // 8 bytes for the return address
		}
		err := c.are(want...)
		if err == nil {
			err = c.checkData(in)
		}
		if err != nil {
			return fmt.Errorf("line %d, %s: %w", in.Line, in, err)
		}
	}
	c.places = append(c.places, 0) // no instruction
	labels[grow] = c.lines[c.next].at
	if err := c.are(grown...); err != nil {
		return err
	}
	for _, l := range c.lines[c.next : len(c.lines)-1] {
		if l.text != a.padding {
			return fmt.Errorf("unexpected code at %#x: %s", l.at, l.text)
		}
	}
	return c.checkJumps(labels)
}

// are compares the next lines with texts. In texts, an arrow and the label's name follow
// the word label.
func (c *comparison) are(texts ...string) error {
	for _, text := range texts {
		l := &c.lines[c.next]
		var want string
		if want, l.label, _ = strings.Cut(c.sizes.Replace(text), "→"); c.arch.normal(l.text) != c.arch.normal(want) {
			return fmt.Errorf("%s at %#x, want %s", l.text, l.at, want)
		}
		c.next++
	}
	return nil
}

// checkData checks the data to which the previous line refers.
func (c *comparison) checkData(in *asm.Instr) error {
	l := &c.lines[c.next-1]
	for _, o := range in.Args {
		bytes, at := c.file.Data[o.Name], l.to-uint64(o.Imm)
		refers := o.Kind == asm.Symbol || o.Kind == asm.AddressOf
		if refers && (!c.constant(at, bytes) || len(bytes) >= 16 && at%16 != 0) {
			return fmt.Errorf("%s at %#x names data at %#x, want read-only, aligned %x there", l.text, l.at, at, bytes)
		}
	}
	return nil
}

// checkJumps checks jump targets. The assembler may have shortened chains of jumps.
func (c *comparison) checkJumps(labels map[string]uint64) error {
	for _, j := range c.lines {
		want, ok := labels[j.label]
		if n, inText := c.fn.Labels[j.label]; inText {
			for steps := 0; c.places[n] != j.to && n < len(c.fn.Code) && c.fn.Code[n].Op == c.arch.jump && steps < len(c.fn.Code); steps++ {
				n = c.fn.Labels[c.fn.Code[n].Args[0].Name]
				c.shortened++
			}
			want, ok = c.places[n], true
		}
		if j.label != "" && (!ok || j.to != want) {
			return fmt.Errorf("a jump to %s leads to %#x, want %#x", j.label, j.to, want)
		}
	}
	return nil
}
