// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Unsaid returns the bytes of memory of which a statement says nothing after n bytes: Spec frees them, and Left
// finds nothing wrong with another byte in the place of what a run has left there. Each is named by its object
// and its offset. From the loop's head on, n is the shortest length that comes to it.
func (r *Session) Unsaid(n int64, fromHead bool) (list []string, err error) {
	r.choose(All)
	r.begins(nil)
	if err := r.cuts(); err != nil {
		return nil, err
	}
	start := r.start
	if fromHead {
		l, err := r.findLoop()
		if err != nil {
			return nil, err
		}
		n, start = l.from, l.head
		r.begins(l)
	}
	if r.Kernel.Unit > 0 {
		start = r.group(start.Clone(), []int64{n})
	}
	err = r.ways(start, nil, r.stop, func(end *machine.State) error {
		if err := r.ends(end, n); err != nil {
			return err
		}
		for _, o := range end.Mem.Objects() {
			for at, want := range r.want[o].All() {
				if name := fmt.Sprintf("%s[%d]", o.Name, at); (want == free || want == checked || want == secret) && !slices.Contains(list, name) && !r.noticed(end, o, at, n) {
					list = append(list, name)
				}
			}
		}
		return nil
	})
	slices.Sort(list)
	return list, err
}

// noticed reports whether Left refuses another byte in a place.
func (r *Session) noticed(end *machine.State, o *machine.Object, at, n int64) bool {
	other := end.Clone()
	other.Mem.Put(o, at, term.Byte(r.Unknown(8)<<3))
	return r.remains(other, n) != nil
}

// Unclaimed proves the claim for few lengths, and returns the places that claims name in which another value is
// not noticed: at a loop's head, by Where; at a label, after an instruction or at the end of a segment, by what makes the
// claim, too. Each is named by where the claim is and by the place.
func (r *Session) Unclaimed() (list []string, err error) {
	tried := map[string]bool{}
	r.tamper = func(s *machine.State, where string, a *Assertion, again func(*machine.State) error) {
		for _, h := range a.Has {
			name := where + ": " + r.name(h.Place)
			if key := fmt.Sprint(name, r.Looped); tried[key] {
				continue
			} else {
				tried[key] = true
			}
			other := s.Clone()
			r.spoil(other, h)
			if algebra.Safely(func() error { return again(other) }) == nil && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	_, err = r.Prove(Few)
	r.tamper = nil
	slices.Sort(list)
	return list, err
}

// spoil puts something else in a place, of which as much is known.
func (c *Case) spoil(s *machine.State, h Has) {
	info := term.LeafInfo{Public: c.Public(h.Term)}
	if c.Op(h.Term) == term.Leaf {
		info = *c.Info(h.Term)
	}
	info.Name = "another"
	switch leaf := c.NewLeaf(c.Width(h.Term), info); {
	case h.Place.Size:
		s.Mem.SetSize(h.Place.Object, leaf)
	case h.Place.Object == nil:
		s.SetWord(int(h.Place.At), leaf)
	default:
		for i, b := range c.bytes(leaf) {
			s.Mem.Put(h.Place.Object, h.Place.At+int64(i), b)
		}
	}
}
