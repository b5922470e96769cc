// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// put sets 8 bytes of memory.
func (c *Case) Put(s *machine.State, o *machine.Object, at int64, t term.Term) {
	var b [8]term.Byte
	c.Store.Bytes(b[:], t)
	for i, x := range b {
		s.Mem.Put(o, at+int64(i), x)
	}
}

// equal compares the bytes of words.
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

// locals returns the frame, not what is aligned in it.
func (c *Case) Locals() *machine.Object {
	for _, o := range c.Mem.Objects() {
		if o.Name == "frame" {
			return o
		}
	}
	return nil
}

// stored returns 8 bytes of memory.
func (c *Case) Stored(s *machine.State, o *machine.Object, at int64) term.Term {
	var b [8]term.Byte
	for i := range b {
		b[i] = s.Mem.Byte(o, at+int64(i))
	}
	return c.Gather(b[:])
}

// frame returns the function's frame, or what is aligned in it.
func (c *Case) Frame() (frame *machine.Object) {
	for _, o := range c.Mem.Objects() {
		if o.Name == "frame" {
			frame = o
		}
	}
	return frame
}

// known returns a number that must be known.
func (c *Case) Known(t term.Term) uint64 {
	v, ok := c.IsConst(t)
	if !ok {
		machine.Fail("%s is not known", c.Format(t))
	}
	return v
}

// frame returns the aligned part of the frame.
func (c *Case) AlignedFrame(align int64) *machine.Object {
	for _, o := range c.Mem.Objects() {
		if o.Name == "frame" && o.Align == align {
			return o
		}
	}
	machine.Fail("the frame is not aligned")
	return nil
}
