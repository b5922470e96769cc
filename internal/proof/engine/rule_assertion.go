// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// must fails with err unless err is nil.
func must(err error) {
	if err != nil {
		machine.Fail("%v", err)
	}
}

// set puts t in place p.
func (c *Case) set(s *machine.State, p Place, t term.Term) {
	for at := p.At; c.overlapped(p.Object) && at < p.At+int64(c.Width(t)/8); at++ {
		_, stored := s.Mem.Stored(p.Object, at) // watch would mistake the first change of a byte for a store
		if !stored {
			machine.Fail("an assertion mentions %s[%d], which is not stored yet and may overlap another buffer", p.Object.Name, at)
		}
	}
	s.Set(p, t)
}

// overlapped reports whether another buffer may overlap o, an output.
func (c *Case) overlapped(o *machine.Object) bool {
	return slices.ContainsFunc(c.Overlaps, func(l Overlap) bool { return l.In == o })
}

// forget replaces the contents of the lost places with new unknowns.
func (c *Case) forget(s *machine.State, at any, lost map[Place]bool) {
	for _, p := range slices.SortedFunc(maps.Keys(lost), Place.Compare) {
		unknown := c.unknown(at, p)
		c.once(s, unknown)
		c.set(s, p, unknown)
	}
}

func (c *Case) unknown(at any, p Place) term.Term {
	type forgotten struct { // so that no statement can use the same key
		at any
		Place
	}
	return term.Memo(c.Store, forgotten{at, p}, func() term.Term {
		width := 8
		if p.Object == nil {
			width = 64
		}
		return c.NewLeaf(width, term.LeafInfo{Name: "unknown"})
	})
}

// check fails unless the assertion is true, and returns what its unknowns represent.
func (c *Case) check(s, before *machine.State, a *Assertion) (of map[term.Term]term.Term) {
	of = c.represented(s, a)
	u := c.Replace(of)
	if a.Where != nil {
		v := c.view(s)
		v.of = u
		must(algebra.Safely(func() error { return a.Where(v) }))
	} else {
		assumed := func(ring Congruence) bool { return ring.Changed(u) }
		machine.Refuse(slices.ContainsFunc(c.Rings, assumed), "the assertion has no Where, but Setup states a congruence about one of its unknowns")
	}
	none := c.Replace(nil)
	for _, h := range a.Has {
		c.compareTerm(s, h.Place, u.Term(c.bound(s, h.Term, of)), none)
	}
	for leaf, t := range a.As {
		if got, ok := of[leaf]; !ok || !c.Equal(got, u.Term(c.bound(s, t, of))) {
			machine.Fail("%s is not %s", c.Format(leaf), c.Format(t))
		}
	}
	for _, t := range a.Of { // the terms that places contain are bound already
		c.bound(s, t, nil)
	}
	for leaf, t := range of {
		if leaf == t {
			delete(of, leaf)
			continue
		}
		// before is the state that the unknowns are added to.
		c.refuse(c.taken(before, leaf), "%s is an input or already represents a term", leaf)
		c.within(s, leaf, t)
	}
	c.recordClaim(a)
	return of
}

// bound returns t. It fails unless each leaf of t has a number or is a key of unknowns.
func (c *Case) bound(s *machine.State, t term.Term, unknowns map[term.Term]term.Term) term.Term {
	for _, leaf := range c.leavesOf(t) {
		_, unknown := unknowns[leaf]
		c.refuse(!unknown && !c.taken(s, leaf), "an assertion states %s, which is not bound", leaf)
	}
	return t
}

// compareTerm fails unless p holds want, after given has replaced inputs in p.
func (c *Case) compareTerm(s *machine.State, p Place, want term.Term, given *term.Substitution) {
	got := given.Term(s.Get(p, c.Width(want)))
	if !c.Equal(got, want) {
		machine.Fail("%v", c.differs(c.name(p), got, c.Format(want)))
	}
}

// within fails unless the unknown leaf may represent the term t.
func (c *Case) within(s *machine.State, leaf, t term.Term) {
	c.refuse(c.Op(leaf) != term.Leaf || c.Width(leaf) != c.Width(t), "%s is not an unknown of the right width", leaf)
	info := c.Info(leaf)
	c.refuse(info.Public && !c.Public(t), "public unknown %s would represent a secret", leaf)
	if err := algebra.Safely(func() error { return s.Bounds().Within(t, info.Min, info.Max) }); err != nil {
		machine.Fail("%s %v", info.Name, err)
	}
}

// claim checks an assertion and replaces terms with its unknowns.
func (c *Case) claim(s *machine.State, a *Assertion) (of map[term.Term]term.Term) {
	of = c.check(s, s, a)
	if a.NextInstruction {
		s.Restore = func(s *machine.State) { c.restore(s, a, of) }
	}
	c.assume(s, a, of)
	return of
}

// restore puts the represented terms into a's places where they are still unknowns.
func (c *Case) restore(s *machine.State, a *Assertion, of map[term.Term]term.Term) {
	u := c.Replace(of)
	for _, h := range a.Has {
		now := c.bytes(s.Get(h.Place, c.Width(h.Term)))
		for i, b := range c.bytes(h.Term) {
			if now[i] == b {
				now[i] = u.Byte(b)
			}
		}
		c.set(s, h.Place, c.Gather(now))
	}
}

// assume changes s to the state that a describes.
func (c *Case) assume(s *machine.State, a *Assertion, of map[term.Term]term.Term) {
	for leaf := range of {
		c.once(s, leaf)
	}
	as := c.Replace(a.As)
	for _, h := range a.Has {
		c.set(s, h.Place, as.Term(h.Term))
		for _, leaf := range c.leavesOf(h.Term) {
			s.Assumed[leaf] = true
		}
	}
	if a.Note != nil {
		s.Note = a.Note
	}
	if a.Call != nil {
		c.call(s, a)
	}
}

// once binds leaf and fails if it is already taken.
func (c *Case) once(s *machine.State, leaf term.Term) {
	c.refuse(c.taken(s, leaf), "%s is an input or already represents a term", leaf)
	s.Assumed[leaf] = true
}

// taken reports whether the assignment already gives leaf a number, or leaf is reserved.
func (c *Case) taken(s *machine.State, leaf term.Term) bool {
	return s.Assumed[leaf] || c.input(leaf) || c.mem.Address(leaf) || c.Op(leaf) == term.Leaf && c.Info(leaf).Reserved
}

// input reports whether leaf is an input or an initial byte of memory.
func (c *Case) input(leaf term.Term) bool { return c.inputs[leaf] || c.mem.Origin(leaf).Object != nil }
