// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import "slices"

// Alike reports whether two instructions would leave the same state.
func (s *State) Alike(a, b Op) bool {
	x, ok := s.after(a)
	y, ok2 := s.after(b)
	return ok && ok2 && x.Next == y.Next && x.Done == y.Done && x.Dirty == y.Dirty && x.Flags == y.Flags &&
		slices.Equal(x.Regs, y.Regs) && slices.Equal(x.Mem.sizes, y.Mem.sizes) &&
		slices.EqualFunc(x.Mem.content, y.Mem.content, slices.Equal)
}

// after returns the state after an instruction, if that is allowed.
func (s *State) after(op Op) (c *State, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, fault := r.(Fault); !fault {
				panic(r)
			}
		}
	}()
	c = s.Clone()
	op(c)
	return c, true
}
