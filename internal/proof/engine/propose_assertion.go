// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"maps"
	"slices"

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
		if pc, ok := r.Fn.Labels[label]; ok && pc < len(at) {
			at[pc] = label
		}
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
