// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Stretch runs a stretch of a function, from a label until it comes to another one (or again
// to the same). Nothing is known of the registers but what begin claims.
type Stretch func(from, to string, begin *Claim) (before, after View, err error)

// stretch is the Stretch of a run.
func (r *run) stretch(from, to string, begin *Claim) (before, after View, err error) {
	start, ok1 := r.Fn.Labels[from]
	stop, ok2 := r.Fn.Labels[to]
	if !ok1 || !ok2 {
		return before, after, fmt.Errorf("no labels %s and %s", from, to)
	}
	s := r.entry.Clone()
	for i, t := range r.forgotten(start, 0) {
		s.SetWord(8*i, t)
	}
	s.PC, s.Next = start, start
	r.assume(s, begin, nil)
	before = view(s.Clone())
	if _, err := s.Run(r.program, stop); err != nil {
		return before, after, err
	}
	if s.Done {
		return before, after, fmt.Errorf("returns after %s", from)
	}
	r.passages[passage{start, stop}] = nil
	r.result.ran(s.Visits(), 0)
	for i, n := range s.Visits() {
		r.between[i] = r.between[i] || n > 0
	}
	return before, view(s), nil
}

// before returns Kernel.At by instructions.
func (r *run) before() map[int]func(*machine.State) {
	before := map[int]func(*machine.State){}
	for label, look := range r.Kernel.At {
		if pc, ok := r.Fn.Labels[label]; ok {
			before[pc] = func(s *machine.State) {
				if a := look(&r.Case, view(s)); a != nil {
					r.claim(s, a)
					if a.To != "" {
						s.PC, s.Jumped = s.Next, true
					}
				}
			}
		}
	}
	return before
}

// forgetIf makes registers unknown, and flags.
func (c *Case) forgetIf(s *machine.State, is func(register string) bool) {
	unknown := c.forgotten(s.PC, s.Visits()[s.PC])
	for i, name := range c.layout.Of {
		if is(name) {
			s.SetWord(8*i, unknown[i])
		}
	}
	s.UndefineFlags()
}

// forgotten returns something unknown for each 8 bytes of registers, which is the same in all runs that forget at an
// instruction at its visit, but never comes twice on a way: one that begins at a loop's head may have some from the
// way there.
func (c *Case) forgotten(pc int, visit int32) []term.Term {
	type key struct {
		pc     int
		visit  int32
		looped bool
	}
	k := key{pc, visit, c.Looped}
	return term.Once(c.Store, k, func() (list []term.Term) {
		for range c.layout.Of {
			list = append(list, c.Unknown(64))
		}
		return list
	})
}
