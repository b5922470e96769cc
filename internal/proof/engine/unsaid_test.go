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

// Unsaid returns the bytes of memory that a statement does not determine after n bytes:
// Spec leaves them open, and Left accepts a different byte in place of the one that a
// run has left. Each result names an object and an offset. If fromHead is set, Unsaid
// starts at the loop's head and replaces n by the shortest length that reaches the
// head.
func (r *Session) Unsaid(n int64, fromHead bool) (list []string, err error) {
	r.choose(All)
	r.begins(nil)
	err = machine.Try(func() {
		start := r.entry
		if fromHead {
			l := r.findLoop()
			n, start = l.from, l.head
			r.begins(l)
		}
		r.eachLength([]int64{n}, start, func(end *machine.State, _ int64) {
			r.ends(end, n)
			for _, o := range end.Mem.Objects() {
				for at, want := range r.want[o].All() {
					if name := fmt.Sprintf("%s[%d]", o.Name, at); (want == free || want == checked || want == secret) && !slices.Contains(list, name) && !r.noticed(end, o, at, n) {
						list = append(list, name)
					}
				}
			}
		})
	})
	slices.Sort(list)
	return list, err
}

// noticed reports whether Left rejects a different byte in a place.
func (r *Session) noticed(end *machine.State, o *machine.Object, at, n int64) bool {
	other := end.Clone()
	other.Mem.Put(o, at, term.Byte(r.Unknown(8)<<3))
	return r.Kernel.Left != nil && algebra.Safely(func() error { return r.Kernel.Left(&r.Case, r.view(other), n) }) != nil
}

// Unclaimed proves the claim for a few lengths and returns the places in assertions
// where a different value is not noticed. At a loop's head, Where must notice the
// value. At a label, after an instruction or at the end of a segment, the function that
// returns the assertion may notice it, too. Each result names the assertion's position
// and the place.
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

// spoil puts a different unknown in a place, about which the same facts are known.
func (c *Case) spoil(s *machine.State, h Has) {
	info := term.LeafInfo{Public: c.Public(h.Term)}
	if c.Op(h.Term) == term.Leaf {
		info = *c.Info(h.Term)
	}
	info.Name = "another"
	leaf := c.NewLeaf(c.Width(h.Term), info)
	s.Assumed[leaf] = true // it has a number
	if h.Place.Object == nil {
		s.SetWord(int(h.Place.At), leaf)
		return
	}
	for i, b := range c.bytes(leaf) {
		s.Mem.Put(h.Place.Object, h.Place.At+int64(i), b)
	}
}
