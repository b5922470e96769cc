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

// A subject is a kernel with the changes to try.
type subject struct {
	kernel  *engine.Kernel
	file    *asm.File
	fn      *asm.Func
	mutants []Mutant
	caught  int
	live    []string // names of survivors

	part    engine.Part    // the part to try
	lengths engine.Lengths // the lengths for which to prove the part
	session *engine.Session
	limit   int    // size at which a new session begins
	reached []bool // instructions that the part's proof executes
}

func (s *subject) name(m Mutant) string {
	return fmt.Sprintf("%s %d: %s: %s", s.kernel.Name(), m.Index, s.fn.Code[m.Index].String(), m.Change)
}

// try counts detected changes and records those that are executed but undetected. It
// tries a few lengths first for speed.
func (s *subject) try() (err error) {
	defer s.drop()
	left := s.mutants
	for i, lengths := range []engine.Lengths{engine.Some, edges, engine.All} {
		tried := make([]bool, len(s.fn.Code))
		for _, s.part = range s.kernel.Parts() {
			if len(left) == 0 {
				return nil
			}
			s.lengths = lengths
			if left, err = s.hold(left); err != nil {
				return err
			}
			for i, reached := range s.reached {
				tried[i] = tried[i] || reached
			}
		}
		left = slices.DeleteFunc(left, func(m Mutant) bool {
			survives := i > 0 && tried[m.Index]
			if survives {
				s.live = append(s.live, s.name(m))
			}
			return survives
		})
	}
	return nil
}

// maxGrowth is the largest number of terms by which a session may grow.
const maxGrowth = 1 << 22

// begin starts a new session.
func (s *subject) begin() (err error) {
	s.drop()
	if s.session, err = engine.NewSession(s.part.Kernel, s.file, s.fn, s.part.Variant); err == nil {
		err = s.unchanged()
		s.limit = s.session.Size() + maxGrowth
	}
	return err
}

func (s *subject) drop() {
	if s.session != nil {
		s.session.Store.Drop()
	}
	s.session = nil
}

// unchanged returns an error if the proof fails even without a change.
func (s *subject) unchanged() error {
	r, err := s.session.Prove(s.lengths)
	s.reached = r.Reached
	if err != nil {
		return fmt.Errorf("the proof fails without a change: %w", err)
	}
	return nil
}

// edges selects lengths near those at which kernels switch to another code path.
func edges(given []int64) (chosen []int64) {
	for i, n := range given {
		if i < 64 || (n+1)%64 <= 2 || i == len(given)-1 {
			chosen = append(chosen, n)
		}
	}
	return chosen
}

// After maxCaught consecutive detections, unchanged verifies the session.
const maxCaught = 100

// hold returns the changes that the proof does not reach or detect.
func (s *subject) hold(mutants []Mutant) (left []Mutant, err error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	row := 0 // detected changes since the proof last succeeded
	for _, m := range mutants {
		if !s.reached[m.Index] {
			left = append(left, m)
			continue
		}
		if err := s.one(m); err == nil {
			left, row = append(left, m), 0
		} else if !errors.Is(err, engine.ErrForm) {
			s.caught++
			row++
		}
		if s.session != nil && (row == maxCaught || s.session.Size() > s.limit) {
			err, row = s.unchanged(), 0
		}
		if err == nil && (s.session == nil || s.session.Size() > s.limit) {
			err = s.begin()
		}
		if err != nil {
			return nil, err
		}
	}
	if row > 0 {
		err = s.unchanged()
	}
	return left, err
}

// one tries a change. A panic counts as detection and ends the session.
func (s *subject) one(m Mutant) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			fmt.Fprintf(os.Stderr, "%s: %v\n", s.name(m), err)
			s.drop()
		}
	}()
	return s.session.Try(m.Index, m.of(s.fn), s.lengths)
}
