// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"iter"
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// enter calls Setup and builds the state in which execution starts.
func (r *Session) enter() {
	k := r.Kernel
	k.Setup(&r.Case)
	machine.Refuse(k.Unit < 0 || k.Min < 0 || k.Step < 0 || k.Step%max(1, k.Unit) != 0, "invalid lengths: minimum %d, unit %d, step %d; want none negative and a step that is a multiple of the unit", k.Min, k.Unit, k.Step)
	for _, l := range r.Overlaps {
		machine.Refuse(l.Object.Writable, "%s is writable and may overlap %s", l.Object.Name, l.In.Name)
		machine.Refuse(l.before != 0 && (l.Object.Public || l.Object.Known() > 0), "%s has known contents, which stores to %s may change", l.Object.Name, l.In.Name)
	}
	r.inputs = r.mem.Inputs()
	r.inputs[r.N] = true // paths differ in it even if Setup does not mention it
	s := machine.NewState(r.Store, r.layout, r.mem)
	s.SetWord(r.arch.Stack, r.AddConst(r.frame.Base, -r.arch.Below))
	s.Length = r.N
	for at := 0; at < r.layout.Size(); at += 8 {
		s.Assumed[s.Word(at, 8)] = true // no assertion may bind it
	}
	r.entry, r.stop = s, machine.NoStop
	if k.From == "" {
		machine.Refuse(r.argsSize != r.Fn.Args, "function has %d bytes of arguments, want %d as in Setup", r.Fn.Args, r.argsSize)
		return
	}
	from, ok1 := r.Fn.Labels[k.From]
	to, ok2 := r.Fn.Labels[k.To]
	machine.Refuse(!ok1 || !ok2, "segment from %s to %s: the function lacks a label", k.From, k.To)
	s.PC, s.Next, r.stop = from, from, to
	r.program.Ops[to] = func(*machine.State) { machine.Fail("leaves the segment") }
	r.assume(s, k.Enter(&r.Case), nil)
	r.written = r.newWritten()
}

// prove proves lengths below loop.from one by one, and others with the invariant.
func (r *Session) prove() {
	name, impossible := r.Impossible()
	machine.Refuse(impossible, "the bounds of %s allow no value", name)
	below := r.Kernel.Max + 1
	if r.Kernel.Step > 0 {
		l := r.findLoop()
		machine.Refuse(!l.stable, "an iteration does not preserve the invariant")
		r.begins(l)
		left := r.remainders(l.from)
		machine.Refuse(len(left) == 0, "no length remains at the loop's head")
		r.eachLength(r.Lengths(left), l.head, r.ends)
		below = l.from
	}
	given := slices.Collect(r.given(r.Kernel.Min, below))
	machine.Refuse(below > r.Kernel.Max && len(given) == 0, "callers can pass no length from %d to %d", r.Kernel.Min, r.Kernel.Max)
	r.begins(nil)
	r.eachLength(r.Lengths(given), r.entry, r.ends)
}

// ends checks a state in which the function returns or a segment ends.
func (r *Session) ends(s *machine.State, n int64) {
	k := r.Kernel
	r.result.Runs++
	switch {
	case k.From == "":
		r.arch.End(s, r.entry, r.Fn)
	case s.Done:
		machine.Fail("returns inside a segment")
	case k.Exit != nil:
		exit := k.Exit(&r.Case)
		r.check(s, r.entry, exit)
		for _, h := range exit.Has {
			machine.Refuse(r.head != nil && (r.moves[h.Place.Object] != 0 || r.Substitute(r.advance).Term(h.Term) != h.Term), "Exit states %s in terms of what remains at the loop's head", r.name(h.Place))
			if o := h.Place.Object; o != nil { // the place is in o, and no other buffer of the segment may contain it
				s.Load(make([]term.Byte, r.Width(h.Term)/8), r.AddConst(o.Base, uint64(h.Place.At)), nil)
			}
		}
		r.tampered(s, "at the end", exit, nil)
	}
	r.expect(n, true)
	r.compare(s)
	if r.head != nil {
		for _, p := range slices.SortedFunc(maps.Keys(r.head.changed), Place.Compare) {
			_, stated := r.want[p.Object].At(p.At)
			machine.Refuse(!stated, "iterations change %s, which Spec does not describe", r.name(p))
		}
	}
	if k.Left != nil {
		must(algebra.Safely(func() error { return k.Left(&r.Case, r.view(s), n) }))
	}
	r.observe(s)
}

// expect evaluates Spec, which must describe only memory that compare checks.
func (r *Session) expect(n int64, last bool) {
	for o, w := range r.want {
		r.want[o] = w[:0]
	}
	r.more = !last
	r.Kernel.Spec(&r.Case, n, last)
	r.recordWant(n, last)
	for o, want := range r.want {
		machine.Refuse(len(want) > 0 && (o.InFrame() || !o.Writable || !slices.Contains(r.Objects(), o)), "the statement's Spec describes %s, which is read-only or not compared", o.Name)
	}
}

// compare checks the memory at the end of a path against Spec.
func (r *Session) compare(s *machine.State) {
	for _, o := range s.Mem.Objects() {
		if !o.Writable {
			continue
		}
		for at := range max(s.Mem.Extent(o), int64(len(r.want[o]))) {
			want, stated := r.want[o].At(at)
			if _, stored := s.Mem.Stored(o, at); !stored && !stated {
				continue
			}
			p, got := In(o, at), s.Mem.Byte(o, at)
			if !stated && !o.InFrame() {
				want = r.initial(s, p)
			}
			switch {
			case want == secret || want == checked:
			case want == free || !stated && o.InFrame():
				if (stated || r.Kernel.wipes()) && !r.PublicByte(got) {
					machine.Fail("leaves a secret in %s: %s", r.name(p), r.FormatByte(got))
				}
			case !r.Same(got, want):
				machine.Fail("%v", r.differs(r.name(p), r.Alone(got), r.FormatByte(want)))
			}
		}
	}
}

// initial returns a byte's value on entry, for the length of the state s.
func (r *Session) initial(s *machine.State, p Place) term.Byte {
	b := p.Object.Initial(p.At)
	if l := r.head; l != nil && !l.lost[p] && l.perIteration[In(p.Object, p.At&^7)] != 0 { // after iterations, the byte's term is a different one
		b = l.head.Mem.Byte(p.Object, p.At)
	}
	return s.Mem.Given(b)
}

// given iterates over the lengths in [from, below) that callers may pass.
func (c *Case) given(from, below int64) iter.Seq[int64] {
	k := c.Kernel
	return func(yield func(int64) bool) {
		unit := max(1, k.Unit)
		for n := (from + unit - 1) / unit * unit; n < below; n += unit {
			if (k.Given == nil || k.Given(c, n)) && !yield(n) {
				return
			}
		}
	}
}

// remainders returns the lengths below from+Step that may remain after complete iterations.
func (c *Case) remainders(from int64) []int64 {
	found := map[int64]bool{}
	for n := range c.given(from, c.Kernel.Max+1) {
		found[from+(n-from)%c.Kernel.Step] = true
		if int64(len(found)) == c.Kernel.Step/max(1, c.Kernel.Unit) {
			break // no other remainder is possible
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// eachLength calls look with the final state of every path, once per length.
func (r *Session) eachLength(lengths []int64, start *machine.State, look func(s *machine.State, n int64)) {
	for some := range slices.Chunk(lengths, 1<<12) { // which share paths
		all := r.begin(start)
		all.Restrict(r.N, some)
		r.paths(all, r.stop, func(s *machine.State) {
			for _, n := range s.Group.Lengths {
				end := s
				if len(s.Group.Lengths) > 1 {
					end = s.Clone()
					end.Restrict(r.N, []int64{n})
				}
				must(r.with(n, machine.Try(func() { look(end, n) })))
			}
		})
	}
}

// paths executes all paths and calls look with each final state.
func (r *Session) paths(s *machine.State, stop int, look func(*machine.State)) {
	s.Paths(r.program, stop, func(s *machine.State, err error) {
		must(r.explained(s, err))
		r.result.ran(s.Visits())
		look(s)
	})
}

// begins records the loop, if any, at whose head later paths start.
func (r *Session) begins(l *loop) { r.Looped, r.head = l != nil, l }

// begin returns a copy of start that is ready to execute.
func (r *Session) begin(start *machine.State) *machine.State {
	s := start.Begin()
	if r.head != nil {
		s.Fork = r.Zero(r.head.iterations)
	}
	s.Mem.Watch = r.watch
	r.claims(s)
	return s
}
