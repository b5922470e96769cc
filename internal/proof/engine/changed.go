// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"maps"
	"reflect"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
)

// A change says what of a proof a changed instruction has a part in: the rest holds as before.
type change struct {
	lengths []int64 // for which a way from the beginning or from the loop's head executes it
	looped  bool    // and whether the way to the loop or a turn does
}

// proveChanged proves the claim for a function that was changed: the loop, and some of the lengths
// or all of them. What is wrong is found early.
func (r *run) proveChanged(c change, which Lengths) error {
	if r.Kernel.Unit == 0 {
		return r.exit(r.entry, 0)
	}
	some, all := Only(spread(c.lengths)), func(n, from, below, unit int64) bool {
		return slices.Contains(c.lengths, n) && which(n, from, below, unit)
	}
	l, below := r.hint, r.Kernel.Max+1
	if l != nil {
		below = l.from
	}
	err := r.short(some, below)
	if err == nil && l != nil {
		l, err = r.proveChangedLoop(c.looped, some)
	}
	if l != r.hint {
		all = which // the way out begins otherwise
	}
	if err == nil && l != nil {
		err = r.long(all, l)
	}
	if err == nil {
		err = r.short(all, below)
	}
	return err
}

// spread returns some numbers of a list.
func spread(list []int64) []int64 {
	n := len(list)
	if n <= 4 {
		return list
	}
	return []int64{list[0], list[n/3], list[2*n/3], list[n-1]}
}

// proveChangedLoop proves the loop of a function that was changed. It returns the one of before if
// its invariant still holds, else what is found anew.
func (r *run) proveChangedLoop(looped bool, some Lengths) (*loop, error) {
	old := r.hint
	if !looped {
		return old, r.long(some, old)
	}
	first, err := r.arrive(old.pc, old.from)
	if err != nil {
		return nil, err
	}
	if old.arrivesAs(first) {
		if err := r.long(some, old); err != nil {
			return nil, err
		}
		stable, err := r.turn(old.clone()) // which it may weaken
		if stable || err != nil {
			return old, err
		}
	}
	r.stale = true
	return r.loopFrom(old.pc, old.from)
}

// arrivesAs reports whether a state is the one in which the loop's head was first reached, as
// far as the invariant has it.
func (l *loop) arrivesAs(s *machine.State) bool {
	for i, b := range s.Regs {
		if b != l.first.Regs[i] && !l.lost[i&^7] {
			return false
		}
	}
	for _, o := range s.Mem.Objects() {
		if s.Mem.Size(o) != l.first.Mem.Size(o) || s.Mem.Extent(o) != l.first.Mem.Extent(o) {
			return false
		}
		for at := range s.Mem.Extent(o) {
			b, stored := s.Mem.Stored(o, at)
			was, before := l.first.Mem.Stored(o, at)
			if (stored != before || b != was) && !l.hidden[o][at] {
				return false
			}
		}
	}
	return (!s.Dirty || l.head.Dirty) && reflect.DeepEqual(s.Note, l.first.Note)
}

// clone returns a copy that may be weakened.
func (l *loop) clone() *loop {
	c := *l
	c.head = l.head.Clone()
	c.lost, c.fits = maps.Clone(l.lost), maps.Clone(l.fits)
	c.hidden, c.entry = cloneMarks(l.hidden), cloneMarks(l.entry)
	return &c
}

func cloneMarks[T any](m map[*machine.Object]map[int64]T) map[*machine.Object]map[int64]T {
	c := maps.Clone(m)
	for o := range c {
		c[o] = maps.Clone(c[o])
	}
	return c
}
