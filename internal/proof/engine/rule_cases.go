// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

// maxValues is the largest number of values that are enumerated.
const maxValues = 1 << 17

// exhaustive fails unless the cases cover all combinations of input values.
func (c *Case) exhaustive(entries []Entry) {
	refuse(len(entries) == 0, "a call has no cases")
	inputs, total := slices.Sorted(maps.Keys(entries[0].Inputs)), uint64(1)
	for _, leaf := range inputs {
		info := c.Info(leaf)
		refuse(!c.inputs[leaf] || c.Marked(leaf) || info.Max-info.Min >= maxValues || total > maxValues, "cannot enumerate the values of %s: want an input with few values", info.Name)
		total *= info.Max - info.Min + 1
	}
	var cases []map[term.Term]map[uint64]bool // the values of each input
	for _, e := range entries {
		refuse(len(e.Inputs) != len(inputs), "the cases of a call name different inputs")
		values, seen := map[term.Term]map[uint64]bool{}, map[term.Term]bool{}
		for _, leaf := range inputs {
			values[leaf] = c.values(leaf, e, seen)
		}
		cases = append(cases, values)
	}
	refuse(!c.covered(inputs, cases), "the cases of a call do not cover all values of the inputs")
}

// covered reports whether the cases cover all combinations of values of the inputs.
func (c *Case) covered(inputs []term.Term, cases []map[term.Term]map[uint64]bool) bool {
	if len(inputs) == 0 {
		return len(cases) > 0
	}
	for v := c.Info(inputs[0]).Min; v <= c.Info(inputs[0]).Max; v++ {
		other := func(values map[term.Term]map[uint64]bool) bool { return !values[inputs[0]][v] }
		if !c.covered(inputs[1:], slices.DeleteFunc(slices.Clone(cases), other)) {
			return false
		}
	}
	return true
}

// values returns all values that input may have in case e.
func (c *Case) values(input term.Term, e Entry, seen map[term.Term]bool) map[uint64]bool {
	t, ok := e.Inputs[input]
	leaf, leaves := input, c.leavesOf(t)
	if len(leaves) > 0 {
		leaf = leaves[0]
	}
	info, own, list := c.Info(leaf), c.Info(input), map[uint64]bool{}
	// The variable must be input itself or an unknown that nothing else uses.
	refuse(!ok || len(leaves) > 1 || c.Width(t) != c.Width(input) || seen[leaf] || leaf != input && c.inputs[leaf] || info.Public && !own.Public || info.Max-info.Min >= maxValues,
		"%s is not a valid case of %s", c.Format(t), own.Name)
	seen[leaf] = true
	for v := info.Min; v <= info.Max; v++ {
		one, ok := c.At(t, leaf, v)
		refuse(!ok || one < own.Min || one > own.Max, "%s is not a valid case of %s", info.Name, own.Name)
		list[one] = true
		if len(leaves) == 0 {
			break
		}
	}
	return list
}
