// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

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
		word := wordOf(o.Fixed(), i&^7) // words are matched as a whole
		if word == nil || m.c.Op(m.c.Gather(word)) == term.Join {
			m.equal(m.c.Gather([]term.Byte{b}), m.s.Get(In(at.Object, at.At+i), 8))
		} else if i&7 == 0 {
			m.equal(m.c.Gather(word), m.s.Get(In(at.Object, at.At+i), 64))
		}
	}
}

func wordOf(bytes map[int64]term.Byte, at int64) []term.Byte {
	word := make([]term.Byte, 0, 8)
	for i := at; i < at+8; i++ {
		b, ok := bytes[i]
		if !ok {
			return nil
		}
		word = append(word, b)
	}
	return word
}

// solved tries to solve q, and reports whether q is no longer needed.
func (m *solver) solved(q equation) bool {
	c := m.c
	unknown := slices.DeleteFunc(c.leavesOf(q.pattern), func(leaf term.Term) bool { return !m.open(leaf) })
	if len(unknown) != 1 {
		return len(unknown) == 0
	}
	x, t := unknown[0], c.Replace(m.bind).Term(q.pattern)
	if t == x {
		m.bind[x] = q.value
		return true
	}
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
