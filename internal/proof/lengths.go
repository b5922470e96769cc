// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Lengths says which lengths of a range are proven, besides the loop.
type Lengths func(n, from, below, unit int64) bool

// All lengths.
func All(_, _, _, _ int64) bool { return true }

// None is no length, but the loop alone.
func None(_, _, _, _ int64) bool { return false }

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

// Only returns those of a list.
func Only(list []int64) Lengths {
	return func(n, _, _, _ int64) bool { return slices.Contains(list, n) }
}

// lengths proves that the function ends right from a state, for each length.
func (r *run) lengths(from, below int64, start *machine.State) error {
	k := r.Kernel
	from = (from + k.Unit - 1) / k.Unit * k.Unit
	for n := from; n < below; n += k.Unit {
		if !r.Lengths(n, from, below, k.Unit) || k.Given != nil && !k.Given(&r.Case, n) {
			continue
		}
		if err := r.exit(r.withLength(start, n), n); err != nil {
			return fmt.Errorf("%d bytes: %w", n, err)
		}
	}
	return nil
}

// withLength returns a state in which the length is known.
func (r *run) withLength(s *machine.State, n int64) *machine.State {
	value := r.Const(64, uint64(n))
	u := r.SubstituteMarked(func(leaf term.Term) term.Term {
		if leaf == r.N {
			return value
		}
		return leaf
	})
	c := s.Clone()
	substitute(c, u)
	r.given = map[*machine.Object]map[int64]term.Byte{}
	for _, o := range c.Mem.Objects() {
		r.given[o] = map[int64]term.Byte{}
		for at, b := range o.Fixed() {
			if _, stored := c.Mem.Stored(o, at); !stored && u.Byte(b) != b {
				r.given[o][at] = u.Byte(b)
				c.Mem.Put(o, at, u.Byte(b))
			}
		}
		if r.loop != nil {
			for at := range r.loop.entry[o] {
				r.given[o][at] = c.Mem.Byte(o, at)
			}
		}
	}
	return c
}

// substitute replaces inputs in registers, in what was stored and in sizes.
func substitute(s *machine.State, u *term.Substitution) {
	for i, b := range s.Regs {
		s.Regs[i] = u.Byte(b)
	}
	for _, o := range s.Mem.Objects() {
		for i := range s.Mem.Extent(o) {
			if b, ok := s.Mem.Stored(o, i); ok {
				s.Mem.Put(o, i, u.Byte(b))
			}
		}
		s.Mem.SetSize(o, u.Term(s.Mem.Size(o)))
	}
}
