// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A View is a state as statements see it, who can look and not change anything.
type View struct {
	s *machine.State
	state
	Mem  Memory
	PC   int // the instruction that was executed, or is next
	Note any // see Claim
}

// state is what statements may ask of a state.
type state interface {
	Word(at, n int) term.Term                           // n bytes of registers
	Resolve(address term.Term) (*machine.Object, int64) // the object and the offset of an address
	Value(t term.Term) (value uint64, ok bool)          // for the run's lengths; it goes on by parts if they differ
}

// Memory is that of a state.
type Memory struct{ memory }

type memory interface {
	Byte(o *machine.Object, at int64) term.Byte           // what a byte of an object is
	Stored(o *machine.Object, at int64) (term.Byte, bool) // what was stored in it, if anything was
	Extent(o *machine.Object) int64                       // how many bytes from its start an object has been stored to, at most
	Size(o *machine.Object) term.Term
}

func view(s *machine.State) View {
	return View{s: s, state: s, Mem: Memory{s.Mem}, PC: s.PC, Note: s.Note}
}

// Has returns what a place has: width bits.
func (v View) Has(p Place, width int) term.Term { return get(v.s, p, width) }

// At returns the 64 bits that a place has.
func (v View) At(p Place) term.Term { return get(v.s, p, 64) }

// Stored returns 8 bytes of memory.
func (v View) Stored(o *machine.Object, at int64) term.Term { return v.At(In(o, at)) }

// Length returns the length of the run: a number, or a symbol for some lengths.
func (v View) Length() term.Term { return v.s.Length }

// Equal compares the bytes of words.
func (c *Case) Equal(x, y term.Term) bool {
	return slices.EqualFunc(c.bytes(x), c.bytes(y), c.Same)
}

// Register returns the place of a register, by its name; of a vector, which Z or V names, of its first 8 bytes.
func (c *Case) Register(name string) Place { return c.Lane(name, 0) }

// Lane returns the place of 8 bytes of a vector.
func (c *Case) Lane(name string, lane int) Place {
	at := slices.Index(c.layout.Of, name)
	if at < 0 {
		machine.Fail("there is no register %s", name)
	}
	return InRegisters(8 * (at + lane))
}

// Objects returns all memory.
func (c *Case) Objects() []*machine.Object { return c.mem.Objects() }

// SizeOf returns the size of an object.
func (c *Case) SizeOf(o *machine.Object) term.Term { return c.mem.Size(o) }

// Locals returns the frame, not what is aligned in it.
func (c *Case) Locals() *machine.Object { return c.frame }

// Frame returns the function's frame, or what is aligned in it.
func (c *Case) Frame() *machine.Object { return c.frame.Aligned() }

// Known returns a number that must be known.
func (c *Case) Known(t term.Term) uint64 {
	v, ok := c.IsConst(t)
	if !ok {
		machine.Fail("%s is not known", c.Format(t))
	}
	return v
}

// bytes returns those of a term.
func (c *Case) bytes(t term.Term) []term.Byte {
	b := make([]term.Byte, c.Width(t)/8)
	c.Store.Bytes(b, t)
	return b
}
