// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// cuts proves every segment except the last, which it prepares.
func (r *Session) cuts() {
	if r.Kernel.Unit > 0 {
		r.Info(r.N).Min = uint64(r.Kernel.Min) // a proof of a loop has raised it
	}
	r.starts(r.entry, r.Kernel.Parameter)
	for i := range r.Kernel.Cuts {
		r.cross(&r.Kernel.Cuts[i], r.values(r.Kernel.Max+1))
	}
}

// starts begins a segment, which is proven for the values of the parameter.
func (r *Session) starts(s *machine.State, parameter func(*Case) term.Term) {
	r.start, r.parameter = s, r.N
	if parameter != nil {
		r.parameter = parameter(&r.Case)
	}
	s.Length = r.parameter
}

// cross proves the code that ends at cut and prepares what follows.
func (r *Session) cross(cut *Cut, values []int64) (a *Assertion) {
	label := cut.At(&r.Case)
	pc, ok := r.Fn.Labels[label]
	refuse(!ok, "no label %s", label)
	var of map[term.Term]term.Term
	next, w := fresh(r.entry, pc), r.newWritten()
	r.begins(nil)
	r.each(values, r.start, pc, func(s *machine.State, n int64) {
		refuse(s.Done, "returns before %s", label)
		if a == nil { // only now is it known whether the frame is aligned
			a = cut.Holds(&r.Case)
		}
		of = r.check(s, a)
		r.tampered(s, "at "+label, a)
		r.want = map[*machine.Object]Wanted{}
		for _, h := range a.Has {
			if h.Place.Object != nil && !h.Place.Size {
				r.Expect(h.Place.Object, h.Place.At, r.Replace(of).Term(h.Term))
			}
		}
		r.compare(s, n)
		r.observe(s, w)
		next.Mem.SetSize(r.frame.AlignedPart(), s.Mem.Size(r.frame.AlignedPart()))
		r.observed(s)
	})
	refuse(a == nil, "no run reaches %s", label)
	r.want = map[*machine.Object]Wanted{}
	lost := maps.Clone(w.registers)
	for _, o := range []*machine.Object{r.frame, r.frame.AlignedPart()} {
		for at, b := range w.memory[nameOf(o)] {
			lost[In(o, at)] = w.public(b)
		}
	}
	r.forget(next, cut, lost)
	next.Dirty = w.dirty
	r.assume(next, a, of)
	r.starts(next, cut.Parameter)
	return a
}

// values returns the parameter values to prove. Lengths are smaller than below.
func (r *Session) values(below int64) (list []int64) {
	switch {
	case r.parameter != r.N:
		info := r.Info(r.parameter)
		for v := info.Min; v <= info.Max; v++ {
			list = append(list, int64(v))
		}
		return list
	case r.fixed():
		return []int64{0}
	}
	return r.Lengths(slices.Collect(r.given(r.Kernel.Min, below)))
}
