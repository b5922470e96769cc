// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import "github.com/unimac/unimac/internal/proof/term"

// A Fork is a branch on public inputs that what is known does not decide, at a place where
// that is allowed, and which way a run went there.
type Fork struct {
	Bit   term.Term
	Taken bool
}

// fork chooses as it did before, or has the run go on in two parts, if it may fork here.
func (s *State) fork(bit term.Term) (taken, ok bool) {
	if s.MayFork == nil || !s.MayFork(s.PC) {
		return false, false
	}
	for _, f := range s.Forks {
		if f.Bit == bit {
			return f.Taken, true
		}
	}
	panic(&Split{Term: bit, Fork: true})
}
