// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Stretch runs a stretch of a function, from a label until it comes to another one (or again
// to the same). Nothing is known of the registers but what begin sets.
type Stretch func(from, to string, begin func(*machine.State)) (*machine.State, error)

// stretch is the Stretch of a run.
func (r *run) stretch(from, to string, begin func(*machine.State)) (*machine.State, error) {
	start, ok1 := r.Fn.Labels[from]
	stop, ok2 := r.Fn.Labels[to]
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("no labels %s and %s", from, to)
	}
	s := r.entry.Clone()
	for at := 0; at < r.arch.layout.Size; at += 8 {
		s.SetWord(at, r.forgotten(place{start, 0, at}))
	}
	s.PC = start
	begin(s)
	if _, err := s.Run(r.program, stop); err != nil {
		return nil, err
	}
	if s.Done {
		return nil, fmt.Errorf("returns after %s", from)
	}
	r.result.ran(s.Visits(), 0)
	for i, n := range s.Visits() {
		r.between[i] = r.between[i] || n > 0
	}
	return s, nil
}

// before returns Kernel.At by instructions.
func (r *run) before() map[int]func(*machine.State) {
	before := map[int]func(*machine.State){}
	for label, look := range r.Kernel.At {
		if pc, ok := r.Fn.Labels[label]; ok {
			before[pc] = func(s *machine.State) { look(&r.Case, s) }
		}
	}
	return before
}

// Forget makes all registers and flags unknown but some: what comes after depends on these
// and on memory alone.
func (c *Case) Forget(s *machine.State, kept ...string) {
	c.forgetIf(s, func(name string) bool { return name != "SP" && !slices.Contains(kept, name) })
}

func (c *Case) forgetIf(s *machine.State, is func(register string) bool) {
	for at := 0; at < c.Layout.Size; at += 8 {
		if name, _, _ := strings.Cut(c.Layout.Name(at), "["); is(name) {
			s.SetWord(at, c.forgotten(place{s.PC, int(s.Visits()[s.PC]), at}))
		}
	}
	for i := range s.Flags {
		s.Flags[i] = machine.Undefined
	}
}

// A place is where a register is forgotten, and at which visit.
type place struct{ pc, visit, Register int }

// forgotten returns something unknown that is the same in all runs, but never twice on a
// way: one that begins at a loop's head may have some from the way there.
func (c *Case) forgotten(p place) term.Term {
	type key struct {
		place
		looped bool
	}
	k := key{p, c.Looped}
	t, ok := c.Memo[k].(term.Term)
	if !ok {
		t = c.Unknown(64)
		c.Memo[k] = t
	}
	return t
}
