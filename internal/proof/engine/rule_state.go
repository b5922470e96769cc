// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"maps"
	"slices"

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

// set puts t in place p.
func (c *Case) set(s *machine.State, p Place, t term.Term) {
	for at := p.At; c.overlapped(p.Object) && at < p.At+int64(c.Width(t)/8); at++ {
		_, stored := s.Mem.Stored(p.Object, at) // watch would mistake the first change of a byte for a store
		refuse(!stored, "an assertion mentions %s[%d], which is not stored yet and may overlap another buffer", p.Object.Name, at)
	}
	s.Set(p, t)
}

// overlapped reports whether another buffer may overlap o, an output.
func (c *Case) overlapped(o *machine.Object) bool {
	return slices.ContainsFunc(c.Overlaps, func(l Overlap) bool { return l.In == o })
}

// forget replaces the contents of the lost places with new unknowns.
func (c *Case) forget(s *machine.State, at any, lost map[Place]bool) {
	for _, p := range slices.SortedFunc(maps.Keys(lost), Place.Compare) {
		unknown := c.unknown(at, p)
		c.once(s, unknown)
		c.set(s, p, unknown)
	}
}

func (c *Case) unknown(at any, p Place) term.Term {
	type forgotten struct { // so that no statement can use the same key
		at any
		Place
	}
	return term.Memo(c.Store, forgotten{at, p}, func() term.Term {
		width := 8
		if p.Object == nil {
			width = 64
		}
		return c.NewLeaf(width, term.LeafInfo{Name: "unknown"})
	})
}
