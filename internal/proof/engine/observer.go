// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// An observer is notified of what happens on the paths of a proof. It must not change
// them. Tests use an observer to compare proofs with executions.
type observer interface {
	// assertion is called after an assertion has been applied, with the resulting state
	// and the terms that the unknowns represent. It is also called before a segment is
	// entered.
	assertion(s *machine.State, afterInstruction bool, of map[term.Term]term.Term)

	// unknowns is called after Kernel.Before, with the terms that unknowns represent.
	unknowns(s *machine.State, of map[term.Term]term.Term)

	fact(s *machine.State, f fact) // the proof has shown f
	end(s *machine.State)          // a turn of the loop ends
}

// A fact is a relation that the proof has shown. If algebra is set, left is congruent
// to right modulo prime. Otherwise, got equals want or, if most is set, is at most
// want.
type fact struct {
	what      string
	got, want term.Term
	most      bool
	algebra   *algebra.Algebra
	left      algebra.Poly
	right     algebra.Poly
	prime     *big.Int
}

// shows tells the observer about a fact.
func (v View) shows(f fact) {
	if v.c.observer != nil {
		v.c.observer.fact(v.s, f)
	}
}
