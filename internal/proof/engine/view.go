// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/digest"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A View is a read-only view of a state, for use in statements.
type View struct {
	c  *Case
	s  *machine.State
	of *term.Substitution
	state
	Mem    Memory
	PC     int       // the instruction that was executed or is next
	Note   any       // see Assertion
	Length term.Term // of the path
}

// state contains the methods of a state that statements may call.
type state interface {
	Word(at, n int) term.Term                           // n bytes of registers
	Resolve(address term.Term) (*machine.Object, int64) // the object and the offset of an address
	Value(t term.Term) (value uint64, ok bool)          // for the path's lengths; if values differ, the path is split
}

// Memory is a read-only view of memory.
type Memory interface {
	Byte(o *machine.Object, at int64) term.Byte           // the present byte of an object
	Stored(o *machine.Object, at int64) (term.Byte, bool) // the byte that was stored, if any
	Extent(o *machine.Object) int64                       // an offset that no store to the object exceeds
}

func (c *Case) view(s *machine.State) View {
	return View{c: c, s: s, state: s, Mem: s.Mem, PC: s.PC, Note: s.Note, Length: s.Length}
}

// At returns the 64 bits that a place contains.
func (v View) At(p Place) term.Term { return v.s.Get(p, 64) }

// Of returns the terms that unknowns represent. Only Assertion.Where may call it.
func (v View) Of(terms ...term.Term) []term.Term {
	list := make([]term.Term, len(terms))
	for i, t := range terms {
		list[i] = v.of.Term(t)
	}
	return list
}

// Is returns an error unless got equals want, and records both.
func (v View) Is(what string, got, want term.Term) error {
	if r := v.c.record; r != nil {
		r.Add("is", r.Term(got), r.Term(want))
	}
	if got != want && !v.c.Equal(got, want) {
		return v.c.differs(what, got, v.c.Format(want))
	}
	v.shows(fact{what: what, got: got, want: want})
	return nil
}

// Congruent reports and records whether got and want are congruent modulo prime.
func (v View) Congruent(a *algebra.Algebra, got, want algebra.Poly, prime *big.Int) bool {
	if r := v.c.record; r != nil {
		r.Add("congruent", a.Hash(got, r.Term), a.Hash(want, r.Term), digest.Text(prime.String()))
	}
	ok := a.Congruent(got, want, prime)
	if ok {
		v.shows(fact{what: "a number", algebra: a, left: got, right: want, prime: prime})
	}
	return ok
}

// AtMost returns an error if t may exceed most, and records both.
func (v View) AtMost(a *algebra.Algebra, t term.Term, most uint64) error {
	if r := v.c.record; r != nil {
		r.Add("at most", r.Term(t), most)
	}
	err := a.Within(t, 0, most)
	if err == nil {
		v.shows(fact{what: "a number", got: t, want: v.c.Const(64, most), most: true})
	}
	return err
}

// Begun returns unknown or, before any iteration, the term that it represents.
func (c *Case) Begun(s View, unknown term.Term) term.Term {
	if s.s.Taken != nil && *s.s.Taken {
		return c.head.represented[unknown]
	}
	return unknown
}

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
