// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A loop contains the invariant of the kernel's loop as a symbolic state.
type loop struct {
	from    int64          // the least length for which the head is reached
	pc      int            // the index of the head's first instruction
	turns   term.Term      // an input: the number of iterations before the path
	arrived *machine.State // the state in which the head is first reached
	head    *machine.State // the invariant
	weakening

	claim   *Assertion              // the assertion of Kernel.Invariant
	claimed map[Place]bool          // bytes that claim mentions
	stood   map[term.Term]term.Term // the terms that claim's unknowns represented on arrival
}

// A weakening lists the differences between the invariant and the state on arrival.
type weakening struct {
	lost    map[Place]bool   // register words and memory bytes that are forgotten
	perTurn map[Place]uint64 // words that grow by a constant in each iteration
	dirty   bool             // upper halves of vectors are in use
}

// loopFrom weakens the state on arrival until an iteration preserves it.
func (r *Session) loopFrom(pc int, from int64) (*loop, error) {
	k := r.Kernel
	s, err := r.arrive(pc, from)
	if err != nil {
		return nil, err
	}
	l := &loop{from: from, pc: pc, arrived: s, weakening: weakening{lost: map[Place]bool{}, perTurn: map[Place]uint64{}}}
	l.turns = r.NewLeaf(64, term.LeafInfo{Name: "turns", Public: true, Marked: true, Max: uint64(k.Max / k.Step)})
	if k.Invariant != nil {
		l.claim = k.Invariant(&r.Case)
		if l.stood, err = r.check(s, l.claim); err != nil {
			return nil, fmt.Errorf("on entry: %w", err)
		}
		r.tampered(s, "on entry", l.claim)
		l.claimed = r.places(l.claim)
	}
	for range maxTurns {
		if l.head, err = r.buildHead(l); err != nil {
			return nil, err
		}
		stable, err := r.turn(l, l.weakener(r))
		if err != nil {
			return nil, err
		}
		if stable {
			return l, nil
		}
	}
	return nil, errNothingKept
}

// maxTurns bounds how often an invariant is weakened.
const maxTurns = 100

var errNothingKept = errors.New("no invariant found: each attempt changes in a turn")

// buildHead builds the invariant from the state on arrival, l.weakening and l.claim.
func (r *Session) buildHead(l *loop) (*machine.State, error) {
	known := map[Place]term.Byte{}
	for i, b := range l.arrived.Regs {
		known[InRegisters(i)] = b
	}
	for _, o := range r.Objects() {
		for at := range l.arrived.Mem.Extent(o) {
			if b, stored := l.arrived.Mem.Stored(o, at); stored {
				known[In(o, at)] = b
			}
		}
	}
	s := r.build(l.pc, known, l.arrived.Dirty || l.dirty)
	for _, o := range r.Objects() {
		s.Mem.SetSize(o, l.arrived.Mem.Size(o))
	}
	maps.Copy(s.Assumed, l.arrived.Assumed)
	s.Length = l.arrived.Length
	order := func(a, b Place) int { return cmp.Or(strings.Compare(r.name(a), r.name(b)), cmp.Compare(a.At, b.At)) }
	for _, p := range slices.SortedFunc(maps.Keys(l.perTurn), order) { // a fixed order gives terms the same numbers in each proof
		word := get(s, p, 64)
		if p.Object != nil && word != p.Object.Load(p.At, 8) {
			return nil, fmt.Errorf("%s has changed before the loop", r.name(p))
		}
		r.set(s, p, r.Add(word, r.Scale(l.turns, l.perTurn[p])))
	}
	for _, p := range slices.SortedFunc(maps.Keys(l.lost), order) {
		for i, b := range r.bytes(r.forgetAt(l, p)) {
			put(s, Place{Object: p.Object, At: p.At + int64(i)}, b)
		}
	}
	if l.claim != nil {
		r.assume(s, l.claim, l.stood)
	}
	return s, nil
}

// open reports whether the invariant leaves the byte at p undetermined.
func (l *loop) open(p Place) bool {
	if l.claimed[p] {
		return true
	}
	if p.Object == nil {
		p.At &^= 7
	}
	return l.lost[p]
}

// forgetAt returns the unknown that a place forgotten at the loop's head contains.
func (c *Case) forgetAt(l *loop, p Place) term.Term {
	type forgotten struct {
		turns term.Term
		Place
	}
	return term.Once(c.Store, forgotten{l.turns, p}, func() term.Term {
		if p.Object == nil {
			return c.Unknown(64)
		}
		return c.Unknown(8)
	})
}

func (r *Session) arrive(pc int, from int64) (*machine.State, error) {
	r.Info(r.N).Min = uint64(from)
	r.begins(nil)
	s := r.begin(r.start)
	if err := s.Run(r.program, pc); err != nil {
		return nil, err
	}
	if s.Done {
		return nil, errors.New("returns before it reaches the loop")
	}
	r.result.ran(s.Visits())
	return s, nil
}

// turn executes one iteration and reports whether every path preserves the invariant.
func (r *Session) turn(l *loop, weaken func(s *machine.State, next *term.Substitution, differ []Place)) (stable bool, err error) {
	r.Info(r.N).Min = uint64(l.from + r.Kernel.Step)
	r.begins(l)
	stable = true
	err = r.ways(l.head, nil, l.pc, func(s *machine.State) error {
		if s.Done {
			return errors.New("returns before the end of a turn")
		}
		r.result.ran(s.Visits())
		next, differ, err := r.preserved(l, s)
		if r.observer != nil {
			r.observer.end(s)
		}
		if err == nil && (len(differ) > 0 || s.Dirty && !l.head.Dirty) {
			stable = false
			weaken(s, next, differ)
			return nil
		}
		if err == nil && l.claim != nil {
			_, err = r.check(s, l.claim)
			r.tampered(s, "after a turn", l.claim)
		}
		if err == nil {
			err = r.observe(s)
		}
		return err
	})
	return stable, err
}

// preserved compares the state after an iteration with Spec and the invariant.
func (r *Session) preserved(l *loop, s *machine.State) (next *term.Substitution, differ []Place, err error) {
	k := r.Kernel
	less := map[term.Term]term.Term{r.N: r.AddConst(r.N, -uint64(k.Step)), l.turns: r.AddConst(l.turns, 1)}
	r.goOn(maps.Clone(less))
	for leaf, to := range less {
		if r.become[leaf] != to {
			return nil, nil, fmt.Errorf("the statement's Advance must not change the length or the number of turns, but sets one to %s", r.Format(r.become[leaf]))
		}
	}
	next = r.Substitute(r.advance)
	if err := r.shorter(s, l, next); err != nil {
		return nil, nil, err
	}
	if err := r.expect(k.Step, false); err != nil {
		return nil, nil, err
	}
	for at := 0; at < r.layout.Size(); at += 8 {
		for i := at; i < at+8; i++ {
			if !l.open(InRegisters(i)) && !r.Same(s.Regs[i], next.Byte(l.head.Regs[i])) {
				differ = append(differ, InRegisters(at))
				break
			}
		}
	}
	for _, o := range s.Mem.Objects() {
		if err := r.finished(s, o); err != nil {
			return nil, nil, err
		}
		bytes, err := r.memory(l, s, o, next)
		if err != nil {
			return nil, nil, err
		}
		differ = append(differ, bytes...)
	}
	return next, differ, nil
}

func (r *Session) advance(leaf term.Term) term.Term {
	if t, ok := r.become[leaf]; ok {
		return t
	}
	for o, by := range r.moves {
		if leaf == o.Base {
			return r.AddConst(leaf, uint64(by))
		}
		if at, ok := o.Offset(leaf); ok {
			return r.Alone(o.Initial(at + by))
		}
	}
	return leaf
}

// shorter checks that the remaining part of each object lies inside it.
func (r *Session) shorter(s *machine.State, l *loop, next *term.Substitution) error {
	for _, n := range []int64{l.from + r.Kernel.Step, r.Kernel.Max} { // sizes are linear in n
		for _, o := range s.Mem.Objects() {
			if r.moves[o] == 0 && next.Term(s.Mem.Size(o)) == s.Mem.Size(o) {
				continue
			}
			size, ok1 := r.At(s.Mem.Size(o), r.N, uint64(n))
			rest, ok2 := r.At(s.Mem.Size(o), r.N, uint64(n-r.Kernel.Step))
			if by := r.moves[o]; !ok1 || !ok2 || by < 0 || int64(rest) < 0 || int64(rest) > int64(size)-by {
				return fmt.Errorf("the remaining part of %s has %d bytes at offset %d, want it within %d bytes", o.Name, rest, by, size)
			}
		}
	}
	return nil
}

func (r *Session) finished(s *machine.State, o *machine.Object) error {
	by := r.moves[o]
	for at := range by {
		got, stored := s.Mem.Stored(o, at)
		want, expected := r.want[o].At(at)
		if o.Writable && !expected {
			return fmt.Errorf("the statement's Spec does not describe %s[%d] after a turn", o.Name, at)
		}
		if expected && !r.Same(s.Mem.Byte(o, at), want) || stored && !expected && got != o.Initial(at) {
			return r.differs(fmt.Sprintf("after a turn, %s[%d]", o.Name, at), r.Alone(s.Mem.Byte(o, at)), r.FormatByte(want))
		}
	}
	for at, want := range r.want[o].All() {
		if at >= by || at >= s.Mem.Extent(o) && want != o.Initial(at) { // bytes that remain unchanged need not be stored
			return fmt.Errorf("the statement's Spec describes %s[%d], which a turn does not finish", o.Name, at)
		}
	}
	return nil
}

func (r *Session) memory(l *loop, s *machine.State, o *machine.Object, next *term.Substitution) (differ []Place, err error) {
	by := r.moves[o]
	end := max(s.Mem.Extent(o)-by, l.head.Mem.Extent(o), o.Known()-by)
	for at := range o.Fixed() {
		end = max(end, at+1-by)
	}
	for at := range max(end, 0) {
		if l.open(In(o, at)) {
			continue
		}
		got, want := s.Mem.Byte(o, at+by), next.Byte(l.head.Mem.Byte(o, at))
		if r.Same(got, want) {
			continue
		}
		if by != 0 {
			return nil, fmt.Errorf("invariant after a turn: %s[%d] is %s, want %s", o.Name, at+by, r.FormatByte(got), r.FormatByte(want))
		}
		differ = append(differ, In(o, at))
	}
	return differ, nil
}
