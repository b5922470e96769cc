// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// maxValues is the largest number of values that are enumerated.
const maxValues = 1 << 17

// exhaustive fails unless the cases cover all combinations of input values.
func (c *Case) exhaustive(entries []Entry) {
	var inputs []term.Term
	for _, e := range entries {
		for leaf := range e.Inputs {
			if !slices.Contains(inputs, leaf) {
				inputs = append(inputs, leaf)
			}
		}
	}
	total := uint64(1)
	for _, leaf := range inputs {
		info := c.Info(leaf)
		if !c.inputs[leaf] || c.Marked(leaf) || info.Max-info.Min >= maxValues || total > maxValues {
			machine.Fail("cannot enumerate the values of %s: want an input with few values", info.Name)
		}
		total *= info.Max - info.Min + 1
	}
	covered := make([]bool, total)
	for _, e := range entries {
		at, seen := []uint64{0}, map[term.Term]bool{} // the indices of the covered combinations
		for _, leaf := range inputs {
			least, most := c.Info(leaf).Min, c.Info(leaf).Max
			var next []uint64
			for v := range c.values(leaf, e, seen) {
				if v < least || v > most {
					machine.Fail("case %d is out of the bounds of %s", v, c.Info(leaf).Name)
				}
				for _, before := range at {
					next = append(next, before*(most-least+1)+v-least)
				}
			}
			at = next
		}
		for _, i := range at {
			covered[i] = true
		}
	}
	if len(entries) == 0 || slices.Contains(covered, false) {
		machine.Fail("the cases of a call do not cover all values of the inputs")
	}
}

// values returns all values of input in case e. There, input may be a constant or a
// term over one leaf, for example 16·q + 3. The leaf must be input itself or an unknown
// that no other input uses.
func (c *Case) values(input term.Term, e Entry, seen map[term.Term]bool) map[uint64]bool {
	t, ok := e.Inputs[input]
	if !ok {
		t = input
	}
	leaf, leaves := input, c.leavesOf(t)
	if len(leaves) > 0 {
		leaf = leaves[0]
	}
	info, own := c.Info(leaf), c.Info(input)
	if len(leaves) > 1 || c.Width(t) != c.Width(input) || seen[leaf] || leaf != input && c.inputs[leaf] || info.Public && !own.Public || info.Max-info.Min >= maxValues {
		machine.Fail("%s is not a valid case of %s", c.Format(t), own.Name)
	}
	seen[leaf] = true
	list := map[uint64]bool{}
	for v := info.Min; v <= info.Max; v++ {
		one, ok := c.At(t, leaf, v)
		if !ok {
			machine.Fail("%s is not a valid case of %s", c.Format(t), own.Name)
		}
		list[one] = true
		if len(leaves) == 0 {
			break
		}
	}
	return list
}
