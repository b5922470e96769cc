// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A pattern holds a segment's Setup, Enter and Exit in the caller's store.
type pattern struct {
	*Case
	enter, exit *Assertion
	first, end  term.Term // the range of the pattern's terms
	only        uint64    // the segment's length, if it is proven for a single length
	one         bool
}

func (c *Case) pattern(segment int, variant string) *pattern {
	type key struct {
		segment int
		variant string
	}
	return term.Once(c.Store, key{segment, variant}, func() *pattern {
		k := c.Kernel.Segments[segment].anew(variant)
		p := &pattern{first: term.Term(c.Store.Len())}
		n := &Case{Store: c.Store, Kernel: k, Variant: variant, Fn: c.Fn}
		n.mem, n.layout, n.want = machine.NewMemory(c.Store), c.layout, map[*machine.Object]Wanted{}
		n.Arguments = n.mem.Add(&machine.Object{Name: "arguments"}, c.Const(64, uint64(c.argsSize)))
		n.Arguments.Align = c.Arguments.Align
		if k.Unit > 0 {
			n.N = c.NewLeaf(64, term.LeafInfo{Name: "segment's n", Public: true, Min: uint64(k.Min), Max: uint64(k.Max)})
		}
		n.frame = n.mem.AddFrame(c.mem.Size(c.frame))
		k.Setup(n)
		if k.Unit > 0 {
			given := slices.Collect(k.given(n, k.Min, k.Max+1))
			p.one = len(given) == 1
			if p.one {
				p.only = uint64(given[0])
			} else if int64(len(given)) != k.Max-k.Min+1 {
				machine.Fail("the segment from %s is proven for some lengths from %d to %d, want all or one", k.From, k.Min, k.Max)
			}
		}
		p.Case, p.enter = n, k.Enter(n)
		if k.Exit != nil {
			p.exit = k.Exit(n)
		}
		p.end = term.Term(c.Store.Len())
		return p
	})
}

// An equation relates a pattern's term to the caller's. Sizes may be greater.
type equation struct {
	what           string
	pattern, value term.Term
	size           bool
}

// A match maps a pattern's unknowns and objects to the caller's state.
type match struct {
	c     *Case
	s     *machine.State
	p     *pattern
	given *term.Substitution // the inputs of the case
	bind  map[term.Term]term.Term
	at    map[*machine.Object]Place
	all   []equation
	todo  []equation
}

// matched relates a segment's Setup and Enter to the caller's state.
func (c *Case) matched(s *machine.State, p *pattern, e Entry, w *Written) *match {
	m := &match{c: c, s: s, p: p, given: c.Replace(e.Inputs), bind: map[term.Term]term.Term{}, at: map[*machine.Object]Place{}}
	if p.one {
		m.bind[p.N] = c.Const(64, p.only)
	}
	for o, to := range map[*machine.Object]*machine.Object{p.Arguments: c.Arguments, p.frame: c.frame, p.frame.AlignedPart(): c.frame.AlignedPart()} {
		m.place(o, to, 0)
		m.bind[o.Base] = to.Base
	}
	for _, h := range p.enter.Has {
		place := m.of(h.Place)
		m.equal(c.name(place), h.Term, get(s, place, c.Width(h.Term)), false)
	}
	m.solve()
	m.verify(w)
	return m
}

func (m *match) equal(what string, pattern, value term.Term, size bool) {
	q := equation{what, pattern, m.given.Term(value), size}
	m.all, m.todo = append(m.all, q), append(m.todo, q)
}

func (m *match) of(p Place) Place {
	if p.Object == nil {
		return p
	}
	at, ok := m.at[p.Object]
	if !ok {
		machine.Fail("segment entry: the place of %s is unknown", p.Object.Name)
	}
	return Place{Object: at.Object, At: at.At + p.At, Size: p.Size}
}

// place maps a segment's object o to to[offset:] and adds o's equations.
func (m *match) place(o, to *machine.Object, offset int64) {
	m.at[o] = In(to, offset)
	if !o.InFrame() && o != m.p.Arguments {
		m.equal("the size of "+o.Name, m.p.mem.Size(o), m.c.AddConst(m.s.Mem.Size(to), -uint64(offset)), true)
	}
	fixed := o.Fixed()
	for at, b := range fixed {
		word := wordOf(fixed, at&^7) // words are matched as a whole
		if word == nil {
			m.equal(fmt.Sprintf("%s[%d]", o.Name, at), m.c.Gather([]term.Byte{b}), get(m.s, In(to, offset+at), 8), false)
		} else if at&7 == 0 {
			m.equal(fmt.Sprintf("%s[%d]", o.Name, at), m.c.Gather(word), get(m.s, In(to, offset+at), 64), false)
		}
	}
}

func wordOf(bytes map[int64]term.Byte, at int64) (word []term.Byte) {
	for i := at; i < at+8; i++ {
		b, ok := bytes[i]
		if !ok {
			return nil
		}
		word = append(word, b)
	}
	return word
}

// set binds an unknown. If it is the base of an object, set also places the object.
func (m *match) set(leaf, value term.Term) {
	m.bind[leaf] = value
	for _, o := range m.p.mem.Objects() {
		if o.Base == leaf {
			to, offset := m.s.Resolve(value)
			m.place(o, to, offset)
		}
	}
}

func (m *match) verify(w *Written) {
	c, u := m.c, m.c.Replace(m.bind)
	if len(m.p.Rings) > 0 {
		machine.Fail("segment entry: a segment must not assume congruences")
	}
	for _, q := range m.all {
		t := u.Term(q.pattern)
		if size, ok := c.IsConst(t); q.size && ok {
			least, _ := m.s.Bounds().Signed(q.value)
			if size == 0 || least.IsInt64() && least.Int64() >= int64(size) {
				continue
			}
		}
		if t != q.value && !c.Equal(t, q.value) {
			machine.Fail("segment entry: %s is %s, want %s", q.what, c.Format(q.value), c.Format(t))
		}
	}
	bases := map[term.Term]bool{}
	for _, o := range m.p.mem.Objects() {
		bases[o.Base] = true
	}
	for leaf, value := range m.bind {
		if bases[leaf] {
			continue
		}
		if err := c.within(m.s, m.p.enter, leaf, value); err != nil {
			machine.Fail("segment entry: %v", err)
		}
	}
	for _, o := range m.p.mem.Objects() {
		if at, ok := m.at[o]; ok {
			m.verifyObject(o, at, w)
		} else if len(w.memory[nameOf(o)]) > 0 {
			machine.Fail("segment entry: the place of %s is unknown", o.Name)
		}
	}
}

// verifyObject checks that a segment may use the caller's object as o.
func (m *match) verifyObject(o *machine.Object, at Place, w *Written) {
	to, size := at.Object, m.p.mem.Size(o)
	constant, known := m.c.IsConst(size)
	switch {
	case known && constant == 0:
		return
	case at.At < 0:
		machine.Fail("segment entry: %s%+d is before the start of the object", to.Name, at.At)
	case o.Writable && !to.Writable && len(w.memory[nameOf(o)]) > 0:
		machine.Fail("a segment stores to %s, which is read-only", to.Name)
	case o.Public && !to.Public:
		machine.Fail("segment entry: %s is secret, want it public", to.Name)
	case o.Align > 1 && !o.InFrame() && (to.Align == 0 || to.Align%o.Align != 0 || at.At%o.Align != 0):
		machine.Fail("segment entry: %s%+d is not known to be a multiple of %d", to.Name, at.At, o.Align)
	}
	here := m.extent(o, at)
	if to.InFrame() && !o.InFrame() {
		if used, ok := w.accessed[nameOf(to)]; ok && used.overlaps(here) {
			machine.Fail("a segment accesses frame bytes that %s may contain", o.Name)
		}
		to.Use(here.low, here.end)
	}
	for other, x := range m.at {
		if other != o && x.Object == to && (o.Writable || other.Writable) && !o.InFrame() && !other.InFrame() && here.overlaps(m.extent(other, x)) {
			machine.Fail("the segment's %s and %s may overlap", o.Name, other.Name)
		}
		m.verifyLies(o, at, other, x, w)
	}
	m.verifyReads(o, at, w)
}

// verifyReads fails if a segment reads bytes that may already be overwritten.
func (m *match) verifyReads(o *machine.Object, at Place, w *Written) {
	used, ok := w.accessed[nameOf(o)]
	for _, lie := range m.c.Lies {
		if !ok || lie.Object != at.Object || used.low >= used.end {
			continue
		}
		if lie.anywhere && m.s.Mem.Extent(lie.In) > 0 || !lie.anywhere && lie.before > 0 {
			machine.Fail("a segment reads %s, which may be overwritten", at.Object.Name)
		}
		for i := used.low; i < used.end; i++ {
			if _, stored := m.s.Mem.Stored(lie.In, at.At+i); stored {
				machine.Fail("a segment reads %s[%d], which may be overwritten", at.Object.Name, at.At+i)
			}
		}
	}
}

// extent returns the range of the caller's object that o may occupy.
func (m *match) extent(o *machine.Object, at Place) span {
	if size, ok := m.c.IsConst(m.p.mem.Size(o)); ok {
		return span{at.At, at.At + int64(size)}
	}
	return span{at.At, 1 << 62}
}

// verifyLies rejects stores to overlapping buffers, unless the segment's Setup allows
// them.
func (m *match) verifyLies(o *machine.Object, at Place, other *machine.Object, x Place, w *Written) {
	for _, lie := range m.c.Lies {
		if lie.Object != at.Object || lie.In != x.Object {
			continue
		}
		if len(w.memory[nameOf(other)]) == 0 {
			continue
		}
		ok := slices.ContainsFunc(m.p.Lies, func(own Lie) bool {
			return own.Object == o && own.In == other && (own.anywhere || at.At == x.At && own.before == lie.before && own.after == lie.after && !lie.anywhere)
		})
		if !ok {
			machine.Fail("the segment's %s and %s may overlap, because callers may pass overlapping %s and %s", o.Name, other.Name, lie.Object.Name, lie.In.Name)
		}
	}
}
