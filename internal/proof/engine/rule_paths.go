// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// someLength returns an error if the kernel's range is invalid or empty.
func (k *Kernel) someLength(c *Case) error {
	if k.Unit == 0 {
		return nil
	}
	if k.Unit < 0 || k.Min < 0 || k.Step < 0 || k.Step%k.Unit != 0 {
		return fmt.Errorf("invalid lengths: minimum %d, unit %d, step %d; want none negative and a step that is a multiple of the unit", k.Min, k.Unit, k.Step)
	}
	for range k.given(c, k.Min, k.Max+1) {
		return nil
	}
	return fmt.Errorf("callers can pass no length from %d to %d", k.Min, k.Max)
}

// given iterates over the allowed lengths n with from <= n < below.
func (k *Kernel) given(c *Case, from, below int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for n := (from + k.Unit - 1) / k.Unit * k.Unit; n < below; n += k.Unit {
			if (k.Given == nil || k.Given(c, n)) && !yield(n) {
				return
			}
		}
	}
}

// left returns the lengths from <= n < below that may remain after some iterations.
func (k *Kernel) left(c *Case, from, below int64) (list []int64) {
	if k.Given == nil {
		return slices.Collect(k.given(c, from, below))
	}
	found := map[int64]bool{}
	for n := range k.given(c, from, k.Max+1) {
		found[from+(n-from)%k.Step] = true
	}
	for n := from; n < below; n++ {
		if found[n] {
			list = append(list, n)
		}
	}
	return list
}

func (r *Session) lengths(all []int64, start *machine.State) error {
	if len(all) > 0 {
		all = r.Lengths(all)
	}
	return r.each(all, start, r.stop, r.ends)
}

// each calls look with the final state of every path, once per length in all.
func (r *Session) each(all []int64, start *machine.State, stop int, look func(s *machine.State, n int64) error) error {
	for some := range slices.Chunk(all, maxGroup) {
		err := r.ways(start, some, stop, func(s *machine.State) error {
			for _, n := range s.Group.Lengths {
				end := s
				if len(s.Group.Lengths) > 1 {
					end = r.group(s.Clone(), []int64{n})
				}
				if err := look(end, n); err != nil {
					return fmt.Errorf("%d bytes: %w", n, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxGroup is the largest number of lengths that share a path.
const maxGroup = 1 << 12

// ways executes all paths and calls look with each final state.
func (r *Session) ways(start *machine.State, lengths []int64, stop int, look func(*machine.State) error) error {
	s := r.begin(start)
	if r.head != nil {
		s.Fork = r.Zero(r.head.turns)
	}
	if lengths != nil { // otherwise, the length remains symbolic
		s = r.group(s, lengths)
	}
	var parts []func() *machine.State // parts that remain to be executed
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

// group restricts s to the given lengths. A single length replaces the parameter.
func (r *Session) group(s *machine.State, lengths []int64) *machine.State {
	s.Group = machine.NewGroup(r.parameter, lengths)
	if len(lengths) == 1 {
		s.Give(r.lengthIs(lengths[0]))
	}
	return s
}

// split divides a path by the direction of a branch or by the values of a term.
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
		v, _ := r.At(split.Term, r.parameter, uint64(n))
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

func (r *Session) lengthIs(n int64) *term.Substitution {
	return r.Replace(map[term.Term]term.Term{r.parameter: r.Const(64, uint64(n))})
}

// begins makes later paths start at the head of l, or at the entry of the function or
// segment if l is nil.
func (r *Session) begins(l *loop) { r.Looped, r.head = l != nil, l }

// begin returns a copy of start that is ready to execute.
func (r *Session) begin(start *machine.State) *machine.State {
	s := start.Begin()
	s.Mem.Watch = r.watch()
	if after := r.Kernel.After; after != nil {
		s.After = func(s *machine.State) { r.made(s, "within", after) }
	}
	s.Before = r.before()
	return s
}
