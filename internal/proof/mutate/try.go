// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"hash/fnv"
	"slices"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/asm"
)

// A subject is a kernel with the changes that are to be tried.
type subject struct {
	kernel  *proof.Kernel
	file    *asm.File
	fn      *asm.Func
	mutants []Mutant
}

func (s *subject) name(m Mutant) survivor {
	return survivor{s.kernel.File, s.kernel.Func, m.Index, s.fn.Code[m.Index].String(), m.Change}
}

// maxSize is how large a session may grow before it is begun anew.
const maxSize = 1 << 22

// try returns the changes that survive, and how many were caught: it proves each in
// the first part, first for lengths that reach the instruction, then for all; then
// those that are left in the next part. Those that no length reaches, or
// that are no instructions, are neither.
func (s *subject) try() (live []Mutant, caught int, err error) {
	live = s.mutants
	tried := map[int]bool{}
	for _, part := range s.kernel.Parts() {
		if live, err = s.survive(part, live, tried, &caught); err != nil || len(live) == 0 {
			return nil, caught, err
		}
	}
	return slices.DeleteFunc(live, func(m Mutant) bool { return !tried[m.Index] }), caught, nil
}

func (s *subject) survive(part proof.Part, mutants []Mutant, tried map[int]bool, caught *int) (live []Mutant, err error) {
	var session *proof.Session
	var result proof.Result
	for _, m := range mutants {
		if session == nil || session.Size() > maxSize {
			if session, err = proof.NewSession(part.Kernel, s.file, s.fn, part.Variant); err != nil {
				return nil, err
			}
			which := proof.Lengths(proof.Some)
			if result.Lengths == nil {
				which = proof.All // to learn which lengths reach what
			}
			r, err := session.Prove(which)
			if err != nil {
				return nil, err
			}
			if result.Lengths == nil {
				result = r
			}
		}
		reached := result.Lengths[m.Index]
		if len(reached) == 0 && !result.Looped[m.Index] {
			live = append(live, m)
			continue
		}
		tried[m.Index] = true
		changed := m.of(s.fn)
		err := session.Try(m.Index, changed, proof.Only(reached))
		if err == nil {
			err = session.Try(m.Index, changed, proof.All)
		}
		switch {
		case err == nil:
			live = append(live, m)
		case !errors.Is(err, proof.ErrForm):
			*caught++
		}
	}
	return live, nil
}

func hash(s string) uint64 {
	h := fnv.New64()
	h.Write([]byte(s))
	return h.Sum64()
}
