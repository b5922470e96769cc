// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"math/big"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Turns returns the number of turns before Invariant's assertion is checked: 1 on a
// path from the loop's head, and 0 on a path from the beginning.
func (c *Case) Turns() int64 {
	if c.Looped {
		return 1
	}
	return 0
}

// Before returns the input that represents the number of turns before the loop's head.
// The path must begin at the head.
func (c *Case) Before() term.Term {
	if c.head == nil {
		machine.Fail("no turn comes before")
	}
	return c.head.turns
}

// Equal compares the bytes of words.
func (c *Case) Equal(x, y term.Term) bool {
	return slices.EqualFunc(c.bytes(x), c.bytes(y), c.Same)
}

// Register returns the place of a register by name. For a vector, whose name begins
// with Z or V, it returns the place of the first 8 bytes.
func (c *Case) Register(name string) Place { return c.Lane(name, 0) }

// Lane returns the place of 8 bytes of a vector.
func (c *Case) Lane(name string, lane int) Place {
	at := c.layout.At(name)
	if at < 0 {
		machine.Fail("there is no register %s", name)
	}
	return InRegisters(at + 8*lane)
}

// Objects returns all memory.
func (c *Case) Objects() []*machine.Object { return c.mem.Objects() }

// SizeOf returns the size of an object.
func (c *Case) SizeOf(o *machine.Object) term.Term { return c.mem.Size(o) }

// Locals returns the whole frame, even if part of it is aligned.
func (c *Case) Locals() *machine.Object { return c.frame }

// Frame returns the aligned part of the function's frame or, if there is none, the
// frame.
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

// Declared returns the case that Setup declares for a variant, without choosing a
// length.
func (k *Kernel) Declared(variant string) *Case {
	c := newCase(k, variant, 0, -1)
	k.Setup(c)
	return c
}

// Call declares the arguments of a call, for package contracts to check: it runs Calls
// or, if Calls is nil, Setup. No length is chosen. The statement's Given, if set, is
// valid until the next Call.
func (k *Kernel) Call(variant string) *Case {
	c := newCase(k, variant, 0, -1)
	if k.Calls != nil {
		k.Calls(c)
	} else {
		k.Setup(c)
	}
	return c
}

// A Congruence contains the facts about inputs modulo a prime that
// [algebra.Algebra.Let] has stated.
type Congruence struct {
	*algebra.Algebra
	Prime *big.Int
}

// AtMost states that callers never pass inputs for which t is greater than the limit.
// The proof does not use this fact: for greater values, the claim holds but is not what
// callers want.
func (c *Case) AtMost(name string, t term.Term, most uint64) {
	c.Most = append(c.Most, Most{name, t, most})
}

// A Most is a limit that AtMost has stated.
type Most struct {
	Name string
	Term term.Term
	Most uint64
}

// InPlace states that callers may pass the same buffer as both o and dst, to which the
// function stores.
func (c *Case) InPlace(o, dst *machine.Object) { c.MayLie(o, dst, 0, 0) }

// MayLie states that callers may pass a buffer o that overlaps dst, to which the
// function stores. Let d be the offset of o from the start of dst. If before is 0, d
// must be 0. Otherwise, callers may pass any o with d <= -before, so that reads of o
// return bytes already stored to dst. If after is not 0, callers may also pass any o
// with d >= after.
func (c *Case) MayLie(o, dst *machine.Object, before, after int64) {
	c.Lies = append(c.Lies, Lie{Object: o, In: dst, before: before, after: after})
}

// A Lie records an overlap of two buffers that MayLie, InPlace or MayOverlap allows.
// The latter two give no distance.
type Lie struct {
	Object, In    *machine.Object
	before, after int64
	anywhere      bool
}

// Allowed reports whether callers may pass the buffer at a distance from the start of
// the other buffer.
func (l *Lie) Allowed(distance int64) bool {
	if l.before == 0 {
		return distance == 0 || l.anywhere
	}
	return distance <= -l.before || l.after > 0 && distance >= l.after
}

// watch checks an access, so that results proven for separate buffers also hold for
// overlapping ones. If the buffers begin at the same address, a byte must not be read
// after it is stored. A buffer that begins before the other one may be read only where
// the other one is already stored, and only once. A buffer that begins after the other
// one must be read before the store.
func (l *Lie) watch(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
	if l.anywhere {
		if o == l.Object && m.Extent(l.In) > 0 {
			machine.Fail("accesses %s after a store to %s, which may lie over it", o.Name, l.In.Name)
		}
		return
	}
	for at := offset; at < offset+size; at++ {
		_, stored := m.Stored(l.In, at)
		if stored && o == l.Object && l.before == 0 {
			machine.Fail("reads %s[%d] after %s[%d] is stored", o.Name, at, l.In.Name, at)
		}
		if stored && o == l.In && store && l.before > 0 {
			machine.Fail("stores %s[%d] twice", o.Name, at)
		}
	}
	if o != l.Object || l.before == 0 {
		return
	}
	for at := range offset + size - l.before {
		if _, ok := m.Stored(l.In, at); !ok {
			machine.Fail("reads %s[%d] before %s[%d] is stored", o.Name, offset+size-1, l.In.Name, at)
		}
	}
	if l.after > 0 && m.Extent(l.In) > offset+l.after {
		machine.Fail("reads %s[%d] after %s[%d] is stored", o.Name, offset, l.In.Name, m.Extent(l.In)-1)
	}
}

// MayOverlap states that callers may pass a dst that overlaps the others in any way.
// The others keep their contents until the first store to dst, and must not be read
// afterwards.
func (c *Case) MayOverlap(dst *machine.Object, others ...*machine.Object) {
	for _, o := range others {
		c.Lies = append(c.Lies, Lie{Object: o, In: dst, anywhere: true})
	}
}

// watch returns the function to call before each memory access, or nil if no buffers
// may overlap.
func (r *Session) watch() machine.Watch {
	if len(r.Lies) == 0 {
		return nil
	}
	return func(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
		for i := range r.Lies {
			r.Lies[i].watch(m, o, offset, size, store)
		}
	}
}
