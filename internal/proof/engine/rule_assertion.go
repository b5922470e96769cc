// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// get returns the width bits that a place contains.
func get(s *machine.State, p Place, width int) term.Term {
	switch {
	case p.Size:
		return s.Mem.Size(p.Object)
	case p.Object == nil:
		return s.Word(int(p.At), width/8)
	case p.At < 0:
		machine.Fail("%s%+d is before the start of the object", p.Object.Name, p.At)
	}
	b := make([]term.Byte, width/8)
	for i := range b {
		b[i] = s.Mem.Byte(p.Object, p.At+int64(i))
	}
	return s.T.Gather(b)
}

func (c *Case) set(s *machine.State, p Place, t term.Term) {
	switch {
	case p.Size:
		s.Mem.SetSize(p.Object, t)
	case p.Object == nil:
		s.SetWord(int(p.At), t)
	default:
		for i, b := range c.bytes(t) {
			at := p.At + int64(i)
			if _, stored := s.Mem.Stored(p.Object, at); !stored && slices.ContainsFunc(c.Lies, func(l Lie) bool { return l.In == p.Object }) {
				machine.Fail("an assertion mentions %s[%d], which is not stored yet and may overlap another buffer", p.Object.Name, at)
			}
			s.Mem.Put(p.Object, at, b)
		}
	}
}

// check verifies an assertion and returns the terms that its unknowns represent.
func (c *Case) check(s *machine.State, a *Assertion) (of map[term.Term]term.Term, err error) {
	of = map[term.Term]term.Term{}
	maps.Copy(of, a.Of)
	if a.Stand != nil {
		maps.Copy(of, a.Stand(c.view(s)))
	}
	for _, h := range a.Has {
		if _, bound := of[h.Term]; !bound && slices.Contains(a.Unknown, h.Term) {
			of[h.Term] = get(s, h.Place, c.Width(h.Term))
		}
	}
	u := c.Replace(of)
	if a.Where != nil {
		v := c.view(s)
		v.of = u
		if err := algebra.Safely(func() error { return a.Where(v) }); err != nil {
			return nil, err
		}
	}
	for _, h := range a.Has {
		if got, want := get(s, h.Place, c.Width(h.Term)), u.Term(h.Term); got != want && !c.Equal(got, want) {
			return nil, c.differs(c.name(h.Place), got, c.Format(want))
		}
	}
	for leaf, t := range a.As {
		if got, ok := of[leaf]; !ok || !c.Equal(got, u.Term(t)) {
			return nil, fmt.Errorf("%s is not %s", c.Format(leaf), c.Format(t))
		}
	}
	for leaf, t := range of {
		if err := c.within(s, a, leaf, t); err != nil {
			return nil, err
		}
	}
	if c.record != nil {
		c.recordClaim(a)
	}
	return of, nil
}

// within returns an error unless the unknown leaf may represent the term t.
func (c *Case) within(s *machine.State, a *Assertion, leaf, t term.Term) error {
	if leaf == t {
		return nil
	}
	if c.Op(leaf) != term.Leaf || c.Width(leaf) != c.Width(t) {
		return fmt.Errorf("%s is not an unknown of the right width", c.Format(leaf))
	}
	info := c.Info(leaf)
	if info.Public && !c.Public(t) {
		return fmt.Errorf("public unknown %s would represent a secret", info.Name)
	}
	bounds := a.Bounds
	if bounds == nil || info.Public {
		bounds = s.Bounds()
	}
	if err := algebra.Safely(func() error { return bounds.Within(t, info.Min, info.Max) }); err != nil {
		return fmt.Errorf("%s %w", info.Name, err)
	}
	return nil
}

// claim checks an assertion and replaces terms with its unknowns.
func (c *Case) claim(s *machine.State, a *Assertion) (of map[term.Term]term.Term) {
	of, err := c.check(s, a)
	if err != nil {
		machine.Fail("%v", err)
	}
	switch a.Scope {
	case Everywhere:
		c.replace(s, of)
	case NextInstruction:
		s.Restore = c.restore(s, a)
	}
	c.assume(s, a, of)
	return of
}

// replace puts unknowns wherever the state contains the terms that they represent.
func (c *Case) replace(s *machine.State, of map[term.Term]term.Term) {
	with := map[term.Byte]term.Byte{}
	low, high := ^term.Byte(0), term.Byte(0)
	for leaf, t := range of {
		to := c.bytes(leaf)
		for i, b := range c.bytes(t) {
			with[b] = to[i]
			low, high = min(low, b), max(high, b)
		}
	}
	s.Replace(func(b term.Byte) term.Byte {
		if b < low || b > high { // true for nearly all bytes
			return b
		}
		return cmp.Or(with[b], b)
	})
}

// restore returns a function that restores a's places where they are still unknowns.
func (c *Case) restore(s *machine.State, a *Assertion) func(*machine.State) {
	old, unknown := make([][]term.Byte, len(a.Has)), make([][]term.Byte, len(a.Has))
	for i, h := range a.Has {
		old[i], unknown[i] = c.bytes(get(s, h.Place, c.Width(h.Term))), c.bytes(h.Term)
	}
	return func(s *machine.State) {
		for i, h := range a.Has {
			now := c.bytes(get(s, h.Place, c.Width(h.Term)))
			for at := range now {
				if now[at] == unknown[i][at] {
					now[at] = old[i][at]
				}
			}
			c.set(s, h.Place, c.Gather(now))
		}
	}
}

// Begun returns unknown or, before any iteration, the term that it represents.
func (c *Case) Begun(s View, unknown term.Term) term.Term {
	if s.s.Taken != nil && *s.s.Taken {
		return c.head.stood[unknown]
	}
	return unknown
}

// assume stores an assertion's terms in its places and then executes its Call.
func (c *Case) assume(s *machine.State, a *Assertion, of map[term.Term]term.Term) {
	for leaf, t := range of {
		if leaf != t {
			c.once(s, leaf)
		}
	}
	as := c.Replace(a.As)
	for _, h := range a.Has {
		c.set(s, h.Place, as.Term(h.Term))
	}
	if a.Note != nil {
		s.Note = a.Note
	}
	if a.Call != nil {
		c.call(s, a)
	}
}

// once binds an unknown. It fails for inputs and for bound unknowns.
func (c *Case) once(s *machine.State, leaf term.Term) {
	if s.Assumed[leaf] || c.inputs[leaf] {
		machine.Fail("%s is an input or already represents a term", c.Format(leaf))
	}
	s.Assumed[leaf] = true
}

// before returns the function that applies At and Before to each instruction.
func (r *Session) before() func(*machine.State) {
	at := make([]string, len(r.Fn.Code))
	for label := range r.Kernel.At {
		if pc, ok := r.Fn.Labels[label]; ok && pc < len(at) {
			at[pc] = label
		}
	}
	return func(s *machine.State) {
		if label := at[s.PC]; label != "" {
			a := r.made(s, "at "+label, r.Kernel.At[label])
			if a != nil && a.Call != nil {
				return
			}
		}
		if r.Kernel.Before == nil {
			return
		}
		if a := r.Kernel.Before(&r.Case, r.view(s)); a != nil {
			of := r.claim(s, a)
			if r.observer != nil {
				r.observer.unknowns(s, of)
			}
		}
	}
}

func (r *Session) made(s *machine.State, where string, look func(*Case, View) *Assertion) *Assertion {
	a := look(&r.Case, r.view(s))
	if r.tamper != nil && a != nil {
		r.tamper(s, where, a, func(other *machine.State) error {
			a := look(&r.Case, r.view(other))
			if a == nil {
				return errors.New("no assertion")
			}
			_, err := r.check(other, a)
			return err
		})
	}
	if a == nil {
		return nil
	}
	if r.observer == nil {
		r.claim(s, a)
		return a
	}
	if a.Call != nil {
		r.observer.assertion(s, false, nil)
	}
	of := r.claim(s, a)
	r.observer.assertion(s, where == "within", of)
	return a
}

// A visit identifies one execution of an instruction on a path. Unknowns are created
// separately for each visit, so that no path introduces the same unknown twice.
type visit struct {
	pc     int
	number int32
	looped bool // the path begins at the head of a loop, whose state may contain unknowns
}

// unknownByte returns an unknown for a byte that the proof forgets.
func (c *Case) unknownByte(s *machine.State, p Place, public bool) term.Byte {
	type forgotten struct {
		visit
		Place
		public bool
	}
	return term.Byte(term.Once(c.Store, forgotten{visit{s.PC, s.Visits()[s.PC], c.Looped}, p, public}, func() term.Term {
		return c.NewLeaf(8, term.LeafInfo{Name: "unknown", Public: public})
	}) << 3)
}

// forgetRegisters replaces the selected words with unknowns and marks the flags
// undefined.
func (c *Case) forgetRegisters(s *machine.State, is func(word int) bool) {
	unknown := term.Once(c.Store, visit{s.PC, s.Visits()[s.PC], c.Looped}, func() (list []term.Term) {
		for range c.layout.Of {
			list = append(list, c.Unknown(64))
		}
		return list
	})
	for i := range c.layout.Of {
		if is(i) {
			s.SetWord(8*i, unknown[i])
		}
	}
	s.UndefineFlags()
}
