// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/term"
)

// An Env is what a function's text refers to.
type Env struct {
	T     *term.Store
	Frame *Object
	Args  *Object            // arguments, from 0(FP)
	Data  map[string]*Object // static data, by name
}

// An Op is one compiled instruction. It advances nothing: control flow sets Next.
type Op func(*State)

// A Program is one compiled function.
type Program struct {
	Ops   []Op
	Lines []int // of the source
	// Layout says how the architecture uses State.Regs.
	Layout *Layout
}

// Compile returns the program of a function, each of whose instructions one compiles, or Fails.
func Compile(fn *asm.Func, layout *Layout, one func(*asm.Instr) Op) (*Program, error) {
	p := &Program{Layout: layout}
	for i := range fn.Code {
		in := &fn.Code[i]
		if err := Try(func() { p.Ops = append(p.Ops, one(in)) }); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", in.Line, in.Op, err)
		}
		p.Lines = append(p.Lines, in.Line)
	}
	return p, nil
}

// A Layout says how an architecture uses State.Regs.
type Layout struct {
	Words int      // general purpose registers, of 8 bytes, which come first
	Of    []string // the register that each 8 bytes belong to
}

// NewLayout returns one of general purpose registers, vectors of width bytes and masks of 8.
func NewLayout(words []string, vector string, count, width int, mask string, masks int) *Layout {
	l := &Layout{Words: len(words), Of: slices.Clone(words)}
	for i := range count {
		l.Of = append(l.Of, slices.Repeat([]string{fmt.Sprint(vector, i)}, width/8)...)
	}
	for i := range masks {
		l.Of = append(l.Of, fmt.Sprint(mask, i))
	}
	return l
}

// Size returns how many bytes all registers have.
func (l *Layout) Size() int { return 8 * len(l.Of) }

// Name returns the name of a byte: that of a vector has its number.
func (l *Layout) Name(offset int) string {
	name := l.Of[offset/8]
	if at := slices.Index(l.Of, name); at+1 < len(l.Of) && l.Of[at+1] == name {
		return fmt.Sprintf("%s[%d]", name, offset-8*at)
	}
	return name
}
