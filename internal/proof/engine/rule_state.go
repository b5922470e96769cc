// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// refuse panics with the formatted message if wrong is true.
func refuse(wrong bool, format string, args ...any) {
	if wrong {
		machine.Fail(format, args...)
	}
}

// must fails with err unless err is nil.
func must(err error) {
	if err != nil {
		machine.Fail("%v", err)
	}
}

// get returns the width bits that a place contains.
func get(s *machine.State, p Place, width int) term.Term {
	switch {
	case p.Object == nil:
		return s.Word(int(p.At), width/8)
	case p.At < 0:
		machine.Fail("%s%+d is before the start of the object", p.Object.Name, p.At)
	}
	b := make([]term.Byte, width/8)
	for i := range b {
		b[i] = s.Mem.Byte(p.Object, p.At+int64(i))
	}
	return s.T.Gather(b)
}

// set puts t in place p.
func (c *Case) set(s *machine.State, p Place, t term.Term) {
	if p.Object == nil {
		s.SetWord(int(p.At), t)
		return
	}
	for i, b := range c.bytes(t) {
		// watch would mistake the first change of a byte for a store.
		at := p.At + int64(i)
		if _, stored := s.Mem.Stored(p.Object, at); !stored && c.overlapped(p.Object) {
			machine.Fail("an assertion mentions %s[%d], which is not stored yet and may overlap another buffer", p.Object.Name, at)
		}
		s.Mem.Put(p.Object, at, b)
	}
}

// overlapped reports whether another buffer may overlap o, an output.
func (c *Case) overlapped(o *machine.Object) bool {
	return slices.ContainsFunc(c.Overlaps, func(l Overlap) bool { return l.In == o })
}

// fresh returns a copy of s for an execution that starts at pc.
func fresh(s *machine.State, pc int) *machine.State {
	s = s.Begin()
	s.UndefineFlags()
	s.PC, s.Next, s.Note, s.Trail, s.Restore = pc, pc, nil, nil, nil
	return s
}

// forget replaces the contents of the lost places with new unknowns.
func (c *Case) forget(s *machine.State, at any, lost map[Place]bool) {
	for _, p := range slices.SortedFunc(maps.Keys(lost), order) {
		unknown := c.unknown(at, p, lost[p])
		c.once(s, unknown)
		c.set(s, p, unknown)
	}
}

// order compares places, so that terms are numbered alike in every proof.
func order(a, b Place) int {
	if a.Object == b.Object {
		return cmp.Compare(a.At, b.At)
	}
	return cmp.Or(strings.Compare(nameOf(a.Object), nameOf(b.Object)), cmp.Compare(a.At, b.At))
}

func (c *Case) unknown(at any, p Place, public bool) term.Term {
	type forgotten struct { // so that no statement can use the same key
		at any
		Place
		public bool
	}
	return term.Memo(c.Store, forgotten{at, p, public}, func() term.Term {
		width := 8
		if p.Object == nil {
			width = 64
		}
		return c.NewLeaf(width, term.LeafInfo{Name: "unknown", Public: public})
	})
}

// visit returns a key that identifies one execution of the current instruction.
func (c *Case) visit(s *machine.State) any { return [3]any{s.PC, s.Visits()[s.PC], c.Looped} }
