// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// An Assertion states what registers and memory hold at a certain instruction. After
// checking it, the engine replaces some of the values with unknowns, which are symbols
// for values about which only stated facts are known. This keeps terms short: for
// example, a hash of many blocks becomes an unknown number below a bound. On a path,
// that is, one execution that the proof follows, each unknown can be introduced only
// once.
type Assertion struct {
	Has     []Has                   // the contents of places, as terms of the unknowns
	Unknown []term.Term             // unknowns that represent the contents of their places
	Of      map[term.Term]term.Term // the terms that other unknowns represent
	As      map[term.Term]term.Term // terms of other unknowns; each must equal what its unknown represents
	Algebra *algebra.Algebra        // of the polynomials in Note, if any

	// NextInstruction limits the assertion to the next instruction. Afterwards, bytes that
	// the instruction has not changed contain their original terms again.
	NextInstruction bool

	// Where, if not nil, checks how the unknowns' original values are related.
	Where func(View) error

	Note any // if set, what the statement records about the path

	Call *Call // if set, the segment that is entered here
}

// A Place is a register or a memory location.
type Place = machine.Place

// A Has states the term that a place contains.
type Has = machine.Has

// InRegisters returns the place at an offset in the registers.
func InRegisters(at int) Place { return Place{At: int64(at)} }

// In returns the place at an offset in an object.
func In(o *machine.Object, at int64) Place { return Place{Object: o, At: at} }

// HasUnknown adds to the assertion that a place holds an unknown.
func (a *Assertion) HasUnknown(p Place, unknown term.Term) {
	a.Unknown, a.Has = append(a.Unknown, unknown), append(a.Has, p.Has(unknown))
}

// A Call applies the proof of a segment instead of executing it.
type Call struct {
	To      string           // the label where the segment ends
	Name    string           // unique on each path, and among segments; Case.ExpectResult refers to it
	Cases   []Entry          // must cover all values of the inputs
	Buffers map[string]Place // where the segment's buffers are, by their names

	// Results replace the unknowns of the segment's Exit, in the same order.
	Results []term.Term
}

// An Entry names the variant of a segment to use for certain inputs.
type Entry struct {
	Variant string
	Inputs  map[term.Term]Values // limits the Entry to calls in which each input has one of its values
}

// Values are Min, Min + Step, Min + 2*Step and so on, up to Max. A Step of 0 means 1.
type Values struct{ Min, Max, Step uint64 }

// One returns the Values that contain only v.
func One(v uint64) Values { return Values{Min: v, Max: v} }
