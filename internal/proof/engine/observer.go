// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// An observer follows the paths of a proof, but must not change them.
type observer interface {
	// assertion is called after an assertion, and before a segment is entered.
	assertion(s *machine.State, afterInstruction bool, of map[term.Term]term.Term)

	fact(s *machine.State, f fact) // the proof has shown f
	end(s *machine.State)          // an iteration of the loop ends
}

// A fact is a proven congruence, upper bound or equation.
type fact struct {
	what      string
	got, want term.Term
	most      bool
	algebra   *algebra.Algebra
	left      algebra.Poly
	right     algebra.Poly
	prime     *big.Int
}

func (v View) shows(f fact) {
	if v.c.observer != nil {
		v.c.observer.fact(v.s, f)
	}
}

// observed records the end of a path.
func (r *Session) observed(s *machine.State) {
	if r.observer != nil {
		r.observer.end(s)
	}
}
