// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
)

// A Session proves one variant of a kernel, and then the same with changes, for
// which it has done most of the work before. Of one Kernel there must be one at a
// time, as a statement keeps what Setup declares.
type Session struct {
	run *run
	fn  *asm.Func
	ops []machine.Op
}

// NewSession prepares the proof of a function that was read.
func NewSession(k *Kernel, f *asm.File, fn *asm.Func, variant string) (*Session, error) {
	r, err := newRun(k, f, fn, variant)
	if err != nil {
		return nil, k.wrap(variant, err)
	}
	return &Session{run: r, fn: fn, ops: r.program.Ops}, nil
}

func (s *Session) newResult() *Result {
	return &Result{Lengths: make([]LengthSet, len(s.fn.Code)), Looped: make([]bool, len(s.fn.Code))}
}

func (k *Kernel) wrap(variant string, err error) error {
	if variant != "" {
		err = fmt.Errorf("%s: %w", variant, err)
	}
	return fmt.Errorf("%s: %w", k.Func, err)
}

// Prove proves the claim.
func (s *Session) Prove(which Lengths) (Result, error) {
	r := s.run
	r.Lengths, r.result = which, s.newResult()
	l, err := r.prove()
	if err != nil {
		return *r.result, r.Kernel.wrap(r.Variant, err)
	}
	r.hint, r.stale = l, false
	return *r.result, nil
}

// Direct proves one length from the beginning on, without the loop's invariant.
func (s *Session) Direct(n int64) error {
	s.run.result, s.run.Lengths = s.newResult(), All
	return s.run.lengths(n, n+1, s.run.entry)
}

// ErrForm says that a changed instruction has no meaning.
var ErrForm = errors.New("no such instruction")

// Try proves the claim for a function that differs from the session's in instructions i and
// i + 1 at most. The result is that of Prove for all lengths, which must have come before: here
// or in another session. It is enough that the result has some of those that reach the instructions,
// if some of the lengths are to be proven.
func (s *Session) Try(i int, fn *asm.Func, result *Result, which Lengths) error {
	r := s.run
	if r.stale {
		if _, err := s.Prove(None); err != nil {
			panic(err) // it held before
		}
	}
	ops, err := s.changed(i, fn)
	if err != nil {
		return err
	}
	used := r.mem.Used()
	defer r.mem.SetUsed(used)
	defer func() { r.program.Ops, r.Fn = s.ops, s.fn }()
	r.program.Ops, r.Fn = ops, fn
	r.result = s.newResult()
	c := change{result.Lengths[i].List(), result.Looped[i]}
	if i+1 < len(ops) && !reflect.DeepEqual(fn.Code[i+1], s.fn.Code[i+1]) {
		c.lengths = append(c.lengths, result.Lengths[i+1].List()...)
		c.looped = c.looped || result.Looped[i+1]
	}
	return r.proveChanged(c, which)
}

// changed returns the operations of a function that differs in instructions i and i + 1 at most.
func (s *Session) changed(i int, fn *asm.Func) ([]machine.Op, error) {
	ops := slices.Clone(s.ops)
	for j := i; j < min(i+2, len(ops)); j++ {
		one := *fn
		one.Code = fn.Code[j : j+1]
		p, err := s.run.arch.compile(&one, s.run.env)
		if err != nil {
			return nil, ErrForm
		}
		ops[j] = p.Ops[0]
	}
	return ops, nil
}

// Alike proves the claim again, and reports which of some changes of one instruction make
// no difference on the way.
func (s *Session) Alike(changes []Change, which Lengths) ([]bool, error) {
	r := s.run
	alike := make([]bool, len(changes))
	ops := slices.Clone(s.ops)
	for k, c := range changes {
		other, err := s.changed(c.Index, c.Func)
		if err != nil {
			return nil, err
		}
		op, changed := ops[c.Index], other[c.Index]
		alike[k] = true
		ops[c.Index] = func(st *machine.State) {
			if alike[k] {
				used := r.mem.Used()
				alike[k] = st.Alike(s.ops[c.Index], changed)
				r.mem.SetUsed(used)
			}
			op(st)
		}
	}
	defer func() { r.program.Ops = s.ops }()
	r.program.Ops = ops
	_, err := s.Prove(which)
	return alike, err
}

// A Change is a function that differs from another one in an instruction.
type Change struct {
	Index int
	Func  *asm.Func
}

// Size returns how much the session has grown.
func (s *Session) Size() int { return s.run.Store.Size() }
