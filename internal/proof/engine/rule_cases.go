// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

// exhaustive returns an error unless entries cover all combinations of input values.
func (c *Case) exhaustive(entries []Entry) error {
	var inputs []term.Term
	for _, e := range entries {
		for leaf := range e.Inputs {
			if !slices.Contains(inputs, leaf) {
				inputs = append(inputs, leaf)
			}
		}
	}
	slices.Sort(inputs)
	total := uint64(1)
	for _, leaf := range inputs {
		info := c.Info(leaf)
		if !c.inputs[leaf] || c.Marked(leaf) || info.Max-info.Min >= 1<<17 || total > 1<<17 {
			return fmt.Errorf("cannot enumerate the values of %s: want an input with few values", info.Name)
		}
		total *= info.Max - info.Min + 1
	}
	covered := make([]bool, total)
	for _, e := range entries {
		if err := c.separate(e); err != nil {
			return err
		}
		at := []uint64{0} // the indices of the covered combinations
		for _, leaf := range inputs {
			values, err := c.values(leaf, e.Inputs)
			if err != nil {
				return err
			}
			var next []uint64
			for _, before := range at {
				for _, v := range values {
					next = append(next, before*(c.Info(leaf).Max-c.Info(leaf).Min+1)+v-c.Info(leaf).Min)
				}
			}
			at = next
		}
		for _, i := range at {
			covered[i] = true
		}
	}
	if len(entries) == 0 || slices.Contains(covered, false) {
		return errors.New("the cases of a call do not cover all values of the inputs")
	}
	return nil
}

// separate returns an error if two inputs of an entry share an unknown.
func (c *Case) separate(e Entry) error {
	seen := map[term.Term]bool{}
	for leaf, t := range e.Inputs {
		if c.Width(leaf) != c.Width(t) {
			return fmt.Errorf("case %s has another width than the input %s", c.Format(t), c.Info(leaf).Name)
		}
		for _, of := range append(slices.Clone(c.leavesOf(t)), leaf) {
			if seen[of] && of != leaf {
				return fmt.Errorf("%s occurs in the cases of two inputs", c.Format(of))
			}
			seen[of] = true
		}
	}
	return nil
}

func (c *Case) values(leaf term.Term, inputs map[term.Term]term.Term) (list []uint64, err error) {
	info := c.Info(leaf)
	t, ok := inputs[leaf]
	if !ok {
		t = leaf
	}
	switch leaves := c.leavesOf(t); {
	case len(leaves) == 0:
		list = append(list, c.Known(t))
	case len(leaves) > 1 || leaves[0] != leaf && c.inputs[leaves[0]] || c.Info(leaves[0]).Public && !info.Public || c.Info(leaves[0]).Max-c.Info(leaves[0]).Min >= 1<<17:
		return nil, fmt.Errorf("%s is not a valid case of %s", c.Format(t), info.Name)
	default:
		for v := c.Info(leaves[0]).Min; v <= c.Info(leaves[0]).Max; v++ {
			one, ok := c.At(t, leaves[0], v)
			if !ok {
				return nil, fmt.Errorf("%s is not a valid case of %s", c.Format(t), info.Name)
			}
			list = append(list, one)
		}
	}
	for _, v := range list {
		if v < info.Min || v > info.Max {
			return nil, fmt.Errorf("case %d is out of the bounds of %s", v, info.Name)
		}
	}
	return list, nil
}
