// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A loop contains the invariant of the kernel's loop as a symbolic state.
type loop struct {
	from       int64          // the least length for which the head is reached
	pc         int            // the index of the head's first instruction
	iterations term.Term      // an input: the number of iterations before the path
	arrived    *machine.State // the state in which the head is first reached
	head       *machine.State // the invariant
	stable     bool           // every path of an iteration preserves the invariant

	// The invariant differs from the state on arrival in these ways.
	lost         map[Place]bool   // register words and memory bytes that are forgotten; see forget
	perIteration map[Place]uint64 // words that grow by a constant in each iteration
	dirty        bool             // upper halves of vectors are in use

	changed map[Place]bool // bytes of outputs whose initial contents the rest does not keep

	claim       *Assertion              // the assertion of Kernel.Invariant
	represented map[term.Term]term.Term // the terms that claim's unknowns represented on arrival
}

// newLoop executes the code before the loop and checks its Invariant.
func (r *Session) newLoop(pc int, from int64) *loop {
	k := r.Kernel
	machine.Refuse(from < k.Min, "the loop is reached from %d bytes on, want at least the minimum %d, which the rest of the work must have", from, k.Min)
	l := &loop{from: from, pc: pc, arrived: r.arrive(pc, from), lost: map[Place]bool{}, perIteration: map[Place]uint64{}}
	l.iterations = r.NewLeaf(64, term.LeafInfo{Name: "turns", Public: true, Marked: true, Reserved: true, Max: uint64(k.Max / k.Step)})
	if k.Invariant != nil {
		l.claim = k.Invariant(&r.Case)
		l.represented = r.check(l.arrived, l.arrived, l.claim)
		r.tampered(l.arrived, "on entry", l.claim, nil)
		for _, h := range l.claim.Has {
			for i := range int64(r.Width(h.Term) / 8) {
				l.forget(In(h.Place.Object, h.Place.At+i))
			}
		}
	}
	return l
}

// arrive executes all lengths >= from until pc and returns the state.
func (r *Session) arrive(pc int, from int64) *machine.State {
	r.begins(nil)
	s := r.begin(r.entry)
	s.AtLeast(from)
	must(s.Run(r.program, pc))
	machine.Refuse(s.Done, "returns before it reaches the loop")
	r.result.ran(s.Visits())
	return s
}

// buildHead builds the invariant from the state on arrival, l.weakening and l.claim.
func (r *Session) buildHead(l *loop) *machine.State {
	s := l.arrived.Begin()
	s.UndefineFlags()
	s.PC, s.Next, s.Note, s.Trail, s.Restore = l.pc, l.pc, nil, nil, nil
	s.Dirty = s.Dirty || l.dirty
	for _, p := range slices.SortedFunc(maps.Keys(l.perIteration), Place.Compare) {
		word := s.Get(p, 64)
		machine.Refuse(p.Object != nil && word != p.Object.Load(p.At, 8), "%s has changed before the loop", r.name(p))
		r.set(s, p, r.Add(word, r.Scale(l.iterations, l.perIteration[p])))
	}
	r.forget(s, l.iterations, l.lost)
	if l.claim != nil {
		r.assume(s, l.claim, l.represented)
	}
	return s
}

// forget removes a place from the invariant. Registers are lost as whole words.
func (l *loop) forget(p Place) {
	if p.Object == nil {
		p.At &^= 7
	}
	l.lost[p] = true
}

// iterate executes one iteration and checks that it preserves the invariant.
func (r *Session) iterate(l *loop, weaken func(s *machine.State, next *term.Substitution, differ []Place)) {
	l.head, l.stable, l.changed = r.buildHead(l), true, map[Place]bool{}
	r.begins(l)
	start := r.begin(l.head)
	start.AtLeast(l.from + r.Kernel.Step)
	r.paths(start, l.pc, func(s *machine.State) {
		machine.Refuse(s.Done, "returns before the end of an iteration")
		next, differ := r.preserved(l, s)
		if r.observer != nil {
			r.observer.end(s)
		}
		if len(differ) > 0 || s.Dirty && !l.head.Dirty {
			l.stable = false
			weaken(s, next, differ) // so that the caller can try again
			return
		}
		if l.claim != nil {
			rest := r.advanced(l.claim, next)
			r.check(s, l.arrived, rest)
			r.tampered(s, "after an iteration", rest, nil)
		}
		r.observe(s)
	})
}

// preserved compares the state after an iteration with Spec and the invariant.
func (r *Session) preserved(l *loop, s *machine.State) (next *term.Substitution, differ []Place) {
	r.advanceInputs()
	for leaf, to := range r.become {
		machine.Refuse(!r.input(leaf) || leaf == r.N || r.mem.Address(leaf), "the statement's Advance changes %s, which is the length, an address or no input", r.Format(leaf))
		unknown := func(x term.Term) bool { return !r.input(x) } // after an iteration, it represents another term
		machine.Refuse(slices.ContainsFunc(r.leavesOf(to), unknown), "the statement's Advance replaces %s with %s, want a term of inputs", r.Format(leaf), r.Format(to))
		r.within(s, leaf, to)
	}
	r.become[r.N], r.become[l.iterations] = r.AddConst(r.N, -uint64(r.Kernel.Step)), r.AddConst(l.iterations, 1)
	next = r.Substitute(r.advance)
	machine.Refuse(slices.ContainsFunc(r.Rings, func(ring Congruence) bool { return ring.Changed(next) }), "an iteration changes an input about which Setup states a congruence")
	for _, l := range r.Overlaps { // watch does not know the stores of earlier iterations
		in, by := r.moves[l.In], r.moves[l.Object]
		grows := l.before > 0 && l.after == 0 // a greater distance is allowed
		machine.Refuse(l.anywhere && in != 0 || !l.anywhere && (in < by || in > by && !grows), "an iteration advances %d bytes in %s and %d in %s, which may overlap it", in, l.In.Name, by, l.Object.Name)
	}
	r.expect(r.Kernel.Step, false)
	kept := r.Substitute(func(leaf term.Term) term.Term {
		machine.Refuse(s.Assumed[leaf] && !l.head.Assumed[leaf], "the statement's Spec names %s, which each iteration binds again", r.Info(leaf).Name)
		return leaf
	})
	for _, want := range r.want {
		for _, b := range want.All() {
			kept.Byte(b)
		}
	}
	for at := 0; at < r.layout.Size(); at += 8 {
		if p := InRegisters(at); !l.lost[p] && !r.Equal(s.Get(p, 64), next.Term(l.head.Get(p, 64))) {
			differ = append(differ, p)
		}
	}
	for _, o := range s.Mem.Objects() {
		r.shorter(s, o, next)
		differ = append(differ, r.memory(s, l, o, next)...)
	}
	return next, differ
}

// advanced returns the assertion a, restated for the remaining iterations.
func (r *Session) advanced(a *Assertion, next *term.Substitution) *Assertion {
	rest := *a
	rest.Has, rest.As = nil, map[term.Term]term.Term{}
	for _, h := range a.Has {
		if h.Place.Object != nil {
			h.Place.At += r.moves[h.Place.Object]
		}
		rest.Has = append(rest.Has, h.Place.Has(next.Term(h.Term)))
	}
	for leaf, t := range a.As {
		rest.As[leaf] = next.Term(t)
	}
	return &rest
}

func (r *Session) advance(leaf term.Term) term.Term {
	if at := r.mem.Origin(leaf); r.moves[at.Object] != 0 { // Advance cannot say that the bytes that follow are others
		return r.Alone(at.Object.Initial(at.At + r.moves[at.Object]))
	}
	for o, by := range r.moves {
		if leaf == o.Base {
			return r.AddConst(leaf, uint64(by))
		}
	}
	if t, ok := r.become[leaf]; ok {
		return t
	}
	return leaf
}

// shorter checks that the remaining part of an object lies inside it.
func (r *Session) shorter(s *machine.State, o *machine.Object, next *term.Substitution) {
	all, by := s.Mem.Size(o), r.moves[o]
	less, ok := r.IsConst(r.Sub(all, next.Term(all)))
	machine.Refuse(!ok || by < 0 || int64(less) < by || o.Writable && int64(less) > by, "the remaining part of %s begins at offset %d and has %s of %s bytes, want it inside the buffer and, in an output, up to the end", o.Name, by, r.Format(next.Term(all)), r.Format(all))
	machine.Refuse(o.Align > 1 && by%o.Align != 0, "the remaining part of %s begins at offset %d, want a multiple of %d", o.Name, by, o.Align)
}

// memory checks o after an iteration and returns places that break the invariant.
func (r *Session) memory(s *machine.State, l *loop, o *machine.Object, next *term.Substitution) (differ []Place) {
	by := r.moves[o]
	end := max(s.Mem.Extent(o), l.head.Mem.Extent(o)+by, o.Known(), o.Stated()+by, int64(len(r.want[o])))
	for at := range end {
		got, p := s.Mem.Byte(o, at), In(o, at-by)
		want, stated := r.want[o].At(at)
		if at >= by && o.Writable && next.Byte(o.Initial(p.At)) != o.Initial(at) && (l.lost[p] || l.perIteration[In(o, p.At&^7)] == 0) {
			machine.Refuse(by != 0, "an iteration changes %s, which the rest of the work must find unchanged", r.name(In(o, at)))
			l.changed[p] = true
		}
		switch {
		case at < by && o.Writable && !stated:
			machine.Fail("the statement's Spec does not describe %s[%d] after an iteration", o.Name, at)
		case at < by && !stated:
			want = o.Initial(at)
		case at >= by && stated:
			machine.Fail("the statement's Spec describes %s[%d], which an iteration does not finish", o.Name, at)
		case at >= by && l.lost[p]:
			continue
		case at >= by:
			want = next.Byte(l.head.Mem.Byte(o, p.At))
			_, stored := s.Mem.Stored(o, at)
			_, before := l.head.Mem.Stored(o, p.At)
			if stored && !before && r.overlapped(o) {
				machine.Fail("an iteration stores %s[%d], which it does not finish and which another buffer may overlap", o.Name, at)
			}
		}
		if !r.Same(got, want) || at >= by && l.perIteration[In(o, p.At&^7)] != 0 && got != l.head.Mem.Byte(o, p.At) {
			if by != 0 {
				machine.Fail("%v", r.differs("after an iteration, "+r.name(In(o, at)), r.Alone(got), r.FormatByte(want)))
			}
			differ = append(differ, p)
		}
	}
	return differ
}
