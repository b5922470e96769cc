// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

// A subject is a kernel with the changes that are to be tried.
type subject struct {
	kernel  *engine.Kernel
	file    *asm.File
	fn      *asm.Func
	mutants []Mutant
}

func (s *subject) name(m Mutant) survivor {
	return survivor{s.kernel.Name(), m.Index, s.fn.Code[m.Index].String(), m.Change}
}

// maxSize is how large a session may grow before it is begun anew.
const maxSize = 1 << 22

// try returns the changes that survive, and how many were caught: it proves each in
// the first part; then those that are left in the next part. Those that no length reaches, or
// that are no instructions, are neither. All lengths are needed for those alone that the edges do
// not reach: where a change survives that another length would catch, there is no reason to be given.
func (s *subject) try() (live []Mutant, caught int, err error) {
	left := s.mutants
	tried := map[int]bool{}
	for _, which := range []engine.Lengths{engine.Edges, engine.All} {
		for _, part := range s.kernel.Parts() {
			if len(left) == 0 {
				break
			}
			if left, err = s.survive(part, left, which, tried, &caught); err != nil {
				return nil, caught, err
			}
		}
		var never []Mutant
		for _, m := range left {
			if tried[m.Index] {
				live = append(live, m)
			} else {
				never = append(never, m)
			}
		}
		left = never
	}
	return live, caught, nil
}

// A trial is of one part.
type trial struct {
	*subject
	part    engine.Part
	session *engine.Session
	result  engine.Result // what reaches what
	caught  int
}

// begin proves the part without a change.
func (t *trial) begin(which engine.Lengths) (err error) {
	if t.session, err = engine.NewSession(t.part.Kernel, t.file, t.fn, t.part.Variant); err != nil {
		return err
	}
	t.result, err = t.session.Prove(which)
	return err
}

// survive returns the changes that live: those that no length reaches, and those for which the
// proof holds. Some lengths are tried first, as most fail for all that reach them.
func (s *subject) survive(part engine.Part, mutants []Mutant, lengths engine.Lengths, tried map[int]bool, caught *int) (live []Mutant, err error) {
	t := trial{subject: s, part: part}
	if err := t.begin(engine.Some); err != nil {
		return nil, err
	}
	if live, err = t.hold(mutants, engine.Some); err != nil {
		return nil, err
	}
	if len(live) > 0 {
		if t.result, err = t.session.Prove(lengths); err != nil {
			return nil, err
		}
		if live, err = t.hold(live, lengths); err != nil {
			return nil, err
		}
	}
	for i, reached := range t.result.Reached {
		tried[i] = tried[i] || reached
	}
	*caught += t.caught
	return live, nil
}

// maxCaught is after how many changes that were caught in a row the unchanged function is tried.
const maxCaught = 100

// hold returns the changes for which the proof holds, and those that it does not reach. Now and then it
// tries the unchanged function, for which the proof must hold: otherwise it fails for another reason
// than the changes.
func (t *trial) hold(mutants []Mutant, which engine.Lengths) (left []Mutant, err error) {
	row := 0 // how many were caught since the proof held
	for _, m := range mutants {
		if !t.result.Reached[m.Index] {
			left = append(left, m)
			continue
		}
		panicked, err := t.one(m, which)
		switch {
		case err == nil:
			left = append(left, m)
			row = 0
		case !errors.Is(err, engine.ErrForm):
			t.caught++
			row++
		}
		if panicked || t.session.Size() > maxSize {
			if err := t.renew(); err != nil {
				return nil, err
			}
		}
		if row == maxCaught {
			if err := t.unchanged(which); err != nil {
				return nil, err
			}
			row = 0
		}
	}
	if row > 0 {
		err = t.unchanged(which)
	}
	return left, err
}

// renew begins again with what is known.
func (t *trial) renew() error {
	known := t.result
	err := t.begin(engine.Some)
	t.result = known
	return err
}

// one tries a change. A proof that panics because of it fails, too; the panic is printed, as the
// statement should have refused the change in words.
func (t *trial) one(m Mutant, which engine.Lengths) (panicked bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			fmt.Fprintf(os.Stderr, "%s: %v\n", t.name(m), err)
			panicked = true
		}
	}()
	return false, t.session.Try(m.Index, m.of(t.fn), which)
}

// unchanged fails if the proof does not hold for the function as it is.
func (t *trial) unchanged(which engine.Lengths) error {
	if _, err := t.session.Prove(which); err != nil {
		return fmt.Errorf("the proof fails without a change: %w", err)
	}
	return nil
}

func hash(s string) uint64 {
	h := fnv.New64()
	h.Write([]byte(s))
	return h.Sum64()
}
