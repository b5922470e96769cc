// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

// open reports whether t is an unbound unknown of the segment's statement.
func (m *match) open(t term.Term) bool {
	_, bound := m.bind[t]
	return !bound && t >= m.p.first && t < m.p.end && m.c.Op(t) == term.Leaf
}

// solve binds unknowns as long as some equation contains only one unbound unknown.
func (m *match) solve() {
	for progress := true; progress; {
		list := m.todo
		m.todo, progress = nil, false
		for _, q := range list {
			if m.solved(q) {
				progress = true
			} else {
				m.todo = append(m.todo, q)
			}
		}
	}
}

// solved tries to solve q, and reports whether q is no longer needed.
func (m *match) solved(q equation) bool {
	c := m.c
	t := c.Replace(m.bind).Term(q.pattern)
	unknown := slices.DeleteFunc(c.leavesOf(t), func(leaf term.Term) bool { return !m.open(leaf) })
	switch {
	case len(unknown) == 0:
		return true
	case m.open(t):
		m.set(t, q.value)
		return true
	case len(unknown) > 1:
		return false
	case c.Op(t) == term.Shl && c.Op(q.value) == term.Const:
		m.set(unknown[0], c.Const(c.Width(unknown[0]), c.Imm(q.value)>>c.Imm(t)))
		return true
	case c.Op(t) == term.Sum:
		for i, arg := range c.Args(t) {
			x, by := term.Term(arg), c.Coef(t, i)
			if x != unknown[0] {
				continue
			}
			rest := c.Sub(q.value, c.Sub(t, c.Scale(x, by))) // by·x
			switch {
			case by == 1 || by == ^uint64(0):
				m.set(x, c.Scale(rest, by))
			case c.Op(rest) == term.Sum && len(c.Args(rest)) == 1, c.Op(rest) == term.Shl:
				m.set(x, term.Term(c.Args(rest)[0]))
			default:
				v, ok := c.IsConst(rest)
				if !ok || v%by != 0 {
					return false
				}
				m.set(x, c.Const(c.Width(x), v/by))
			}
			return true
		}
	case c.Op(t) == c.Op(q.value) && c.Width(t) == c.Width(q.value) && len(c.Args(t)) == 1 && len(c.Args(q.value)) == 1 && c.Op(t) != term.Join:
		m.todo = append(m.todo, equation{q.what, term.Term(c.Args(t)[0]), term.Term(c.Args(q.value)[0]), false})
		return true
	}
	return false
}
