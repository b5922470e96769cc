// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
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

func (k *Kernel) wrap(variant string, err error) error {
	if variant != "" {
		err = fmt.Errorf("%s: %w", variant, err)
	}
	return fmt.Errorf("%s: %w", k.Func, err)
}

// Prove proves the claim.
func (s *Session) Prove(which Lengths) (Result, error) {
	r := s.run
	r.choose(which)
	if err := r.prove(); err != nil {
		return r.result, r.Kernel.wrap(r.Variant, err)
	}
	return r.result, nil
}

// Direct proves one length from the beginning on, without the loop's invariant.
func (s *Session) Direct(n int64) error {
	s.run.choose(All)
	return s.run.lengths(n, n+1, s.run.entry)
}

// ErrForm says that a changed instruction has no meaning.
var ErrForm = errors.New("no such instruction")

// Try proves the claim for a function that differs from the session's in instructions i and i + 1 at most.
func (s *Session) Try(i int, fn *asm.Func, which Lengths) error {
	r := s.run
	ops := slices.Clone(s.ops)
	for j := i; j < min(i+2, len(ops)); j++ {
		one := *fn
		one.Code = fn.Code[j : j+1]
		p, err := r.arch.compile(&one, r.env)
		if err != nil {
			return ErrForm
		}
		ops[j] = p.Ops[0]
	}
	used := r.mem.Used()
	defer r.mem.SetUsed(used)
	defer func() { r.program.Ops, r.Fn = s.ops, s.fn }()
	r.program.Ops, r.Fn = ops, fn
	_, err := s.Prove(which)
	return err
}

// Size returns how much the session has grown.
func (s *Session) Size() int { return s.run.Store.Size() }
