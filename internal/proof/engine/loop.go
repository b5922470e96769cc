// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A loop is one whose number of turns depends on the length.
//
// Its invariant: what the state at the head is, as terms over the inputs, when it
// is first reached, it is at every turn over the inputs of the rest of the work
// (Kernel.Advance). What a turn does not keep so is forgotten: the turn and the
// way out must do without it. Counts and pointers that differ by a constant at
// each turn get that many times a new input, the number of turns before.
type loop struct {
	from   int64          // the least length for which the head is reached
	pc     int            // of the head
	head   *machine.State // the invariant
	turns  term.Term      // the number of turns before
	lost   map[int]bool   // registers that are forgotten, by the offset of their 8 bytes
	fits   map[int]uint64 // how registers depend on the number of turns
	hidden map[*machine.Object]map[int64]bool
	// Words that were not stored to before, by the offsets of their bytes, and how they depend
	// on the number of turns, as registers may: they are what they were on entry.
	entry map[*machine.Object]map[int64]uint64

	claim *Claim                  // of Kernel.Invariant
	stood map[term.Term]term.Term // what its unknowns stood for when the head was first reached

	// What the claim has set.
	widened map[int]bool
	cells   map[*machine.Object]map[int64]bool
}

// declare notes what the claim has set in the state of the first arrival.
func (l *loop) declare(first *machine.State) {
	l.widened, l.cells = map[int]bool{}, map[*machine.Object]map[int64]bool{}
	for i, b := range first.Regs {
		if l.head.Regs[i] != b {
			l.widened[i&^7] = true
		}
	}
	for _, o := range first.Mem.Objects() {
		l.cells[o] = map[int64]bool{}
		for at := range l.head.Mem.Extent(o) {
			l.cells[o][at] = l.head.Mem.Byte(o, at) != first.Mem.Byte(o, at)
		}
	}
}

// findLoop finds the loop and proves its invariant.
func (r *run) findLoop() (*loop, error) {
	k := r.Kernel
	if r.hint != nil {
		return r.loopFrom(r.hint.pc, r.hint.from)
	}
	pc, ok := r.Fn.Labels[k.Head]
	var err error
	if !ok {
		if pc, err = r.findHead(); err != nil {
			return nil, err
		}
	}
	if k.Reached > 0 {
		return r.loopFrom(pc, k.Reached)
	}
	err = errors.New("no length is that of two turns")
	for i := int64(1); i <= 8 && (i+1)*k.Step <= k.Max; i++ {
		var l *loop
		var e error
		if l, e = r.loopFrom(pc, max(i*k.Step, k.Min)); e == nil {
			return l, nil
		}
		err = fmt.Errorf("from %d bytes: %w", i*k.Step, e)
	}
	return nil, err
}

// findHead finds the instruction that the longest inputs make the function go back
// to, by a decision that needs more than constants.
func (r *run) findHead() (int, error) {
	info := r.Info(r.N)
	info.Min = info.Max - info.Max/4
	s := r.begin(r.entry)
	pc, err := s.Run(r.program, machine.AnyHead)
	if err == nil && pc < 0 {
		err = errors.New("finds no loop")
	}
	return pc, err
}

// loopFrom proves the invariant for lengths from one on.
func (r *run) loopFrom(pc int, from int64) (*loop, error) {
	k := r.Kernel
	s, err := r.arrive(pc, from)
	if err != nil {
		return nil, err
	}
	l := &loop{from: from, pc: pc, lost: map[int]bool{}, fits: map[int]uint64{}, hidden: map[*machine.Object]map[int64]bool{}, entry: map[*machine.Object]map[int64]uint64{}}
	l.turns = r.NewLeaf(64, term.LeafInfo{Name: "turns", Public: true, Marked: true, Max: uint64(k.Max / k.Step)})
	l.head = s.Clone()
	l.head.UndefineFlags()
	if k.Invariant != nil {
		l.claim = k.Invariant(&r.Case, view(s), true)
		of, err := r.check(s, l.claim)
		if err != nil {
			return nil, fmt.Errorf("on entry: %w", err)
		}
		r.assume(l.head, l.claim, of)
		l.stood = of
		l.declare(s)
	}
	for range maxTurns {
		stable, err := r.turn(l)
		if err != nil {
			return nil, err
		}
		if stable {
			return l, nil
		}
	}
	return nil, errNothingKept
}

// maxTurns is how often an invariant is weakened.
const maxTurns = 100

var errNothingKept = errors.New("no part of the loop's state is kept")

// arrive returns the state in which a loop's head is first reached, for lengths from one on.
func (r *run) arrive(pc int, from int64) (*machine.State, error) {
	r.Info(r.N).Min = uint64(from)
	r.begins(nil)
	s := r.begin(r.entry)
	if _, err := s.Run(r.program, pc); err != nil {
		return nil, err
	}
	if s.Done {
		return nil, errors.New("returns before it reaches the loop")
	}
	r.result.ran(s.Visits())
	return s, nil
}

// turn takes one turn of the loop, from the invariant, on every path. It reports
// whether the invariant holds after it; else it has weakened it.
func (r *run) turn(l *loop) (stable bool, err error) {
	r.Info(r.N).Min = uint64(l.from + r.Kernel.Step)
	r.begins(l)
	stable = true
	err = r.ways(l.head, nil, l.pc, func(s *machine.State) error {
		if s.Done {
			return errors.New("returns instead of a turn")
		}
		r.result.ran(s.Visits())
		ok, err := r.preserved(l, s)
		stable = stable && ok
		return err
	})
	return stable, err
}

// preserved compares the state after a turn with the invariant, and weakens that.
func (r *run) preserved(l *loop, s *machine.State) (stable bool, err error) {
	k := r.Kernel
	less := map[term.Term]term.Term{r.N: r.AddConst(r.N, -uint64(k.Step)), l.turns: r.AddConst(l.turns, 1)}
	r.goOn(maps.Clone(less))
	for leaf, to := range less {
		if r.become[leaf] != to {
			return false, fmt.Errorf("the statement has the length, or the number of turns, become %s", r.Format(r.become[leaf]))
		}
	}
	next := r.Substitute(r.advance)
	if err := r.shorter(s, l); err != nil {
		return false, err
	}
	if err := r.expect(k.Step, false); err != nil {
		return false, err
	}
	stable = true
	if s.Dirty && !l.head.Dirty {
		l.head.Dirty, stable = true, false
	}
	if !r.registers(l, s, next) {
		stable = false
	}
	kept, err := r.memory(l, s, next)
	if err == nil {
		err = r.remains(s, k.Step, false)
	}
	if err == nil && stable && kept && k.Invariant != nil {
		err = r.holds(l, s)
	}
	return stable && kept, err
}

// holds has the claim at the loop's head hold after a turn.
func (r *run) holds(l *loop, s *machine.State) error {
	then := r.Kernel.Invariant(&r.Case, view(s), false)
	if !slices.Equal(then.Has, l.claim.Has) || !slices.Equal(then.Unknown, l.claim.Unknown) {
		return errors.New("the invariant says something else after a turn")
	}
	_, err := r.check(s, then)
	return err
}

// advance is what a leaf is for the rest of the work.
func (r *run) advance(leaf term.Term) term.Term {
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

// registers compares the registers after a turn with the invariant.
func (r *run) registers(l *loop, s *machine.State, next *term.Substitution) bool {
	stable := true
	for at := 0; at < r.layout.Size(); at += 8 {
		if l.lost[at] || l.widened[at] || r.sameBytes(s.Regs[at:at+8], l.head.Regs[at:at+8], next) {
			continue
		}
		stable = false
		if _, ok := l.fits[at]; at < 8*r.layout.Words && !ok && r.fit(l, at, s.Word(at, 8), next) {
			continue
		}
		l.lost[at] = true
		l.head.Forget(at, 8)
	}
	return stable
}

func (r *run) sameBytes(got, head []term.Byte, next *term.Substitution) bool {
	for i := range got {
		if got[i] != head[i] || next.Byte(head[i]) != head[i] {
			if !r.Same(got[i], next.Byte(head[i])) {
				return false
			}
		}
	}
	return true
}

// fit adds to a register a multiple of the number of turns, if what it has after a
// turn differs from the invariant by a constant.
func (r *run) fit(l *loop, at int, got term.Term, next *term.Substitution) bool {
	by, ok := r.apart(l.head.Word(at, 8), got, next)
	if ok {
		l.fits[at] = by
		l.head.SetWord(at, r.Add(l.head.Word(at, 8), r.Scale(l.turns, by)))
	}
	return ok
}

// apart returns by how much a word differs from the invariant, if that is public.
func (r *run) apart(head, got term.Term, next *term.Substitution) (uint64, bool) {
	by, ok := r.IsConst(r.Sub(got, next.Term(head)))
	return by, ok && r.Public(got) && r.Public(head)
}
