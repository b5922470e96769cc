// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// An Assertion states what registers and memory contain at a point of a function, as
// terms of unknowns. An unknown is a leaf that represents a term: either the contents
// of a place or the term in Of.
//
// The engine checks the assertion when an execution reaches the point, and then
// replaces the terms by the unknowns. A term must lie within the bounds of its unknown,
// and must not be secret if the unknown is public. An execution may bind each unknown
// only once.
type Assertion struct {
	Has     []Has                   // what places have, as terms of the unknowns
	Unknown []term.Term             // stand for what their places have
	Of      map[term.Term]term.Term // stand for these terms
	As      map[term.Term]term.Term // what is known of unknowns: terms of others
	Scope   Scope                   // where the unknowns replace the terms
	Bounds  *algebra.Algebra        // shows the bounds of what is secret, if not that of the run

	// Where, if not nil, returns an error unless the terms that the unknowns represent
	// are related as the rest of the proof needs. View.Of returns these terms. A term
	// that the algebra cannot interpret is also an error.
	Where func(View) error

	// Stand, if not nil, returns further terms for unknowns, computed from the state.
	Stand func(View) map[term.Term]term.Term

	Note any // if set, what the statement keeps of the way

	Call *Call // if set, the segment that is entered here

}

// A Place is a position in an object of memory or, if Object is nil, in the registers.
// If Size is set, the place is the size of the object instead.
type Place struct {
	Object *machine.Object
	At     int64
	Size   bool
}

// A Has states the term that a place contains.
type Has struct {
	Place Place
	Term  term.Term
}

// InRegisters returns a place in registers.
func InRegisters(at int) Place { return Place{At: int64(at)} }

// In returns a place in memory.
func In(o *machine.Object, at int64) Place { return Place{Object: o, At: at} }

// SizeOf returns the place of an object's size.
func SizeOf(o *machine.Object) Place { return Place{Object: o, Size: true} }

// Has returns the statement that the place contains t.
func (p Place) Has(t term.Term) Has { return Has{p, t} }

// Any adds to an assertion that a place contains an unknown.
func (a *Assertion) Any(p Place, unknown term.Term) {
	a.Unknown, a.Has = append(a.Unknown, unknown), append(a.Has, p.Has(unknown))
}

// A Scope says where the unknowns of an assertion replace the terms that they represent.
type Scope int

const (
	Places     Scope = iota // in the places that the assertion names
	Everywhere              // in all registers and memory

	// NextInstruction is Places while the next instruction executes. Afterwards, the
	// places contain their old bytes again, except for bytes that the instruction
	// changed.
	NextInstruction
)

// A Cut is a label that every execution passes after the preceding cuts. It ends one
// segment of the function and begins the next. The state where a segment ends is
// compared with the assertion. The next segment starts in a state built from the
// assertion and the function's inputs alone: registers, flags and the frame are unknown
// unless the assertion states their contents, and other memory is unchanged since
// entry.
type Cut struct {
	At    func(c *Case) string
	Holds func(c *Case) *Assertion

	// Parameter, if not nil, returns an input. The segment that begins at the cut is
	// proven for each value of this input instead of for each length.
	Parameter func(c *Case) term.Term
}

// A Call enters a segment. The execution continues at the label where the segment ends.
type Call struct {
	To    string // the label where the segment ends
	Name  string // unique on each path; what the segment stores is known by it, see Case.ExpectResult
	Cases []Entry

	// Results are the caller's unknowns for the unknowns of the segment's Exit, in the
	// same order.
	Results []term.Term
}

// An Entry is one of the cases in which a segment is entered: the segment's variant and
// the values of the caller's inputs, each a number or a term of one new unknown. The
// entries of a call must cover all values of the inputs that they name.
type Entry struct {
	Variant string
	Inputs  map[term.Term]term.Term
}
