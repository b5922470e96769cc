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
	registers map[Place]bool                   // the words that were written, which are not public
	memory    map[string]map[int64]byteWritten // by object name and offset
	paths     int                              // the number of observed paths
	accessed  map[string]span                  // bytes that were read or written, by object name
	align     int64                            // alignment of the frame's aligned part, or 0
	dirty     bool                             // upper halves of vectors are in use
	reached   []bool                           // the instructions that were executed
}

// A byteWritten counts the paths that store to a byte.
type byteWritten struct {
	paths  int  // the number of paths with a store
	secret bool // some path stored a secret
}

// public reports whether every path has stored a public value.
func (w *Written) public(b byteWritten) bool { return !b.secret && b.paths == w.paths }

type span struct{ low, end int64 }

// unbounded is the end of a span that may reach the object's end.
const unbounded = 1 << 62

func (s span) overlaps(x span) bool { return s.low < x.end && x.low < s.end }

// nameOf distinguishes the aligned part of the frame from the whole frame.
func nameOf(o *machine.Object) string {
	switch {
	case o == nil: // registers
		return ""
	case o.InFrame() && o.AlignedPart() == nil:
		return "aligned frame"
	}
	return o.Name
}

func (r *Session) newWritten() *Written {
	w := &Written{registers: map[Place]bool{}, memory: map[string]map[int64]byteWritten{}, accessed: map[string]span{}}
	for _, o := range r.Objects() {
		refuse(w.memory[nameOf(o)] != nil, "duplicate object name %s", nameOf(o))
		w.memory[nameOf(o)] = map[int64]byteWritten{}
	}
	return w
}

// observe records what a segment wrote, at its end and after iterations.
func (r *Session) observe(s *machine.State) {
	w := r.written
	if w == nil {
		return
	}
	w.paths++
	head := s // a place that is unchanged now may have changed before the loop's head
	if r.head != nil {
		head = r.head.head
	}
	for i, b := range r.entry.Regs {
		if s.Regs[i] != b || head.Regs[i] != b {
			w.registers[InRegisters(i&^7)] = false
		}
	}
	w.dirty = w.dirty || s.Dirty
	w.align = r.frame.AlignedPart().Align
	for _, o := range s.Mem.Objects() {
		low, end := o.Used()
		if r.head != nil && r.moves[o] != 0 {
			refuse(o.Writable, "the loop of a segment advances in %s, which must be read-only", o.Name)
			o.Use(low, unbounded) // later iterations access the bytes that follow
			_, end = o.Used()
		}
		w.accessed[nameOf(o)] = span{low, end}
		if !o.Writable { // only assertions have put bytes there
			continue
		}
		memory := w.memory[nameOf(o)]
		for at := range s.Mem.Extent(o) {
			b, stored := s.Mem.Stored(o, at)
			old, before := r.entry.Mem.Stored(o, at)
			if stored && !(before && old == b && head.Mem.Byte(o, at) == b) {
				memory[at] = byteWritten{memory[at].paths + 1, memory[at].secret || !r.PublicByte(b)}
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
	refuse(segment < 0 || !ok, "no segment ends at %s", call.To)
	type cases string
	term.Memo(c.Store, cases(fmt.Sprintf("%#v", call.Cases)), func() bool { c.exhaustive(call.Cases); return true })
	lost, stored, public := map[Place]bool{}, map[Place]result{}, map[Place]int{}
	var exit []Has
	for i, e := range call.Cases {
		for input, t := range e.Inputs {
			for _, leaf := range c.leavesOf(t) {
				refuse(leaf != input && c.taken(s, leaf), "the case %s is not over a new unknown", c.Format(t))
			}
		}
		w := c.proven(&c.Kernel.Segments[segment], e.Variant)
		if w.align != 0 {
			s.AlignFrame(c.frame, w.align)
		}
		m := c.matched(s, c.pattern(segment, e.Variant), a, e, w)
		m.stores(w, call.Name, stored, public)
		if has := m.exit(call.Results); i == 0 {
			exit = has
		} else if !slices.Equal(has, exit) {
			machine.Fail("the cases of a call end with different assertions")
		}
		s.Dirty = s.Dirty || w.dirty
		maps.Copy(lost, w.registers)
	}
	for _, p := range slices.SortedFunc(maps.Keys(stored), order) {
		if p.Object.InFrame() {
			lost[p] = public[p] == len(call.Cases)
			continue
		}
		if call.Name == "" {
			machine.Fail("a segment stores to %s, so its call must have a name", p.Object.Name)
		}
		leaf := c.result(stored[p])
		c.once(s, leaf)
		c.watch(s.Mem, p.Object, p.At, 1, true)
		s.Mem.Put(p.Object, p.At, term.Byte(leaf<<3))
	}
	if call.Name != "" {
		name := c.result(result{call: call.Name})
		refuse(s.Assumed[name], "another call on the path is named %s", call.Name)
		c.once(s, name)
	}
	c.forget(s, c.visit(s), lost)
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
func (m *match) stores(w *Written, call string, stored map[Place]result, public map[Place]int) {
	for o, at := range m.at {
		_, most := m.s.Bounds().Signed(m.s.Mem.Size(at.Object))
		for offset, b := range w.memory[nameOf(o)] {
			p, one := In(at.Object, at.At+offset), result{call, nameOf(o), offset}
			if most.IsInt64() && p.At >= most.Int64() {
				continue // in this call the segment cannot store there
			}
			old, ok := stored[p]
			if ok && old != one {
				machine.Fail("the cases of a call store different results in %s", p.Object.Name)
			}
			if stored[p] = one; w.public(b) {
				public[p]++
			}
		}
	}
}

// result returns the unknown that represents a byte stored by a call.
func (c *Case) result(r result) term.Term {
	type results struct{} // a call may have thousands, so they have their own map
	known := term.Memo(c.Store, results{}, func() map[result]term.Term { return map[result]term.Term{} })
	leaf, ok := known[r]
	if !ok {
		leaf = c.NewLeaf(8, term.LeafInfo{Name: fmt.Sprintf("%s[%d] after %s", r.object, r.offset, r.call)})
		known[r] = leaf
	}
	return leaf
}

// exit returns what a segment's Exit states, translated to the caller's terms.
func (m *match) exit(results []term.Term) (has []Has) {
	c, exit := m.c, m.p.exit
	refuse(len(results) != len(exit.Unknown), "the call of a segment has %d results, want %d as in Exit", len(results), len(exit.Unknown))
	for i, leaf := range results {
		c.within(m.s, leaf, exit.Unknown[i])
		m.bind[exit.Unknown[i]] = leaf
	}
	u := c.Replace(m.bind)
	for _, h := range exit.Has {
		t := u.Term(h.Term)
		for _, leaf := range c.leavesOf(t) {
			refuse(!c.taken(m.s, leaf) && !slices.Contains(results, leaf), "the segment's Exit states %s, which is not bound", c.Info(leaf).Name)
		}
		has = append(has, m.of(h.Place).Has(t))
	}
	return has
}

// maxValues is the largest number of values that are enumerated.
const maxValues = 1 << 17

// exhaustive fails unless the cases cover all combinations of input values.
func (c *Case) exhaustive(entries []Entry) {
	refuse(len(entries) == 0, "a call has no cases")
	inputs, total := slices.Sorted(maps.Keys(entries[0].Inputs)), uint64(1)
	for _, leaf := range inputs {
		info := c.Info(leaf)
		refuse(!c.inputs[leaf] || c.Marked(leaf) || info.Max-info.Min >= maxValues/total, "cannot enumerate the values of %s: want an input with few values", info.Name)
		total *= info.Max - info.Min + 1
	}
	var cases []map[term.Term][]bool // by input and value
	for _, e := range entries {
		refuse(len(e.Inputs) != len(inputs), "the cases of a call name different inputs")
		values, seen := map[term.Term][]bool{}, map[term.Term]bool{}
		for _, leaf := range inputs {
			values[leaf] = c.values(leaf, e, seen)
		}
		cases = append(cases, values)
	}
	for i := range total { // all combinations of values
		covers := func(values map[term.Term][]bool) bool {
			left := i
			return !slices.ContainsFunc(inputs, func(leaf term.Term) bool {
				info, v := c.Info(leaf), left
				count := info.Max - info.Min + 1
				left /= count
				return !values[leaf][v%count]
			})
		}
		refuse(!slices.ContainsFunc(cases, covers), "the cases of a call do not cover all values of the inputs")
	}
}

// values reports which of its values, in ascending order, input may have in entry e.
func (c *Case) values(input term.Term, e Entry, seen map[term.Term]bool) []bool {
	t, ok := e.Inputs[input]
	leaf, leaves := input, c.leavesOf(t)
	if len(leaves) > 0 {
		leaf = leaves[0]
	}
	info, own := c.Info(leaf), c.Info(input)
	list := make([]bool, own.Max-own.Min+1)
	refuse(!ok || len(leaves) > 1 || c.Width(t) != c.Width(input) || seen[leaf] || t != input && len(leaves) > 0 && c.inputs[leaf] || info.Public && !own.Public || info.Max-info.Min >= maxValues,
		"%s is not a valid case of %s", c.Format(t), own.Name)
	seen[leaf] = true
	for v := info.Min; v <= info.Max; v++ {
		one, ok := c.At(t, leaf, v)
		refuse(!ok || one < own.Min || one > own.Max, "%s is not a valid case of %s", info.Name, own.Name)
		list[one-own.Min] = true
		if len(leaves) == 0 {
			break
		}
	}
	return list
}
