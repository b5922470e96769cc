// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A pattern holds a segment's Setup, Enter and Exit in the caller's store.
type pattern struct {
	*Case
	enter, exit *Assertion
	first, end  term.Term                     // the range of the pattern's terms
	fixed       map[term.Term]term.Term       // the caller's terms for leaves that are the same in every call
	sizes       map[*machine.Object]term.Term // of the objects, in terms of which fixed has replaced leaves
	initial     []Has                         // the initial bytes that Setup, Enter and Exit name
}

func (c *Case) pattern(segment *Kernel, variant string) *pattern {
	return term.Memo(c.Store, Part{segment, variant}, func() *pattern {
		k := segment.anew(variant)
		p := &pattern{exit: &Assertion{}, first: term.Term(c.Store.Len()), sizes: map[*machine.Object]term.Term{}}
		n := newCase(c.Store, k, variant, c.Fn.Args)
		p.Case, n.Fn, n.layout, n.Arguments.Align = n, c.Fn, c.layout, c.Arguments.Align
		n.frame = n.mem.AddFrame(c.mem.Size(c.frame))
		p.fixed = map[term.Term]term.Term{n.Arguments.Base: c.Arguments.Base, n.frame.Base: c.frame.Base, n.frame.AlignedPart().Base: c.frame.AlignedPart().Base}
		k.Setup(n)
		given := slices.Collect(n.given(k.Min, k.Max+1))
		if len(given) == 1 {
			p.fixed[n.N] = c.Const(64, uint64(given[0]))
		}
		machine.Refuse(len(given) != 1 && int64(len(given)) != k.Max-k.Min+1, "%d lengths from %d to %d are proven, want one or all of them", len(given), k.Min, k.Max)
		machine.Refuse(len(n.Rings) > 0, "the segment from %s must not assume congruences", k.From)
		p.enter = k.Enter(n)
		machine.Refuse(len(p.enter.As) > 0, "the segment from %s must state its terms in Has, not in As", k.From)
		if k.Exit != nil {
			p.exit = k.Exit(n)
		}
		for _, o := range n.mem.Objects() {
			p.sizes[o] = c.Replace(p.fixed).Term(n.mem.Size(o))
		}
		p.end = term.Term(c.Store.Len())
		leaves := n.mem.Inputs()
		for _, h := range slices.Concat(p.enter.Has, p.exit.Has) {
			for _, leaf := range c.leavesOf(h.Term) {
				leaves[leaf] = true
			}
		}
		for _, leaf := range slices.Concat(slices.Collect(maps.Keys(leaves)), p.exit.Unknown) {
			machine.Refuse(leaf < p.first, "the segment from %s names %s, which its Setup, Enter and Exit have not made", k.From, c.Format(leaf))
			if at := n.mem.Origin(leaf); at.Object != nil {
				p.initial = append(p.initial, at.Has(leaf))
			}
		}
		return p
	})
}

// A match maps a pattern's unknowns and objects to the caller's state.
type match struct {
	c     *Case
	s     *machine.State
	p     *pattern
	given *term.Substitution        // the inputs of the case
	bind  map[term.Term]term.Term   // the caller's terms for the pattern's leaves
	at    map[*machine.Object]Place // the caller's places for the pattern's objects
}

// matched relates a segment's Setup and Enter to the caller's state.
func (c *Case) matched(s *machine.State, p *pattern, a *Assertion, e Entry, w *Written) *match {
	m := &match{c: c, s: s, p: p, given: c.limited(e), bind: maps.Clone(p.fixed), at: map[*machine.Object]Place{}}
	// If the match found the buffers by itself, the results could be those of other buffers.
	for _, o := range p.mem.Objects() {
		at, ok := a.Call.Buffers[o.Name]
		if base, fixed := p.fixed[o.Base]; fixed {
			at, ok = In(s.Resolve(base)), true
		}
		machine.Refuse(!ok || at.Object == nil, "the call of a segment must say where %s is", o.Name)
		m.at[o], m.bind[o.Base] = at, c.AddConst(at.Object.Base, uint64(at.At))
	}
	for _, h := range p.initial { // the segment finds there what the caller's memory contains
		m.bind[h.Term] = m.given.Term(s.Get(m.of(h.Place), 8))
		c.within(s, h.Term, m.bind[h.Term])
	}
	stated := maps.Clone(m.bind)
	m.propose()
	maps.Copy(m.bind, stated)
	u := c.Replace(m.bind)
	for o, at := range m.at {
		m.matchObject(o, at, u)
	}
	for _, h := range p.enter.Has {
		place := m.of(h.Place)
		says := func(own Has) bool { return own.Place == place && c.Width(own.Term) >= c.Width(h.Term) }
		machine.Refuse(!slices.ContainsFunc(a.Has, says), "the call of a segment must say what %s contains", c.name(place))
		c.compareTerm(s, place, u.Term(h.Term), m.given)
	}
	for leaf, t := range m.bind {
		if _, ok := stated[leaf]; leaf != t && !ok {
			c.within(s, leaf, t)
		}
	}
	for o, at := range m.at {
		m.use(o, at, w)
	}
	return m
}

// open reports whether t is an unbound leaf of the pattern.
func (m *match) open(t term.Term) bool {
	_, bound := m.bind[t]
	return !bound && t >= m.p.first && t < m.p.end && m.c.Op(t) == term.Leaf
}

// of returns the caller's place for a place of the pattern.
func (m *match) of(p Place) Place {
	if p.Object == nil {
		return p
	}
	at, ok := m.at[p.Object]
	machine.Refuse(!ok, "segment entry: the place of %s is unknown", p.Object.Name)
	return In(at.Object, at.At+p.At)
}

// matchObject checks that the caller's memory is as Setup declares o.
func (m *match) matchObject(o *machine.Object, at Place, u *term.Substitution) {
	c := m.c
	room := m.given.Term(c.AddConst(m.s.Mem.Size(at.Object), -uint64(at.At)))
	if size := m.p.sizes[o]; !c.Equal(u.Term(size), room) {
		n, known := c.IsConst(size)
		least, most := m.s.Bounds().Signed(room)
		machine.Refuse(!known || n > 0 && !(most.IsInt64() && least.IsInt64() && least.Int64() >= int64(n)), "segment entry: the size of %s is %s, want %s", o.Name, c.Format(room), c.Format(u.Term(size)))
	}
	for i, b := range o.Fixed() {
		c.compareTerm(m.s, In(at.Object, at.At+i), u.Term(c.Gather([]term.Byte{b})), m.given)
	}
}

// use checks that a segment may use the caller's object as o.
func (m *match) use(o *machine.Object, at Place, w *Written) {
	to, here, used := at.Object, m.extent(o, at), w.accessed[o.Name]
	if used.low < used.end {
		to.Use(at.At+used.low, at.At+used.end)
		m.c.watch(m.s.Mem, to, at.At+used.low, used.end-used.low, false)
	}
	machine.Refuse(o.Public, "the segment's %s must not be public", o.Name) // the caller may have stored secrets there
	machine.Refuse(o.Align > 1 && (to.Align == 0 || to.Align%o.Align != 0 || at.At%o.Align != 0), "segment entry: %s%+d is not known to be a multiple of %d", to.Name, at.At, o.Align)
	size, known := m.c.IsConst(m.s.Mem.Size(to))
	if here.low == here.end || known && size == 0 {
		m.c.within(m.s, o.Base, m.bind[o.Base]) // an empty buffer may have any address
		return
	}
	machine.Refuse(at.At < 0, "segment entry: %s%+d is before the start of the object", to.Name, at.At)
	machine.Refuse(o.Writable && !to.Writable, "a segment may store to %s, which is read-only", to.Name)
	if to.InFrame() && !o.InFrame() {
		machine.Refuse(w.accessed[to.Name].overlaps(here), "a segment accesses frame bytes that %s may contain", o.Name)
		to.Use(here.low, here.end)
	}
	for other, x := range m.at {
		machine.Refuse(other != o && x.Object == to && (o.Writable || other.Writable) && !o.InFrame() && !other.InFrame() && here.overlaps(m.extent(other, x)), "the segment's %s and %s may overlap", o.Name, other.Name)
		for _, l := range m.c.Overlaps {
			own := Overlap{o, other, l.before, l.after, l.anywhere}
			allowed := slices.Contains(m.p.Overlaps, own) && (l.anywhere || at.At == x.At)
			if l.Object == to && l.In == x.Object && other.Writable && !allowed {
				machine.Fail("the segment's %s and %s may overlap, because callers may pass overlapping %s and %s", o.Name, other.Name, to.Name, l.In.Name)
			}
		}
	}
}

// extent returns the range of the caller's object that o may occupy.
func (m *match) extent(o *machine.Object, at Place) span {
	if size, ok := m.c.IsConst(m.p.sizes[o]); ok {
		return span{at.At, at.At + int64(size)}
	}
	return span{at.At, unbounded}
}

// watch checks an access to memory, by an instruction or by a called segment. The proof
// treats the buffers Object and In of an Overlap as separate. Under these conditions, it also
// holds if they overlap:
//   - If both start at one address, each byte must be read before it is overwritten.
//   - If Object starts first, each byte of In must be stored once, before it is read.
//   - If In starts first, each byte of Object must be read before it is overwritten.
//   - If their distance is arbitrary, Object must not be accessed after a store to In.
func (c *Case) watch(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
	for _, l := range c.Overlaps {
		want := func(from, to int64, when string) { // that In[from:to] is stored before or after the access
			for at := from; at < min(to, m.Extent(l.In)+1); at++ { // no later byte is stored
				_, stored := m.Stored(l.In, at)
				machine.Refuse(stored == (when == "after"), "accesses %s[%d] %s %s[%d] is stored", o.Name, offset, when, l.In.Name, at)
			}
		}
		switch end := offset + size; {
		case o == l.In && store && l.before != 0, o == l.Object && l.before == 0 && !l.anywhere:
			want(offset, end, "after")
		case o == l.Object && l.anywhere:
			want(0, unbounded, "after")
		case o == l.Object:
			want(0, end-l.before, "before")
			if l.after > 0 {
				want(offset+l.after, unbounded, "after")
			}
		}
	}
}
