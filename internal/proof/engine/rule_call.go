// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Written records what one variant of a segment was observed to access.
type Written struct {
	registers []bool                    // whether a word was written
	memory    map[string]map[int64]bool // whether a byte was secret, by object name and offset
	accessed  map[string]span           // bytes that were read or written, by object name
	align     int64                     // alignment of the frame's aligned part, or 0
	dirty     bool                      // upper halves of vectors are in use
	reached   []bool                    // the instructions that were executed
}

type span struct{ low, end int64 }

func (s span) overlaps(x span) bool { return s.low < x.end && x.low < s.end }

// nameOf distinguishes the aligned part of the frame from the whole frame.
func nameOf(o *machine.Object) string {
	if o.InFrame() && o.AlignedPart() == nil {
		return "aligned frame"
	}
	return o.Name
}

func (r *Session) newWritten() *Written {
	w := &Written{registers: make([]bool, len(r.layout.Of)), memory: map[string]map[int64]bool{}, accessed: map[string]span{}}
	for _, o := range r.Objects() {
		refuse(w.memory[nameOf(o)] != nil, "duplicate object name %s", nameOf(o))
		w.memory[nameOf(o)] = map[int64]bool{}
	}
	return w
}

// observe records what a segment wrote, at its end and after iterations.
func (r *Session) observe(s *machine.State) {
	w := r.written
	if w == nil {
		return
	}
	for i, b := range s.Regs {
		w.registers[i/8] = w.registers[i/8] || b != r.entry.Regs[i]
	}
	w.dirty = w.dirty || s.Dirty
	w.align = r.frame.AlignedPart().Align
	for _, o := range s.Mem.Objects() {
		low, end := o.Used()
		w.accessed[nameOf(o)] = span{low, end}
		if !o.Writable { // only assertions have put bytes there
			continue
		}
		refuse(r.head != nil && r.moves[o] != 0, "the loop of a segment advances in %s, which must be read-only", o.Name)
		memory := w.memory[nameOf(o)]
		for at := range s.Mem.Extent(o) {
			b, stored := s.Mem.Stored(o, at)
			old, before := r.entry.Mem.Stored(o, at)
			if stored && !(before && old == b) {
				memory[at] = memory[at] || !r.PublicByte(b)
			}
		}
	}
}

// call applies the proof of a segment instead of executing the segment.
func (c *Case) call(s *machine.State, call *Call) {
	to, ok := c.Fn.Labels[call.To]
	segment := slices.IndexFunc(c.Kernel.Segments, func(k Kernel) bool {
		from, ok := c.Fn.Labels[k.From]
		return ok && from == s.Next && k.To == call.To
	})
	refuse(segment < 0 || !ok, "no segment ends at %s", call.To)
	term.Once(c.Store, "cases "+fmt.Sprint(call.Cases), func() bool { c.exhaustive(call.Cases); return true })
	changed, stored := make([]bool, len(c.layout.Of)), map[Place]result{}
	var exit []Has
	for i, e := range call.Cases {
		w := c.proven(&c.Kernel.Segments[segment], e.Variant)
		m := c.matched(s, c.pattern(segment, e.Variant), e, w)
		m.stores(w, call.Name, stored)
		if has := m.exit(call.Results); i == 0 {
			exit = has
		} else if !slices.Equal(has, exit) {
			machine.Fail("the cases of a call end with different assertions")
		}
		c.useFrame(w)
		s.Dirty = s.Dirty || w.dirty
		for word, is := range w.registers {
			changed[word] = changed[word] || is
		}
	}
	now := c.visit(s) // each execution of the call gets its own unknowns
	for word, is := range changed {
		if is {
			c.forget(s, now, InRegisters(8*word), false)
		}
	}
	s.UndefineFlags()
	for p, r := range stored {
		switch {
		case p.Object.InFrame():
			c.forget(s, now, p, !r.secret)
		case call.Name == "":
			machine.Fail("a segment stores to %s, so its call must have a name", p.Object.Name)
		default:
			leaf := c.result(r.call, r.object, r.offset)
			c.once(s, leaf)
			s.Mem.Put(p.Object, p.At, term.Byte(leaf<<3))
		}
	}
	c.assume(s, &Assertion{Has: exit}, slices.Values(call.Results))
	s.Next = to
}

// useFrame records the frame bytes and the frame alignment that a segment uses.
func (c *Case) useFrame(w *Written) {
	aligned := c.frame.AlignedPart()
	if w.align != 0 {
		refuse(aligned.Align != 0 && aligned.Align != w.align, "a segment aligns the frame to %d bytes, want %d", w.align, aligned.Align)
		aligned.Align = w.align
	}
	for _, o := range []*machine.Object{c.frame, aligned} {
		if used := w.accessed[nameOf(o)]; used.low < used.end {
			o.Use(used.low, used.end)
		}
	}
	refuse(aligned.Align != 0 && aligned.UsedWith(c.frame, aligned.Align), "accesses to the aligned frame and to the whole frame may overlap in a segment")
}

// A result is a byte that a call stores.
type result struct {
	call, object string
	offset       int64
	secret       bool
}

// stores collects what one case of a call stores in the caller's memory.
func (m *match) stores(w *Written, call string, stored map[Place]result) {
	for o, at := range m.at {
		_, most := m.s.Bounds().Signed(m.s.Mem.Size(at.Object))
		for offset, secret := range w.memory[nameOf(o)] {
			p, one := In(at.Object, at.At+offset), result{call, nameOf(o), offset, secret}
			if most.IsInt64() && p.At >= most.Int64() {
				continue // in this call the segment cannot store there
			}
			if old, ok := stored[p]; ok {
				one.secret = secret || old.secret
				if old.secret = one.secret; old != one {
					machine.Fail("the cases of a call store different results in %s", m.c.name(p))
				}
			}
			stored[p] = one
		}
	}
}

// result returns the unknown that represents a byte stored by a call.
func (c *Case) result(call, object string, offset int64) term.Term {
	return term.Once(c.Store, result{call: call, object: object, offset: offset}, func() term.Term {
		return c.NewLeaf(8, term.LeafInfo{Name: fmt.Sprintf("%s[%d] after %s", object, offset, call)})
	})
}

// exit returns what a segment's Exit states, translated to the caller's terms.
func (m *match) exit(results []term.Term) (has []Has) {
	c, exit := m.c, m.p.exit
	refuse(len(results) != len(exit.Unknown), "the call of a segment has %d results, want %d as in Exit", len(results), len(exit.Unknown))
	for i, leaf := range results {
		own, info := c.Info(exit.Unknown[i]), c.Info(leaf)
		refuse(c.Width(leaf) != c.Width(exit.Unknown[i]) || info.Min > own.Min || info.Max < own.Max || info.Public && !own.Public, "result %s has another width or more known properties than the segment's %s", info.Name, own.Name)
		m.bind[exit.Unknown[i]] = leaf
	}
	u := c.Replace(m.bind)
	for _, h := range exit.Has {
		t := u.Term(h.Term)
		if slices.ContainsFunc(c.leavesOf(t), m.open) {
			machine.Fail("the segment's Exit states %s, which is not bound", c.Format(t))
		}
		has = append(has, m.of(h.Place).Has(t))
	}
	return has
}
