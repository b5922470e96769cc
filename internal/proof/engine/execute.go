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

// An Execution is what Execute has done.
type Execution struct {
	Steps, Assertions, Compared, Written int // instructions, assertions, bytes of memory and bytes that segments wrote
}

// Execute runs the function of length n on numbers. When control passes the place of an
// assertion of Kernel.At, Kernel.Cut or Kernel.Cuts, Execute evaluates the assertion.
// It compares what each segment writes with what the segment's proof was observed to
// write, and compares the final memory with Spec. If left is false, it skips Left,
// Kernel.At and Kernel.Cut. Inputs have the values that the callback any returns,
// except for inputs that are congruent to others.
func (r *Session) Execute(n int64, any func(info *term.LeafInfo) uint64, left bool) (x Execution, err error) {
	r.choose(All)
	r.begins(nil)
	e := &execution{Session: r, Execution: &x, all: left, values: map[term.Term]uint64{}, changed: map[Place]bool{}}
	if err := e.choose(n, any); err != nil {
		return x, err
	}
	r.number = e.number
	defer func() { r.number = nil }()
	bases := map[term.Term]bool{}
	for _, o := range r.mem.Objects() {
		bases[o.Base] = true
	}
	s := r.entry.Begin()
	s.Give(r.Substitute(func(leaf term.Term) term.Term {
		if bases[leaf] {
			return leaf
		}
		return r.Const(r.Width(leaf), e.leaf(leaf))
	}))
	s.Length = r.Const(64, uint64(n))
	if parameter := r.Kernel.Parameter; parameter != nil {
		s.Length = r.Const(64, e.leaf(parameter(&r.Case)))
	}
	entry := s.Clone()
	if s.Before, s.After = e.before, nil; left {
		s.After = e.after
	}
	if err := s.Run(r.program, machine.NoStop); err != nil {
		return x, err
	}
	for _, v := range s.Visits() {
		x.Steps += int(v)
	}
	if e.call != nil || e.cut < len(r.Kernel.Cuts) {
		return x, fmt.Errorf("returns in a segment, or before the last cut")
	}
	if err := r.arch.End(s, entry, r.Fn); err != nil {
		return x, err
	}
	return x, e.compare(s, n, left)
}

// An execution is one that runs.
type execution struct {
	*Session
	*Execution
	any     func(info *term.LeafInfo) uint64
	all     bool                 // assertions are evaluated at all labels
	values  map[term.Term]uint64 // of inputs and of unknowns
	cut     int                  // the next one
	call    *Call                // the segment that is executed, if there is one
	to      int                  // where it ends
	match   *match
	written *Written
	state   *machine.State // where it began
	changed map[Place]bool
}

// choose sets the values of object bases, of the length, and of inputs that congruences
// relate.
func (e *execution) choose(n int64, any func(info *term.LeafInfo) uint64) error {
	e.any = any
	for i, o := range e.mem.Objects() {
		e.values[o.Base] = uint64(i+1) << 32
	}
	if e.Kernel.Unit > 0 {
		e.values[e.N] = uint64(n)
	}
	for _, ring := range e.Rings {
		model, err := ring.Model(ring.Prime, func(leaf term.Term) uint64 { return any(e.Info(leaf)) })
		if err != nil {
			return err
		}
		for leaf, v := range model {
			e.values[leaf] = v
		}
	}
	return nil
}

// leaf returns the number of an input or of an unknown.
func (e *execution) leaf(leaf term.Term) uint64 {
	v, ok := e.values[leaf]
	if !ok {
		v = e.any(e.Info(leaf))
		e.values[leaf] = v
	}
	return v
}

// number returns that of a term.
func (e *execution) number(t term.Term) uint64 { return e.Evaluate(e.leaf).Term(t) }

// before evaluates what is asserted before an instruction.
func (e *execution) before(s *machine.State) {
	k := e.Kernel
	if e.call != nil && s.PC == e.to {
		e.leaves(s)
	}
	if e.call != nil { // the assertions are about what comes after the segment
		return
	}
	if e.cut < len(k.Cuts) && e.Fn.Labels[k.Cuts[e.cut].At(&e.Case)] == s.PC {
		a := k.Cuts[e.cut].Holds(&e.Case)
		e.evaluate(s, a)
		if e.cut++; e.cut < len(k.Cuts) || k.Cuts[e.cut-1].Parameter != nil {
			s.Length = e.Const(64, e.leaf(e.parameterAfter(e.cut)))
		}
	}
	for label, look := range k.At {
		if pc, ok := e.Fn.Labels[label]; ok && pc == s.PC && e.all {
			e.evaluate(s, look(&e.Case, e.view(s)))
		}
	}
	if k.StandIn != nil {
		if x := k.StandIn(&e.Case, e.view(s)); x != nil {
			e.values[x.Unknown] = e.number(get(s, x.Place, 64))
			s.Note = x.Note
		}
	}
}

// parameterAfter returns the parameter of a segment.
func (e *execution) parameterAfter(cut int) term.Term {
	if p := e.Kernel.Cuts[cut-1].Parameter; p != nil {
		return p(&e.Case)
	}
	return e.N
}

func (e *execution) after(s *machine.State) {
	if cut := e.Kernel.Cut; cut != nil && e.call == nil {
		e.evaluate(s, cut(&e.Case, e.view(s)))
	}
}

// evaluate reads the unknowns of an assertion from the state, and fails unless the
// assertion holds for these values.
func (e *execution) evaluate(s *machine.State, a *Assertion) {
	if a == nil {
		return
	}
	e.Assertions++
	of := map[term.Term]term.Term{}
	for leaf, t := range a.Of {
		of[leaf] = t
	}
	if a.Stand != nil {
		for leaf, t := range a.Stand(e.view(s)) {
			of[leaf] = t
		}
	}
	for _, h := range a.Has {
		for _, leaf := range a.Unknown {
			if h.Term == leaf {
				of[leaf] = get(s, h.Place, e.Width(leaf))
			}
		}
	}
	numbers := map[term.Term]uint64{}
	for leaf, t := range of {
		numbers[leaf] = e.number(t)
	}
	for leaf, v := range numbers {
		if info := e.Info(leaf); v < info.Min || v > info.Max {
			machine.Fail("%s is %#x, not from %#x to %#x", info.Name, v, info.Min, info.Max)
		}
		e.values[leaf] = v
	}
	if a.Where != nil {
		v := e.view(s)
		v.of = e.Replace(of)
		if err := algebra.Safely(func() error { return a.Where(v) }); err != nil {
			machine.Fail("%v", err)
		}
	}
	for leaf, t := range a.As {
		if e.number(leaf) != e.number(t) {
			machine.Fail("%s is %#x, want %#x", e.Info(leaf).Name, e.number(leaf), e.number(t))
		}
	}
	for _, h := range a.Has {
		if got, want := e.number(get(s, h.Place, e.Width(h.Term))), e.number(h.Term); got != want {
			machine.Fail("%s is %#x, want %#x", e.name(h.Place), got, want)
		}
	}
	if a.Note != nil {
		s.Note = a.Note
	}
	if a.Call != nil {
		e.enters(s, a.Call)
	}
}

// enters begins a segment in the first case whose variant matches the numbers in the
// state.
func (e *execution) enters(s *machine.State, call *Call) {
	var fault error
	for _, entry := range call.Cases {
		for i := range e.Kernel.Segments {
			segment := &e.Kernel.Segments[i]
			if from, ok := e.Fn.Labels[segment.From]; !ok || from != s.PC || segment.To != call.To || e.call != nil {
				continue
			}
			err := machine.Try(func() {
				w := e.proven(segment, entry.Variant)
				e.match = e.matched(s, e.pattern(i, entry.Variant), Entry{}, w)
				e.call, e.to, e.written, e.state = call, e.Fn.Labels[call.To], w, s.Clone()
			})
			if err != nil {
				fault = err
			}
		}
	}
	if e.call == nil {
		machine.Fail("no case of a segment is entered: %v", fault)
	}
}

// leaves compares what a segment has written with what its proof was observed to write,
// and reads the values of the call's results.
func (e *execution) leaves(s *machine.State) {
	m, w := e.match, e.written
	for i, b := range s.Regs {
		if b != e.state.Regs[i] && !w.registers[i] {
			machine.Fail("a segment writes %s, which its proof has not", e.layout.Name(i))
		}
	}
	at := map[Place]bool{}
	for o, place := range m.at {
		for offset := range w.memory[nameOf(o)] {
			at[In(place.Object, place.At+offset)] = true
		}
	}
	for _, o := range s.Mem.Objects() {
		for i := range s.Mem.Extent(o) {
			if s.Mem.Byte(o, i) != e.state.Mem.Byte(o, i) {
				e.Written++
				if !at[In(o, i)] {
					machine.Fail("a segment writes %s, which its proof has not", e.name(In(o, i)))
				}
			}
		}
	}
	for o, place := range m.at {
		for offset := range w.memory[nameOf(o)] {
			e.values[e.Case.result(e.call.Name, nameOf(o), offset)] = e.number(e.Gather([]term.Byte{s.Mem.Byte(place.Object, place.At+offset)}))
		}
	}
	if exit := m.p.exit; exit != nil {
		for _, h := range exit.Has {
			for i, unknown := range exit.Unknown {
				if h.Term == unknown {
					e.values[e.call.Results[i]] = e.number(get(s, m.of(h.Place), e.Width(unknown)))
				}
			}
		}
	}
	e.call = nil
}

// unread reports whether a byte depends on an unknown that no assertion has read.
func (e *execution) unread(b term.Byte) bool {
	return slices.ContainsFunc(e.leavesOf(e.Gather([]term.Byte{b})), func(leaf term.Term) bool {
		_, ok := e.values[leaf]
		return !ok && !e.inputs[leaf]
	})
}

// compare compares the final memory with the specification.
func (e *execution) compare(s *machine.State, n int64, left bool) error {
	last := n
	if e.Kernel.Cuts != nil {
		last = int64(e.leaf(e.parameterAfter(len(e.Kernel.Cuts))))
	}
	if err := e.expect(last, true); err != nil {
		return err
	}
	for o, want := range e.want {
		for at, w := range want.All() {
			if w == free || w == checked || w == secret || !left && e.unread(w) {
				continue
			}
			if uint64(at) >= e.number(s.Mem.Size(o)) {
				continue // a segment stores there in another case
			}
			if e.unread(w) {
				return fmt.Errorf("%s is to be %s, which no assertion and no segment has read", e.name(In(o, at)), e.FormatByte(w))
			}
			e.Compared++
			if got, b := e.Gather([]term.Byte{s.Mem.Byte(o, at)}), e.Gather([]term.Byte{w}); e.number(got) != e.number(b) {
				return fmt.Errorf("%s is %#x, want %#x", e.name(In(o, at)), e.number(got), e.number(b))
			}
		}
	}
	if left {
		return e.remains(s, last)
	}
	return nil
}
