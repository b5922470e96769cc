// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Written records what one variant of a segment was observed to access.
type Written struct {
	registers []bool                    // whether a byte was written
	memory    map[string]map[int64]bool // whether a byte was secret, by object name and offset
	accessed  map[string]span           // bytes that were read or written, by object name
	align     int64                     // alignment of the frame's aligned part, or 0
	dirty     bool                      // upper halves of vectors are in use
	reached   []bool                    // the instructions that were executed
}

type span struct{ low, end int64 }

func (s span) overlaps(x span) bool { return s.low < x.end && x.low < s.end }

// Segments contains the proven segments, by first label and variant.
type Segments map[[2]string]*Written

// without drops segments whose proofs executed instruction i or i + 1.
func (all Segments) without(i int) Segments {
	rest := maps.Clone(all)
	maps.DeleteFunc(rest, func(_ [2]string, w *Written) bool {
		return slices.Contains(w.reached[i:min(i+2, len(w.reached))], true)
	})
	return rest
}

// nameOf distinguishes the aligned part of the frame from the whole frame.
func nameOf(o *machine.Object) string {
	if o.InFrame() && o.AlignedPart() == nil {
		return "aligned frame"
	}
	return o.Name
}

// observe records what a segment wrote, at its end and after iterations.
func (r *Session) observe(s *machine.State) error {
	if r.Kernel.From == "" {
		return nil
	}
	w := r.written
	for i, b := range s.Regs {
		w.registers[i] = w.registers[i] || b != r.entry.Regs[i]
	}
	w.dirty = w.dirty || s.Dirty
	seen := map[string]bool{}
	for _, o := range s.Mem.Objects() {
		name := nameOf(o)
		if r.head != nil && r.moves[o] != 0 && o.Writable {
			return fmt.Errorf("the loop of a segment advances in %s, which must be read-only", o.Name)
		}
		if w.memory[name] == nil {
			w.memory[name] = map[int64]bool{}
		}
		if seen[name] {
			return fmt.Errorf("duplicate object name %s", name)
		}
		seen[name] = true
		for at := range s.Mem.Extent(o) {
			if !o.Writable { // only assertions have put bytes there
				break
			}
			b, stored := s.Mem.Stored(o, at)
			old, before := r.entry.Mem.Stored(o, at)
			if stored && !(before && old == b) {
				w.memory[name][at] = w.memory[name][at] || !r.PublicByte(b)
			}
		}
		low, end := o.Used()
		w.accessed[name] = span{low, end}
	}
	w.align = r.frame.AlignedPart().Align
	return nil
}

func (r *Session) newWritten() *Written {
	return &Written{registers: make([]bool, r.layout.Size()), memory: map[string]map[int64]bool{}, accessed: map[string]span{}}
}

// call applies the proof of a segment instead of executing the segment.
func (c *Case) call(s *machine.State, a *Assertion) {
	to, ok := c.Fn.Labels[a.Call.To]
	i := slices.IndexFunc(c.Kernel.Segments, func(k Kernel) bool {
		from, ok := c.Fn.Labels[k.From]
		return ok && from == s.Next && k.To == a.Call.To
	})
	if i < 0 || !ok {
		machine.Fail("no segment ends at %s", a.Call.To)
	}
	segment := &c.Kernel.Segments[i]
	type proven struct{ error }
	if err := term.Once(c.Store, "cases "+fmt.Sprint(a.Call.Cases), func() proven { return proven{c.exhaustive(a.Call.Cases)} }).error; err != nil {
		machine.Fail("%v", err)
	}
	changed, stored := make([]bool, c.layout.Size()), map[Place]result{}
	var last *match
	for _, e := range a.Call.Cases {
		w := c.proven(segment, e.Variant)
		last = c.matched(s, c.pattern(i, e.Variant), e, w)
		c.useFrame(w)
		s.Dirty = s.Dirty || w.dirty
		for j, is := range w.registers {
			changed[j] = changed[j] || is
		}
		for o, at := range last.at {
			for offset, secret := range w.memory[nameOf(o)] {
				p := In(at.Object, at.At+offset)
				if _, most := s.Bounds().Signed(s.Mem.Size(p.Object)); most.IsInt64() && p.At >= most.Int64() {
					continue // in this call the segment cannot store there
				}
				one := result{a.Call.Name, nameOf(o), offset, secret}
				if old, ok := stored[p]; ok {
					if old.secret = old.secret || secret; old != (result{one.call, one.object, one.offset, old.secret}) {
						machine.Fail("the cases of a call store different results in %s", c.name(p))
					}
					one.secret = old.secret
				}
				stored[p] = one
			}
		}
	}
	c.forgetRegisters(s, func(word int) bool { return slices.Contains(changed[8*word:8*word+8], true) })
	c.forgetStored(s, stored)
	if last.p.exit != nil {
		c.exit(s, a.Call, last)
	}
	s.Next = to
}

// proven returns what a segment writes, and proves the segment first if necessary.
func (c *Case) proven(segment *Kernel, variant string) *Written {
	key := [2]string{segment.From, variant}
	if c.segments[key] == nil {
		if !slices.Contains(segment.Variants, variant) && (variant != "" || len(segment.Variants) > 0) {
			machine.Fail("the segment from %s has no variant %q", segment.From, variant)
		}
		s, err := NewSession(segment, c.file, c.Fn, variant)
		if err == nil {
			s.segments = c.segments
			_, err = s.proveAndDrop(c.Lengths)
		}
		if err != nil {
			machine.Fail("%v", err)
		}
	}
	return c.segments[key]
}

// useFrame records the frame bytes and the frame alignment that a segment uses.
func (c *Case) useFrame(w *Written) {
	aligned := c.frame.AlignedPart()
	if w.align != 0 {
		if aligned.Align != 0 && aligned.Align != w.align {
			machine.Fail("a segment aligns the frame to %d bytes, want %d", w.align, aligned.Align)
		}
		aligned.Align = w.align
	}
	for _, o := range []*machine.Object{c.frame, aligned} {
		if used, ok := w.accessed[nameOf(o)]; ok && used.low < used.end {
			o.Use(used.low, used.end)
		}
	}
	if aligned.Align != 0 && aligned.UsedWith(c.frame, aligned.Align) {
		machine.Fail("accesses to the aligned frame and to the whole frame may overlap in a segment")
	}
}

type result struct {
	call, object string
	offset       int64
	secret       bool
}

func (c *Case) forgetStored(s *machine.State, stored map[Place]result) {
	for p, r := range stored {
		if p.Object.InFrame() {
			s.Mem.Put(p.Object, p.At, c.unknownByte(s, p, !r.secret))
			continue
		}
		if r.call == "" {
			machine.Fail("a segment stores to %s, so its call must have a name", p.Object.Name)
		}
		leaf := c.result(r.call, r.object, r.offset)
		c.once(s, leaf)
		s.Mem.Put(p.Object, p.At, term.Byte(leaf<<3))
	}
}

func (c *Case) result(call, object string, offset int64) term.Term {
	return term.Once(c.Store, result{call: call, object: object, offset: offset}, func() term.Term {
		return c.NewLeaf(8, term.LeafInfo{Name: fmt.Sprintf("%s[%d] after %s", object, offset, call)})
	})
}

// ExpectResult requires o[at:at+count] to hold the bytes that a segment stored in its
// buffer named object, starting at offset. call is the Name of the Call that applied
// the segment's proof.
func (c *Case) ExpectResult(o *machine.Object, at int64, call, object string, offset, count int64) {
	for i := range count {
		c.ExpectByte(o, at+i, term.Byte(c.result(call, object, offset+i)<<3))
	}
}

// exit applies a segment's Exit, with call.Results in place of its unknowns.
func (c *Case) exit(s *machine.State, call *Call, m *match) {
	exit := m.p.exit
	if len(call.Results) != len(exit.Unknown) {
		machine.Fail("the call of a segment has %d results, want %d as in Exit", len(call.Results), len(exit.Unknown))
	}
	for i, leaf := range call.Results {
		own, info := c.Info(exit.Unknown[i]), c.Info(leaf)
		if c.Width(leaf) != c.Width(exit.Unknown[i]) || info.Min > own.Min || info.Max < own.Max || info.Public && !own.Public {
			machine.Fail("result %s has another width or more known properties than the segment's %s", info.Name, own.Name)
		}
		c.once(s, leaf)
		m.bind[exit.Unknown[i]] = leaf
	}
	u := c.Replace(m.bind)
	for _, h := range exit.Has {
		c.set(s, m.of(h.Place), u.Term(h.Term))
	}
}
