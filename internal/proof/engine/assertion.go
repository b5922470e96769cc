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

// An Assertion states what registers and memory contain at a point of a function, as
// terms of unknowns. When a run arrives there, the engine checks the assertion. It then
// replaces the contents by the stated terms, so that from there on, only the assertion
// is known about its unknowns.
//
// An unknown is a leaf that represents a term: either the contents of its place or the
// term in Of. The term must lie within the leaf's bounds, and must not be secret if the
// leaf is public. A run may bind each unknown only once.
type Assertion struct {
	Has        []Has                   // what places have, as terms of the unknowns
	Unknown    []term.Term             // stand for what their places have
	Of         map[term.Term]term.Term // stand for these terms
	As         map[term.Term]term.Term // what is known of unknowns: terms of others
	Everywhere bool                    // also wherever the terms are, not in the places alone
	Bounds     *algebra.Algebra        // shows the bounds of what is secret, if not that of the run

	// Where, if not nil, checks how the terms that the unknowns represent are related,
	// and returns an error if a relation does not hold. View.Of returns the term of an
	// unknown. As in Kernel.Left, a term that the algebra cannot interpret is an error.
	Where func(View) error

	// Stand, if not nil, returns the values of unknowns that depend on the execution.
	Stand func(View) map[term.Term]term.Term

	Note any // if set, what the statement keeps of the way

	Call *Call // if set, the segment that is entered here

}

// A Place is a position in the registers if Object is nil, a position in memory, or the
// size of an object.
type Place struct {
	Object *machine.Object
	At     int64
	Size   bool
}

// A Has states the term that a place contains.
type Has struct {
	Place Place
	Term  term.Term
}

// InRegisters returns a place in registers.
func InRegisters(at int) Place { return Place{At: int64(at)} }

// In returns a place in memory.
func In(o *machine.Object, at int64) Place { return Place{Object: o, At: at} }

// SizeOf returns the place of an object's size.
func SizeOf(o *machine.Object) Place { return Place{Object: o, Size: true} }

// Has returns the statement that the place contains t.
func (p Place) Has(t term.Term) Has { return Has{p, t} }

// Any adds to an assertion that a place contains an unknown.
func (a *Assertion) Any(p Place, unknown term.Term) {
	a.Unknown, a.Has = append(a.Unknown, unknown), append(a.Has, p.Has(unknown))
}

// get returns what a place has: width bits.
func get(s *machine.State, p Place, width int) term.Term {
	switch {
	case p.Size:
		return s.Mem.Size(p.Object)
	case p.Object == nil:
		return s.Word(int(p.At), width/8)
	case p.At < 0:
		machine.Fail("%s%+d is outside", p.Object.Name, p.At)
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
				machine.Fail("nothing is stored in %s[%d], which a claim would count as stored", p.Object.Name, at)
			}
			s.Mem.Put(p.Object, at, b)
		}
	}
}

// check returns an error unless an assertion holds in a state. It returns the terms
// that the unknowns represent.
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
		c.record.claim(c, a)
	}
	return of, nil
}

// within returns an error unless the unknown leaf may represent the term t.
func (c *Case) within(s *machine.State, a *Assertion, leaf, t term.Term) error {
	if leaf == t {
		return nil
	}
	if c.Op(leaf) != term.Leaf || c.Width(leaf) != c.Width(t) {
		return fmt.Errorf("no unknown is %s", c.Format(leaf))
	}
	info := c.Info(leaf)
	if info.Public && !c.Public(t) {
		return fmt.Errorf("%s is public, and stands for a secret", info.Name)
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

// name returns the name of a place.
func (c *Case) name(p Place) string {
	switch {
	case p.Size:
		return "the size of " + p.Object.Name
	case p.Object == nil:
		return c.layout.Name(int(p.At))
	}
	return fmt.Sprintf("%s[%d]", p.Object.Name, p.At)
}

// claim checks an assertion and then makes it the only knowledge about its places in
// the state.
func (c *Case) claim(s *machine.State, a *Assertion) (of map[term.Term]term.Term) {
	of, err := c.check(s, a)
	if err != nil {
		machine.Fail("%v", err)
	}
	if a.Everywhere {
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
			if b < low || b > high { // nearly all
				return b
			}
			return cmp.Or(with[b], b)
		})
	}
	c.assume(s, a, of)
	return of
}

// Begun returns the term that an unknown of the loop's head represented when the head
// was first reached, if the run took the branch on which no turn came before.
// Otherwise, it returns the unknown itself.
func (c *Case) Begun(s View, unknown term.Term) term.Term {
	if s.s.Taken != nil && *s.s.Taken {
		return c.head.stood[unknown]
	}
	return unknown
}

// assume makes the state what a claim says.
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

// once fails if a leaf is an input, or an unknown that already represents a term on
// this path.
func (c *Case) once(s *machine.State, leaf term.Term) {
	if s.Assumed[leaf] || c.inputs[leaf] {
		machine.Fail("%s stands for two things", c.Format(leaf))
	}
	s.Assumed[leaf] = true
}

// A StandIn puts an unknown in a place while one instruction is executed. Afterwards,
// the place contains its old bytes again, except for bytes that the instruction
// changed.
type StandIn struct {
	Place   Place
	Unknown term.Term
	Note    any // if set, what the statement keeps then
}

// standIn puts an unknown in a place. The unknown may represent any value, because
// nothing is known about it.
func (c *Case) standIn(s *machine.State, x *StandIn) {
	if x == nil {
		return
	}
	if info := c.Info(x.Unknown); c.Op(x.Unknown) != term.Leaf || info.Public || info.Min > 0 || info.Max != 1<<64-1 {
		machine.Fail("%s may not stand for something", c.Format(x.Unknown))
	}
	old, unknown := c.bytes(get(s, x.Place, 64)), c.bytes(x.Unknown)
	if c.observer != nil {
		c.observer.standIn(s, map[term.Term]term.Term{x.Unknown: c.Gather(old)})
	}
	c.assume(s, &Assertion{Has: []Has{x.Place.Has(x.Unknown)}, Note: x.Note}, map[term.Term]term.Term{x.Unknown: 0})
	s.Restore = func(s *machine.State) { // what the instruction has not changed
		now := c.bytes(get(s, x.Place, 64))
		for i := range now {
			if now[i] == unknown[i] {
				now[i] = old[i]
			}
		}
		c.set(s, x.Place, c.Gather(now))
	}
}

// before returns the function to call before each instruction. It applies Kernel.At and
// Kernel.StandIn.
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
		if x := r.Kernel.StandIn; x != nil {
			r.standIn(s, x(&r.Case, r.view(s)))
		}
	}
}

// made checks and applies the assertion that look, a function of the statement,
// returns. It returns this assertion.
func (r *Session) made(s *machine.State, where string, look func(*Case, View) *Assertion) *Assertion {
	a := look(&r.Case, r.view(s))
	if r.tamper != nil && a != nil {
		r.tamper(s, where, a, func(other *machine.State) error {
			a := look(&r.Case, r.view(other))
			if a == nil {
				return errors.New("claims nothing")
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

// A visit identifies one execution of an instruction by its number among all executions
// of the instruction on this path, which may begin at a loop's head.
type visit struct {
	pc     int
	number int32
	looped bool
}

// unknownByte returns an unknown for a forgotten byte. All runs that forget the byte at
// the same visit share the unknown, but the unknown never occurs twice on a path.
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

// forgetRegisters replaces the selected register words by unknowns and undefines the
// flags. All runs that forget registers at the same visit share the unknowns, but no
// path gets the same unknown twice. A visit on a path from the loop's head is distinct,
// because the state at the head may contain unknowns from the path to the head.
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
