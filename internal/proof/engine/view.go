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
	s        *machine.State
	Mem      Memory
	PC, Next int // the instruction that was executed, or is next, and the one after it
	Note     any // see Claim
	Forks    []machine.Fork
}

// Memory is that of a state.
type Memory struct{ m *machine.Memory }

func view(s *machine.State) View {
	return View{s: s, Mem: Memory{s.Mem}, PC: s.PC, Next: s.Next, Note: s.Note, Forks: s.Forks}
}

// Byte returns what a byte of an object is.
func (m Memory) Byte(o *machine.Object, at int64) term.Byte { return m.m.Byte(o, at) }

// Stored returns what was stored in a byte of an object, if anything was.
func (m Memory) Stored(o *machine.Object, at int64) (term.Byte, bool) { return m.m.Stored(o, at) }

// Extent returns how many bytes from its start an object has been stored to, at most.
func (m Memory) Extent(o *machine.Object) int64 { return m.m.Extent(o) }

// Size returns the size of an object.
func (m Memory) Size(o *machine.Object) term.Term { return m.m.Size(o) }

// Word returns n bytes of registers.
func (v View) Word(at, n int) term.Term { return v.s.Word(at, n) }

// Register returns a byte of registers.
func (v View) Register(at int) term.Byte { return v.s.Regs[at] }

// Registers returns how many bytes registers have.
func (v View) Registers() int { return len(v.s.Regs) }

// Stored returns 8 bytes of memory.
func (v View) Stored(o *machine.Object, at int64) term.Term {
	var b [8]term.Byte
	for i := range b {
		b[i] = v.s.Mem.Byte(o, at+int64(i))
	}
	return v.s.T.Gather(b[:])
}

// Has returns what a place has: width bits.
func (v View) Has(p Place, width int) term.Term { return get(v.s, p, width) }

// At returns the 64 bits that a place has.
func (v View) At(p Place) term.Term { return get(v.s, p, 64) }

// Resolve returns the object and the offset of an address.
func (v View) Resolve(address term.Term) (*machine.Object, int64) { return v.s.Resolve(address) }

// Value returns the value of a term for the lengths of the run, which goes on by parts if they differ.
func (v View) Value(t term.Term) (uint64, bool) { return v.s.Value(t) }

// Length returns the length of the run: a number, or a symbol for some lengths.
func (v View) Length() term.Term { return v.s.Length }

// Lengths returns the lengths that the run is for, if there are several, and for which term they stand.
func (v View) Lengths() (n term.Term, lengths []int64) {
	if v.s.Group == nil || len(v.s.Group.Lengths) < 2 {
		return 0, nil
	}
	return v.s.Group.N, v.s.Group.Lengths
}

// Equal compares the bytes of words.
func (c *Case) Equal(x, y term.Term) bool {
	var a, b [8]term.Byte
	c.Store.Bytes(a[:], x)
	c.Store.Bytes(b[:], y)
	for i := range a {
		if !c.Same(a[i], b[i]) {
			return false
		}
	}
	return true
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

// Words returns the names of the registers that may hold lengths, counts and pointers: 8 bytes each, in this order.
func (c *Case) Words() []string { return c.layout.Of[:c.layout.Words] }

// Objects returns all memory.
func (c *Case) Objects() []*machine.Object { return c.mem.Objects() }

// SizeOf returns the size of an object.
func (c *Case) SizeOf(o *machine.Object) term.Term { return c.mem.Size(o) }

// Locals returns the frame, not what is aligned in it.
func (c *Case) Locals() *machine.Object {
	for _, o := range c.mem.Objects() {
		if o.Name == "frame" {
			return o
		}
	}
	return nil
}

// Frame returns the function's frame, or what is aligned in it.
func (c *Case) Frame() (frame *machine.Object) {
	for _, o := range c.mem.Objects() {
		if o.Name == "frame" {
			frame = o
		}
	}
	return frame
}

// Known returns a number that must be known.
func (c *Case) Known(t term.Term) uint64 {
	v, ok := c.IsConst(t)
	if !ok {
		machine.Fail("%s is not known", c.Format(t))
	}
	return v
}

// AlignedFrame returns the aligned part of the frame.
func (c *Case) AlignedFrame(align int64) *machine.Object {
	for _, o := range c.mem.Objects() {
		if o.Name == "frame" && o.Align == align {
			return o
		}
	}
	machine.Fail("the frame is not aligned")
	return nil
}
