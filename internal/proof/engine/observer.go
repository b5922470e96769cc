// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// An observer is told about the paths of a proof. It must not change them. Tests set an
// observer to compare proofs with executions.
type observer interface {
	// assertion is called with the state before a segment is entered, with the state
	// afterwards, and with the state that another assertion leaves. The assertion's
	// unknowns represent the terms in of.
	assertion(s *machine.State, afterInstruction bool, of map[term.Term]term.Term)

	// standIn is called with the unknown that a StandIn uses and the term it represents.
	standIn(s *machine.State, of map[term.Term]term.Term)

	fact(s *machine.State, f fact) // f was shown
	end(s *machine.State)          // a turn of the loop ends
}

// A fact states that got equals want or is at most want, or that left is congruent to
// right modulo a prime.
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
