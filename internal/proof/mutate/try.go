// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

// A subject is a kernel with the changes that are to be tried, and what came of them.
type subject struct {
	kernel  *engine.Kernel
	file    *asm.File
	fn      *asm.Func
	mutants []Mutant
	caught  int
	live    []string // the names of those that survive
	failed  error

	part    engine.Part // that is tried
	session *engine.Session
	limit   int    // how large the session may grow before it is begun anew
	reached []bool // the instructions that the part's proof executes
}

// name returns the name of a change in survivors.txt.
func (s *subject) name(m Mutant) string {
	return fmt.Sprintf("%s %d: %s: %s", s.kernel.Name(), m.Index, s.fn.Code[m.Index].String(), m.Change)
}

// unlisted returns those that survive and are not listed.
func (s *subject) unlisted(listed record) []string {
	return slices.DeleteFunc(slices.Clone(s.live), func(name string) bool { return listed[name] != nil })
}

// maxGrowth is by how much a session may grow.
const maxGrowth = 1 << 22

// try finds the changes that survive, and counts those that are caught: it proves each in
// the first part; then those that are left in the next part. Those that no length reaches, or
// that are no instructions, are neither. All lengths are needed for those alone that the edges do
// not reach: where a change survives that another length would catch, there is no reason to be given.
func (s *subject) try() (err error) {
	defer s.drop()
	left, tried := s.mutants, make([]bool, len(s.fn.Code))
	for _, which := range []engine.Lengths{engine.Edges, engine.All} {
		for _, s.part = range s.kernel.Parts() {
			if len(left) == 0 {
				return nil
			}
			if left, err = s.survive(left, which); err != nil {
				return err
			}
			for i, reached := range s.reached {
				tried[i] = tried[i] || reached
			}
		}
		left = slices.DeleteFunc(left, func(m Mutant) bool {
			if tried[m.Index] {
				s.live = append(s.live, s.name(m))
			}
			return tried[m.Index]
		})
	}
	return nil
}

// begin proves the part without a change, in a session of its own.
func (s *subject) begin(which engine.Lengths) (err error) {
	s.drop()
	if s.session, err = engine.NewSession(s.part.Kernel, s.file, s.fn, s.part.Variant); err != nil {
		return err
	}
	err = s.unchanged(which)
	s.limit = s.session.Size() + maxGrowth
	return err
}

// drop ends the session. The statement keeps objects of it.
func (s *subject) drop() {
	if s.session != nil {
		s.session.Store.Drop()
	}
	s.session = nil
}

// unchanged fails if the proof does not hold for the function as it is: then changes would be caught for another
// reason than that they are changes.
func (s *subject) unchanged(which engine.Lengths) error {
	r, err := s.session.Prove(which)
	s.reached = r.Reached
	if err != nil {
		return fmt.Errorf("the proof fails without a change: %w", err)
	}
	return nil
}

// survive returns the changes that live: those that no length reaches, and those for which the part's
// proof holds. Some lengths are tried first, as most fail for all that reach them.
func (s *subject) survive(left []Mutant, lengths engine.Lengths) (_ []Mutant, err error) {
	if err = s.begin(engine.Some); err == nil {
		left, err = s.hold(left, engine.Some)
	}
	if err == nil && len(left) > 0 {
		if err = s.unchanged(lengths); err == nil {
			left, err = s.hold(left, lengths)
		}
	}
	return left, err
}

// maxCaught is after how many changes that were caught in a row the unchanged function is tried.
const maxCaught = 100

// hold returns the changes for which the proof holds, and those that it does not reach.
func (s *subject) hold(mutants []Mutant, which engine.Lengths) (left []Mutant, err error) {
	row := 0 // how many were caught since the proof held
	for _, m := range mutants {
		if !s.reached[m.Index] {
			left = append(left, m)
			continue
		}
		if err := s.one(m, which); err == nil {
			left, row = append(left, m), 0
		} else if !errors.Is(err, engine.ErrForm) {
			s.caught++
			row++
		}
		full := s.session != nil && s.session.Size() > s.limit
		if full || row == maxCaught {
			err, row = s.unchanged(which), 0
		}
		if err == nil && (full || s.session == nil) {
			err = s.begin(which)
		}
		if err != nil {
			return nil, err
		}
	}
	if row > 0 {
		err = s.unchanged(which)
	}
	return left, err
}

// one tries a change. A proof that panics because of it fails, too, and ends the session; the panic is printed, as
// the statement should have refused the change in words.
func (s *subject) one(m Mutant, which engine.Lengths) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			fmt.Fprintf(os.Stderr, "%s: %v\n", s.name(m), err)
			s.drop()
		}
	}()
	return s.session.Try(m.Index, m.of(s.fn), which)
}
