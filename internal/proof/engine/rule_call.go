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
	registers map[Place]bool            // the words that were written,
	memory    map[string]map[int64]bool // by object name and offset
	accessed  map[string]span           // bytes that were read or written, by object name
	align     int64                     // alignment of the frame's aligned part, or 0
	dirty     bool                      // upper halves of vectors are in use
	reached   []bool                    // the instructions that were executed
}

type span struct{ low, end int64 }

// unbounded is the end of a span that may reach the object's end.
const unbounded = 1 << 62

func (s span) overlaps(x span) bool { return s.low < x.end && x.low < s.end }

func (r *Session) newWritten() *Written {
	w := &Written{registers: map[Place]bool{}, memory: map[string]map[int64]bool{}, accessed: map[string]span{}}
	for _, o := range r.Objects() {
		machine.Refuse(w.memory[o.Name] != nil, "duplicate object name %s", o.Name)
		w.memory[o.Name] = map[int64]bool{}
	}
	return w
}

// observe records what a segment wrote, at its end and after iterations.
func (r *Session) observe(s *machine.State) {
	w := r.written
	if w == nil {
		return
	}
	head := s // a place that is unchanged now may have changed before the loop's head
	if r.head != nil {
		head = r.head.head
	}
	for i, b := range r.entry.Regs {
		if s.Regs[i] != b || head.Regs[i] != b {
			w.registers[InRegisters(i&^7)] = true
		}
	}
	w.dirty = w.dirty || s.Dirty
	w.align = r.frame.AlignedPart().Align
	for _, o := range s.Mem.Objects() {
		low, end := o.Used()
		if r.head != nil && r.moves[o] != 0 {
			machine.Refuse(o.Writable, "the loop of a segment advances in %s, which must be read-only", o.Name)
			o.Use(low, unbounded) // later iterations access the bytes that follow
			_, end = o.Used()
		}
		w.accessed[o.Name] = span{low, end}
		if !o.Writable { // only assertions have put bytes there
			continue
		}
		for at := range s.Mem.Extent(o) {
			b, stored := s.Mem.Stored(o, at)
			old, before := r.entry.Mem.Stored(o, at)
			if stored && !(before && old == b && head.Mem.Byte(o, at) == b) {
				w.memory[o.Name][at] = true
			}
		}
	}
}

// call applies the proof of a segment instead of executing the segment.
func (c *Case) call(s *machine.State, a *Assertion) {
	call := a.Call
	to, ok := c.Fn.Labels[call.To]
	segment := slices.IndexFunc(c.Kernel.Segments, func(k Kernel) bool {
		from, ok := c.Fn.Labels[k.From]
		return ok && from == s.Next && k.To == call.To
	})
	machine.Refuse(segment < 0 || !ok, "no segment ends at %s", call.To)
	type cases string
	term.Memo(c.Store, cases(fmt.Sprintf("%#v", call.Cases)), func() bool {
		inputs := map[term.Term]Values{}
		for _, e := range call.Cases {
			maps.Copy(inputs, e.Inputs)
		}
		c.exhaustive(call.Cases, slices.Sorted(maps.Keys(inputs))...)
		return true
	})
	lost, stored := map[Place]bool{}, map[Place]result{}
	var exit []Has
	for i, e := range call.Cases {
		of := &c.Kernel.Segments[segment]
		w := c.proven(of, e.Variant)
		if w.align != 0 {
			s.AlignFrame(c.frame, w.align)
		}
		m := c.matched(s, c.pattern(of, e.Variant), a, e, w)
		m.stores(w, call.Name, stored)
		has := m.exit(call.Results)
		machine.Refuse(i > 0 && !slices.Equal(has, exit), "the cases of a call end with different assertions")
		exit = has
		s.Dirty = s.Dirty || w.dirty
		maps.Copy(lost, w.registers)
	}
	for _, p := range slices.SortedFunc(maps.Keys(stored), Place.Compare) {
		c.watch(s.Mem, p.Object, p.At, 1, true)
		if _, before := s.Mem.Stored(p.Object, p.At); before || p.Object.InFrame() {
			lost[p] = true // not a result, because the call may keep what was stored before
			continue
		}
		type caller string
		only := term.Memo(c.Store, caller(call.Name), func() int { return segment })
		machine.Refuse(only != segment, "calls of two segments are named %q", call.Name) // Spec names results by call
		leaf := c.result(stored[p])
		s.Assumed[leaf] = true
		s.Mem.Put(p.Object, p.At, term.Byte(leaf<<3))
	}
	name := c.result(result{call: call.Name})
	machine.Refuse(s.Assumed[name], "another call on the path is named %q", call.Name)
	s.Assumed[name] = true
	c.forget(s, [3]any{s.PC, s.Visits()[s.PC], c.Looped}, lost)
	s.UndefineFlags()
	for _, leaf := range call.Results {
		c.once(s, leaf)
	}
	c.assume(s, &Assertion{Has: exit}, nil)
	s.Next = to
}

// A result is a byte that a call stores.
type result struct {
	call, object string
	offset       int64
}

// stores records in stored each byte that one case of a call writes.
func (m *match) stores(w *Written, call string, stored map[Place]result) {
	for o, at := range m.at {
		_, most := m.s.Bounds().Signed(m.s.Mem.Size(at.Object))
		for offset := range w.memory[o.Name] {
			p, one := In(at.Object, at.At+offset), result{call, o.Name, offset}
			if most.IsInt64() && p.At >= most.Int64() {
				continue // in this call the segment cannot store there
			}
			old, ok := stored[p]
			machine.Refuse(ok && old != one, "the cases of a call store different results in %s", p.Object.Name)
			stored[p] = one
		}
	}
}

// result returns the unknown that represents a byte stored by a call.
func (c *Case) result(r result) term.Term {
	return term.Memo(c.Store, r, func() term.Term {
		return c.NewLeaf(8, term.LeafInfo{Name: fmt.Sprintf("%s[%d] after %s", r.object, r.offset, r.call), Reserved: true})
	})
}

// exit returns what a segment's Exit states, translated to the caller's terms.
func (m *match) exit(results []term.Term) (has []Has) {
	c, exit, own := m.c, m.p.exit, map[term.Term]term.Term{}
	machine.Refuse(len(results) != len(exit.Unknown), "the call of a segment has %d results, want %d as in Exit", len(results), len(exit.Unknown))
	for i, leaf := range results {
		c.within(m.s, leaf, exit.Unknown[i])
		m.bind[exit.Unknown[i]], own[leaf] = leaf, leaf
	}
	u := c.Replace(m.bind)
	for _, h := range exit.Has {
		has = append(has, m.of(h.Place).Has(c.bound(m.s, u.Term(h.Term), own)))
	}
	return has
}

// exhaustive fails unless the cases cover all combinations of the inputs' values.
func (c *Case) exhaustive(cases []Entry, inputs ...term.Term) {
	machine.Refuse(len(cases) == 0, "the cases of a call do not cover all values of the inputs")
	if len(inputs) == 0 {
		return
	}
	input, info := inputs[0], c.Info(inputs[0])
	machine.Refuse(!c.inputs[input] || !info.Public || c.Marked(input) || info.Max-info.Min >= 1<<17, "cannot enumerate the values of %s: want a public input with few values", info.Name)
	for i := range info.Max - info.Min + 1 {
		c.exhaustive(slices.DeleteFunc(slices.Clone(cases), func(e Entry) bool {
			values, ok := e.Inputs[input]
			return ok && !values.contain(info.Min+i)
		}), inputs[1:]...)
	}
}

// limited returns the substitution that limits the inputs to their values in entry e.
func (c *Case) limited(e Entry) *term.Substitution {
	with := map[term.Term]term.Term{}
	for input, values := range e.Inputs {
		type limit struct {
			input term.Term
			Values
		}
		with[input] = term.Memo(c.Store, limit{input, values}, func() term.Term {
			width, step := c.Width(input), max(1, values.Step)
			if values.Min == values.Max {
				return c.Const(width, values.Min)
			}
			some := c.NewLeaf(width, term.LeafInfo{Name: "some " + c.Info(input).Name, Public: c.Public(input), Max: (values.Max - values.Min) / step})
			return c.AddConst(c.Scale(some, step), values.Min)
		})
	}
	return c.Replace(with)
}
