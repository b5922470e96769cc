// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import "github.com/unimac/unimac/internal/proof/term"

// A Kernel is a function together with the statement to prove about it.
type Kernel struct {
	File, Func string
	Claim      string   // for people
	Variants   []string // cases that Setup tells apart by Case.Variant, or none

	Range      // the lengths that callers may pass
	Loop       // the loop whose number of turns depends on the length, if there is one
	Weakenings // assertions that shorten the proof

	// Setup declares the memory and the arguments.
	Setup func(c *Case)

	// Calls, if not nil, replaces Setup where calls to the function are checked. It may
	// accept arguments that Setup rejects if the proof covers them in another way, and
	// may reject arguments for which the claim is useless.
	Calls func(c *Case)

	// Spec states with Case.Expect what memory must contain after n bytes: all memory
	// if last is true, and otherwise only the memory that no later turn of the loop
	// changes.
	Spec func(c *Case, n int64, last bool)

	// Left, if not nil, checks on return the memory for which Spec has called Case.Free
	// or Case.Checked.
	Left func(c *Case, s View, n int64) error

	// Unwiped states that the function may leave secrets in its frame. Otherwise, the
	// proof shows that it leaves none.
	Unwiped bool

	// Cuts are labels that every execution passes, in this order. The segments between
	// cuts are proven one at a time. The first one is proven for each value of the
	// input that Parameter returns, and Spec describes the end of the last one.
	Cuts      []Cut
	Parameter func(c *Case) term.Term

	// Segments are proven before the kernel, which enters them by Assertion.Call. The
	// kernel's Setup must declare the memory that they access, because calls to the
	// function are checked against Setup.
	Segments []Kernel
	Segment  // which code this is, if the kernel is a segment of another one

	construct func() *Kernel // see Constructed
}

// A Range states the lengths that callers may pass: the multiples of Unit from Min to
// Max. Unit is 0 for functions without a length.
type Range struct {
	Unit, Min, Max int64
	Lengths        string                      // for people, if lengths are no bytes
	Given          func(c *Case, n int64) bool // which of the lengths callers pass in a variant, if not all
}

// A Loop describes a loop whose number of turns depends on the length.
//
// After a turn, the rest of the work must equal the whole work for other inputs.
// Advance states these inputs with Case.Become. Buffers need no Become: they begin
// later by the number of bytes that the turn takes off their sizes. The loop's
// invariant is that registers and frame contain what they contained on arrival, for
// these inputs.
type Loop struct {
	Step    int64                      // the number of bytes that one turn processes
	Turn    func(variant string) int64 // returns Step, where variants differ
	Advance func(c *Case)
	Reached int64 // the least length for which the loop is reached, if no multiple of Step

	// Invariant, if not nil, returns an assertion about the parts of the state at the
	// loop's head that are not terms of the inputs. It is checked on arrival and, with
	// Case.Looped set, after each turn. Nothing else is then known about these parts.
	Invariant func(c *Case) *Assertion
}

// Weakenings are assertions that divide a long computation into short ones. Afterwards,
// the proof knows only what they state about a word, and not how it was computed.
type Weakenings struct {
	At     Assertions                       // at labels
	Before func(c *Case, s View) *Assertion // before each instruction
	After  func(c *Case, s View) *Assertion // after each instruction
}

// Assertions maps labels to the functions that return the assertions there.
type Assertions map[string]func(c *Case, s View) *Assertion

// A Segment is the code between two labels. Its proof assumes what Setup and Enter
// state and shows what Spec and Exit state. The proof itself finds which other
// registers and bytes the segment writes.
type Segment struct {
	From, To string
	Enter    func(c *Case) *Assertion
	Exit     func(c *Case) *Assertion
}
