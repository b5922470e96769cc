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

// Follow makes the next Run choose so at the first forks, and false at those after
// them. MayFork says at which instructions it may.
func (s *State) Follow(script []bool, mayFork func(pc int) bool) {
	s.script, s.mayFork, s.Forks = script, mayFork, nil
}

// fork chooses, if it is allowed here.
func (s *State) fork(bit term.Term) (taken, ok bool) {
	if s.mayFork == nil || !s.mayFork(s.PC) {
		return false, false
	}
	for _, f := range s.Forks {
		if f.Bit == bit {
			return f.Taken, true
		}
	}
	if s.Group != nil {
		panic(&Split{Term: bit, Fork: true})
	}
	if i := len(s.Forks); i < len(s.script) {
		taken = s.script[i]
	}
	s.Forks = append(s.Forks, Fork{bit, taken})
	return taken, true
}
