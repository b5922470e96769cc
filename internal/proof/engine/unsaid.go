// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Unsaid returns the bytes of memory of which a statement says nothing after n bytes: Spec frees them, and Left
// finds nothing wrong with another byte in the place of what a run has left there. Each is named by its object
// and its offset. From the loop's head on, n is the shortest length that comes to it.
func (s *Session) Unsaid(n int64, fromHead bool) (list []string, err error) {
	r := s.run
	r.choose(All)
	r.begins(nil)
	start := r.entry
	if fromHead {
		l, err := r.findLoop()
		if err != nil {
			return nil, err
		}
		n, start = l.from, l.head
		r.begins(l)
	}
	if r.Kernel.Unit > 0 {
		start = r.withLength(start, n)
	}
	err = r.ways(start, nil, r.stop, func(end *machine.State) error {
		if err := r.ends(end, n); err != nil {
			return err
		}
		for _, o := range end.Mem.Objects() {
			for at, want := range r.want[o].All() {
				if name := fmt.Sprintf("%s[%d]", o.Name, at); want == free && !slices.Contains(list, name) && !r.noticed(end, o, at, n) {
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
func (r *run) noticed(end *machine.State, o *machine.Object, at, n int64) bool {
	other := end.Clone()
	other.Mem.Put(o, at, term.Byte(r.Unknown(8)<<3))
	return r.remains(other, n, true) != nil
}
