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
	Has     []Has                   // the contents of places, as terms of the unknowns
	Unknown []term.Term             // unknowns that represent the contents of their places
	Of      map[term.Term]term.Term // the terms that other unknowns represent
	As      map[term.Term]term.Term // terms of other unknowns; each must equal what its unknown represents
	Scope   Scope                   // where the unknowns replace the terms
	Bounds  *algebra.Algebra        // if not nil, used instead of the run's algebra to bound secret terms

	// Where, if not nil, checks a relation between the unknowns on which the rest of
	// the proof relies. It gets the terms that the unknowns represent from View.Of, and
	// returns an error unless the relation holds for them. The check also fails if the
	// algebra cannot interpret a term.
	Where func(View) error

	// Stand, if not nil, returns further terms for unknowns, computed from the state.
	Stand func(View) map[term.Term]term.Term

	Note any // if set, what the statement records about the path

	Call *Call // if set, the segment that is entered here
}

// A Place is an offset in an object or, if Object is nil, in the registers. If Size is
// set, the place is the object's size instead.
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

// InRegisters returns the place at an offset in the registers.
func InRegisters(at int) Place { return Place{At: int64(at)} }

// In returns the place at an offset in an object.
func In(o *machine.Object, at int64) Place { return Place{Object: o, At: at} }

// SizeOf returns the place of an object's size.
func SizeOf(o *machine.Object) Place { return Place{Object: o, Size: true} }

// Has returns the statement that the place contains t.
func (p Place) Has(t term.Term) Has { return Has{p, t} }

// Any adds to an assertion that a place contains an unknown.
func (a *Assertion) Any(p Place, unknown term.Term) {
	a.Unknown, a.Has = append(a.Unknown, unknown), append(a.Has, p.Has(unknown))
}

// A Scope determines where an assertion's unknowns replace the terms that they
// represent.
type Scope int

const (
	Places     Scope = iota // in the places that the assertion names
	Everywhere              // in all registers and memory

	// NextInstruction is like Places, but only while the next instruction executes.
	// Afterwards, the old bytes are restored, except those that the instruction has
	// changed.
	NextInstruction
)

// A Cut is a label that every execution passes after the preceding cuts. It ends one
// segment of the function and begins the next. The state where a segment ends is
// compared with the assertion that Holds returns. The next segment starts in a state
// built from this assertion and the function's inputs alone. If the assertion does not
// mention a place, its contents are unknown. Two kinds of places are unchanged since
// entry instead: memory outside the frame, and registers that contain on all paths what
// they contained on entry.
type Cut struct {
	At    func(c *Case) string
	Holds func(c *Case) *Assertion

	// Parameter, if not nil, returns an input. The segment that begins at the cut is
	// then proven for each value of this input, rather than for each length.
	Parameter func(c *Case) term.Term
}

// A Call replaces the execution of a segment by what the segment's own proof has shown.
// The path continues at the label where the segment ends.
type Call struct {
	To    string // the label where the segment ends
	Name  string // unique on each path; Case.ExpectResult refers to it
	Cases []Entry

	// Results are the caller's unknowns that replace the unknowns of the segment's
	// Exit, in the same order.
	Results []term.Term
}

// An Entry is one case of a Call: a variant of the segment, with values for some of the
// caller's inputs. A value is a number, or a term of one new unknown. The entries of a
// call must cover every combination of values that these inputs may have.
type Entry struct {
	Variant string
	Inputs  map[term.Term]term.Term
}
