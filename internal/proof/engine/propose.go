// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// represented collects the terms that an assertion's unknowns represent.
func (c *Case) represented(s *machine.State, a *Assertion) map[term.Term]term.Term {
	of := map[term.Term]term.Term{}
	maps.Copy(of, a.Of)
	for _, h := range a.Has {
		if _, bound := of[h.Term]; !bound && slices.Contains(a.Unknown, h.Term) {
			of[h.Term] = s.Get(h.Place, c.Width(h.Term))
		}
	}
	return of
}

// claims makes a path claim the assertions in Weakenings.
func (r *Session) claims(s *machine.State) {
	if after := r.Kernel.After; after != nil {
		s.After = func(s *machine.State) { r.made(s, "within", after) }
	}
	at := make([]string, len(r.Fn.Code))
	for label := range r.Kernel.At {
		pc, ok := r.Fn.Labels[label]
		machine.Refuse(!ok || pc >= len(at), "an assertion is at the label %s, which the function lacks", label)
		machine.Refuse(at[pc] != "", "assertions are at the labels %s and %s, which are one instruction", at[pc], label)
		at[pc] = label
	}
	s.Before = func(s *machine.State) {
		called := false
		if label := at[s.PC]; label != "" {
			called = r.made(s, "at "+label, r.Kernel.At[label])
		}
		if r.Kernel.Before != nil && !called {
			r.made(s, "before", r.Kernel.Before)
		}
	}
}

// made claims the assertion that look returns, if any. It reports whether the assertion
// calls a segment.
func (r *Session) made(s *machine.State, where string, look func(*Case, View) *Assertion) (called bool) {
	a := look(&r.Case, r.view(s))
	if a == nil {
		return false
	}
	r.tampered(s, where, a, look)
	called = a.Call != nil
	if r.observer != nil && called {
		r.observer.assertion(s, false, nil)
	}
	of := r.claim(s, a)
	if r.observer != nil {
		r.observer.assertion(s, where == "within", of)
	}
	return called
}

// findLoop finds the loop's head and the least length that reaches it.
func (r *Session) findLoop() (l *loop) {
	if r.hint != nil {
		return r.loopFrom(r.hint.pc, r.hint.from)
	}
	k := r.Kernel
	pc, ok := r.Fn.Labels[r.Head]
	if !ok {
		pc, ok = r.furthest()
	}
	machine.Refuse(!ok, "no loop found")
	if k.Reached > 0 {
		return r.loopFrom(pc, k.Reached)
	}
	err := errors.New("no length allows two iterations")
	for i := int64(1); i <= 8 && (i+1)*k.Step <= k.Max; i++ {
		if e := machine.Try(func() { l = r.loopFrom(pc, max(i*k.Step, k.Min)) }); e == nil {
			return l
		} else {
			err = fmt.Errorf("from %d bytes: %w", i*k.Step, e)
		}
	}
	must(err)
	return nil
}

// loopFrom weakens the state on arrival until an iteration preserves it.
func (r *Session) loopFrom(pc int, from int64) *loop {
	l := r.newLoop(pc, from)
	for range 100 { // more than a loop that has an invariant needs
		if r.iterate(l, l.weakener(r)); l.stable {
			r.hint = l
			return l
		}
	}
	machine.Fail("no invariant found: each attempt changes in an iteration")
	return nil
}

// furthest returns the target of the longest backward jump inside the segment.
func (r *Session) furthest() (head int, ok bool) {
	distance := 0
	for i := range r.Fn.Code[:min(r.stop, len(r.Fn.Code))] {
		for _, o := range r.Fn.Code[i].Args {
			to, is := r.Fn.Labels[o.Name]
			if is && o.Kind == asm.Label && to >= r.entry.PC && i-to >= distance {
				head, distance, ok = to, i-to, true
			}
		}
	}
	return head, ok
}

// weakener returns a function that weakens the invariant where iterations violate it.
func (l *loop) weakener(r *Session) func(s *machine.State, next *term.Substitution, differ []Place) {
	before := maps.Clone(l.perIteration)
	return func(s *machine.State, next *term.Substitution, differ []Place) {
		l.dirty = l.dirty || s.Dirty
		for _, p := range differ {
			if !l.growsInStep(r, before, s, Place{Object: p.Object, At: p.At &^ 7}, next) {
				l.forget(p)
			}
		}
	}
}

// growsInStep reports whether the word at p grows by a constant per iteration, and
// records the constant.
func (l *loop) growsInStep(r *Session, before map[Place]uint64, s *machine.State, p Place, next *term.Substitution) bool {
	head, got := l.head.Get(p, 64), s.Get(p, 64)
	if o := p.Object; o != nil && (got != head || head != o.Load(p.At, 8)) {
		return false
	}
	by, ok := r.IsConst(r.Sub(got, next.Term(head)))
	_, old := before[p]
	other, proposed := l.perIteration[p]
	if !ok || old || proposed && other != by || !r.Public(got) || !r.Public(head) {
		return false
	}
	l.perIteration[p] = by
	return true
}

// An equation relates a pattern's term to the caller's.
type equation struct{ pattern, value term.Term }

// A solver chooses the caller's terms for a pattern's leaves.
type solver struct {
	*match
	todo []equation
}

// propose binds leaves as long as some equation contains only one unbound leaf.
func (m *match) propose() {
	v := &solver{match: m}
	for _, o := range m.p.mem.Objects() {
		v.object(o, m.at[o])
	}
	for _, h := range m.p.enter.Has {
		v.equal(h.Term, m.s.Get(m.of(h.Place), m.c.Width(h.Term)))
	}
	for progress := true; progress; {
		list := v.todo
		v.todo, progress = nil, false
		for _, q := range list {
			if v.solved(q) {
				progress = true
			} else {
				v.todo = append(v.todo, q)
			}
		}
	}
}

func (m *solver) equal(pattern, value term.Term) {
	m.todo = append(m.todo, equation{pattern, m.given.Term(value)})
}

// object adds the equations for the size and the contents of an object.
func (m *solver) object(o *machine.Object, at Place) {
	m.equal(m.p.sizes[o], m.c.AddConst(m.s.Mem.Size(at.Object), -uint64(at.At)))
	for i, b := range o.Fixed() {
		if t, _ := b.Of(); m.c.Width(t) == 8 {
			m.equal(t, m.s.Get(In(at.Object, at.At+i), 8))
		} else if i%8 == 0 {
			m.equal(o.Load(i, 8), m.s.Get(In(at.Object, at.At+i), 64))
		}
	}
}

// solved tries to solve q. It returns false if q must be tried again later.
func (m *solver) solved(q equation) bool {
	c := m.c
	if m.open(q.pattern) {
		m.bind[q.pattern] = q.value
		return true
	}
	unknown := slices.DeleteFunc(c.leavesOf(q.pattern), func(leaf term.Term) bool { return !m.open(leaf) })
	if len(unknown) != 1 {
		return len(unknown) == 0
	}
	x, t := unknown[0], c.Replace(m.bind).Term(q.pattern)
	if c.Op(t) == term.Sum {
		for i, arg := range c.Args(t) {
			if by := c.Coef(t, i); term.Term(arg) == x && (by == 1 || by == ^uint64(0)) {
				m.bind[x] = c.Scale(c.Sub(q.value, c.Sub(t, c.Scale(x, by))), by)
				return true
			}
		}
	}
	// If x is multiplied or shifted, the operands may be equal.
	if c.Op(t) != c.Op(q.value) || c.Width(t) != c.Width(q.value) || c.Op(t) == term.Join || len(c.Args(t)) != 1 || len(c.Args(q.value)) != 1 {
		return false
	}
	m.todo = append(m.todo, equation{term.Term(c.Args(t)[0]), term.Term(c.Args(q.value)[0])})
	return true
}
