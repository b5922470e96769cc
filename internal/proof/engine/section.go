// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// section makes the run one of a section.
func (r *run) section() error {
	from, ok1 := r.Fn.Labels[r.Kernel.From]
	to, ok2 := r.Fn.Labels[r.Kernel.To]
	if !ok1 || !ok2 {
		return fmt.Errorf("no section from %s to %s", r.Kernel.From, r.Kernel.To)
	}
	r.entry.PC, r.entry.Next, r.stop = from, from, to
	r.program.Ops[to] = func(*machine.State) { machine.Fail("leaves the section") }
	r.assume(r.entry, r.Kernel.Enter(&r.Case), nil)
	return nil
}

// left checks how a section is left: at its end, with the registers as they were but
// those that it may change, and the frame as well.
func (r *run) left(s *machine.State) error {
	if s.Done {
		return errors.New("returns from a section")
	}
	if s.Dirty && !r.Kernel.vectors() {
		return errors.New("upper halves of vectors are used")
	}
	for i, name := range r.layout.Of {
		if !slices.Contains(r.Kernel.Changes, name) && s.Word(8*i, 8) != r.entry.Word(8*i, 8) {
			return fmt.Errorf("%s is changed", name)
		}
	}
	for at := range s.Mem.Extent(r.frame) {
		if b := s.Mem.Byte(r.frame, at); b != r.entry.Mem.Byte(r.frame, at) && !slices.Contains(r.Kernel.Scratch, at&^7) {
			return fmt.Errorf("the frame is changed at %d", at)
		}
	}
	return nil
}

// vectors reports whether a section may change vectors, and need VZEROUPPER.
func (k *Kernel) vectors() bool {
	return slices.ContainsFunc(k.Changes, func(name string) bool { return name[0] == 'Z' })
}

// before returns what is done before each instruction: Kernel.At and Kernel.StandIn.
func (r *run) before() func(*machine.State) {
	at := map[int]func(*Case, View) *Claim{}
	for label, look := range r.Kernel.At {
		if pc, ok := r.Fn.Labels[label]; ok {
			at[pc] = look
		}
	}
	return func(s *machine.State) {
		if look := at[s.PC]; look != nil {
			a := look(&r.Case, view(s))
			r.claim(s, a)
			if a != nil && a.To != "" {
				s.PC, s.Jumped = s.Next, true
				return
			}
		}
		if x := r.Kernel.StandIn; x != nil {
			r.standIn(s, x(&r.Case, view(s)))
		}
	}
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
