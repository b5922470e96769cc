// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
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
	for i, name := range r.layout.Of {
		if !slices.Contains(r.Kernel.Changes, name) && s.Word(8*i, 8) != r.entry.Word(8*i, 8) {
			return fmt.Errorf("%s is changed", name)
		}
	}
	for at := range s.Mem.Extent(r.env.Frame) {
		if b := s.Mem.Byte(r.env.Frame, at); b != r.entry.Mem.Byte(r.env.Frame, at) && !slices.Contains(r.Kernel.Scratch, at&^7) {
			return fmt.Errorf("the frame is changed at %d", at)
		}
	}
	return nil
}
