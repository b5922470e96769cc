// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Lengths says which lengths of a range are proven, besides the loop.
type Lengths func(n, from, below, unit int64) bool

// All lengths.
func All(_, _, _, _ int64) bool { return true }

// Some lengths of each kind: the first ones and a few more.
func Some(n, from, below, unit int64) bool {
	i, count := (n-from)/unit, (below-from)/unit
	return i < 2 || i == count-1 || i%max(1, count/6) == count%max(1, count/6)
}

// Edges are lengths next to multiples of 64, where kernels begin to do something else, and the
// first ones of each kind.
func Edges(n, from, _, unit int64) bool { return n-from < 64*unit || (n+1)%64 <= 2 }

// Few lengths: of each kind the longest one, which leaves the most to do after the loop.
func Few(n, _, below, unit int64) bool { return n+unit >= below }

// someLength returns an error if the statement is of no length, or if turns lead to lengths that are not proven.
func (k *Kernel) someLength(c *Case) error {
	if k.Unit == 0 {
		return nil
	}
	if k.Unit < 0 || k.Min < 0 || k.Step < 0 || k.Step%k.Unit != 0 {
		return fmt.Errorf("lengths are from %d on, of units of %d, and a turn takes %d", k.Min, k.Unit, k.Step)
	}
	for n := (k.Min + k.Unit - 1) / k.Unit * k.Unit; n <= k.Max; n += k.Unit {
		if k.Given == nil || k.Given(c, n) {
			return nil
		}
	}
	return fmt.Errorf("no length is given from %d to %d", k.Min, k.Max)
}

// lengths proves that the function ends right from a state, for each length.
func (r *Session) lengths(from, below int64, start *machine.State) error {
	k := r.Kernel
	from = (from + k.Unit - 1) / k.Unit * k.Unit
	var all []int64
	for n := from; n < below; n += k.Unit {
		if r.Lengths(n, from, below, k.Unit) && (k.Given == nil || k.Given(&r.Case, n)) {
			all = append(all, n)
		}
	}
	for some := range slices.Chunk(all, maxGroup) {
		if err := r.together(some, start); err != nil {
			return err
		}
	}
	return nil
}

// maxGroup is how many lengths are run together at most.
const maxGroup = 1 << 12

// together is lengths for some of them: what is the same for several is run once.
func (r *Session) together(all []int64, start *machine.State) error {
	return r.ways(start, all, r.stop, func(s *machine.State) error {
		for _, n := range s.Group.Lengths {
			end := s
			if len(s.Group.Lengths) > 1 {
				end = r.group(s.Clone(), []int64{n})
			}
			if err := r.ends(end, n); err != nil {
				return fmt.Errorf("%d bytes: %w", n, err)
			}
		}
		return nil
	})
}

// ways runs from a state, which stays as it is, for some lengths if there are any, and looks at what
// comes out: once for all lengths that go the same way, and for both ways of the fork.
func (r *Session) ways(start *machine.State, lengths []int64, stop int, look func(*machine.State) error) error {
	s := r.begin(start)
	if r.head != nil {
		s.Fork = r.Zero(r.head.turns)
	}
	if lengths != nil {
		s = r.group(s, lengths)
	}
	var parts []func() *machine.State // where the run goes on
	for {
		err := s.Run(r.program, stop)
		var fault machine.Fault
		if errors.As(err, &fault) && fault.Of != 0 {
			if why := r.forgotten(fault.Of); why != "" {
				err = fmt.Errorf("line %d: %s", r.program.Lines[s.PC], why)
			}
		}
		var split *machine.Split
		if errors.As(err, &split) {
			parts, err = append(parts, r.split(s, split)...), nil
		} else if err == nil {
			err = look(s)
		} else if s.Group != nil {
			err = fmt.Errorf("%d bytes: %w", s.Group.Lengths[0], err)
		}
		if err != nil || len(parts) == 0 {
			return err
		}
		last := len(parts) - 1
		s, parts = parts[last](), parts[:last]
	}
}

// group has a run be for some lengths. Of one, it is known which.
func (r *Session) group(s *machine.State, lengths []int64) *machine.State {
	s.Group = machine.NewGroup(r.N, lengths)
	if len(lengths) == 1 {
		s.Give(r.lengthIs(lengths[0]))
	}
	return s
}

// split returns the parts in which a run goes on: for some of the lengths each, or one way at the fork.
func (r *Session) split(s *machine.State, split *machine.Split) (parts []func() *machine.State) {
	if split.Fork {
		for _, taken := range []bool{true, false} {
			parts = append(parts, func() *machine.State {
				way := s.Part()
				way.Taken = &taken
				return way
			})
		}
		return parts
	}
	by := map[uint64][]int64{}
	var order []uint64
	for _, n := range s.Group.Lengths {
		v, _ := r.At(split.Term, r.N, uint64(n))
		if by[v] == nil {
			order = append(order, v)
		}
		by[v] = append(by[v], n)
	}
	slices.Reverse(order)
	for _, v := range order {
		parts = append(parts, func() *machine.State { return r.group(s.Part(), by[v]) })
	}
	return parts
}

// lengthIs replaces the length.
func (r *Session) lengthIs(n int64) *term.Substitution {
	return r.Replace(map[term.Term]term.Term{r.N: r.Const(64, uint64(n))})
}
