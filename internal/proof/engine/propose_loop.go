// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"maps"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// findLoop finds the loop's head and the least length that reaches it.
func (r *Session) findLoop() (l *loop) {
	if r.hint != nil {
		return r.loopFrom(r.hint.pc, r.hint.from)
	}
	k := r.Kernel
	pc, ok := r.Fn.Labels[r.Head]
	if !ok {
		pc, ok = r.furthest()
	}
	if !ok {
		machine.Fail("no loop found")
	}
	if k.Reached > 0 {
		return r.loopFrom(pc, k.Reached)
	}
	err := errors.New("no length allows two iterations")
	for i := int64(1); i <= 8 && (i+1)*k.Step <= k.Max; i++ {
		if e := machine.Try(func() { l = r.loopFrom(pc, max(i*k.Step, k.Min)) }); e == nil {
			return l
		} else {
			err = fmt.Errorf("from %d bytes: %w", i*k.Step, e)
		}
	}
	must(err)
	return nil
}

// loopFrom weakens the state on arrival until an iteration preserves it.
func (r *Session) loopFrom(pc int, from int64) *loop {
	l := r.newLoop(pc, from)
	for range maxAttempts {
		if r.iterate(l, l.weakener(r)); l.stable {
			r.hint = l
			return l
		}
	}
	machine.Fail("no invariant found: each attempt changes in an iteration")
	return nil
}

// maxAttempts bounds how often an invariant is weakened.
const maxAttempts = 100

// furthest returns the target of the longest backward jump inside the segment.
func (r *Session) furthest() (head int, ok bool) {
	distance := 0
	for i := range r.Fn.Code[:min(r.stop, len(r.Fn.Code))] {
		for _, o := range r.Fn.Code[i].Args {
			to, is := r.Fn.Labels[o.Name]
			if is && o.Kind == asm.Label && to >= r.entry.PC && i-to >= distance {
				head, distance, ok = to, i-to, true
			}
		}
	}
	return head, ok
}

// weakener returns a function that weakens the invariant where iterations violate it.
func (l *loop) weakener(r *Session) func(s *machine.State, next *term.Substitution, differ []Place) {
	before := maps.Clone(l.perIteration)
	return func(s *machine.State, next *term.Substitution, differ []Place) {
		l.dirty = l.dirty || s.Dirty
		for _, p := range differ {
			if !l.growsInStep(r, before, s, Place{Object: p.Object, At: p.At &^ 7}, next) {
				l.forget(p)
			}
		}
	}
}

// growsInStep reports whether the word at p grows by a constant per iteration, and
// records the constant.
func (l *loop) growsInStep(r *Session, before map[Place]uint64, s *machine.State, p Place, next *term.Substitution) bool {
	head, got := l.head.Get(p, 64), s.Get(p, 64)
	if o := p.Object; o != nil && (got != head || head != o.Load(p.At, 8)) {
		return false
	}
	by, ok := r.IsConst(r.Sub(got, next.Term(head)))
	_, old := before[p]
	other, proposed := l.perIteration[p]
	if !ok || old || proposed && other != by || !r.Public(got) || !r.Public(head) {
		return false
	}
	l.perIteration[p] = by
	return true
}
