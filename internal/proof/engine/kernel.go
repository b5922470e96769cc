// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import "github.com/unimac/unimac/internal/proof/term"

// A Kernel is a function together with the statement to prove about it.
type Kernel struct {
	File, Func string
	Claim      string   // for people
	Variants   []string // distinguished in Setup by Case.Variant; may be empty

	Range      // the lengths that callers may pass
	Loop       // the loop over the length, if any
	Weakenings // assertions that shorten the proof

	// Setup declares the memory and the arguments.
	Setup func(c *Case)

	// Calls, if not nil, replaces Setup when calls of the function are checked. For
	// example, it may declare several inputs where Setup declares a single input that
	// combines them.
	Calls func(c *Case)

	// Spec calls Case.Expect to specify the contents of memory after n bytes. If last
	// is set, it must specify all memory that the function changes. Otherwise, it must
	// specify only memory that no later iteration changes.
	Spec func(c *Case, n int64, last bool)

	// Left, if not nil, checks the bytes passed to Case.Free or Case.Checked.
	Left func(c *Case, s View, n int64) error

	// Unwiped allows the function to leave secrets in its frame.
	Unwiped bool

	// Cuts lists the function's cuts in the order in which every execution passes them.
	// The code before the first cut is proven for each length or, if Parameter is not
	// nil, for each value of the input that Parameter returns.
	Cuts      []Cut
	Parameter func(c *Case) term.Term

	// Segments lists parts of the function that are proven separately. The function's
	// proof uses the proof of a segment through Assertion.Call, which checks the call
	// against the segment's Setup. Setup must therefore declare all memory that the
	// segment accesses.
	Segments []Kernel
	Segment  // the kernel's code, if the kernel is a segment of another one

	construct func() *Kernel // see Constructed
}

// A Range contains the multiples of Unit from Min to Max.
type Range struct {
	Unit, Min, Max int64                       // Unit is 0 if the function has no length
	Lengths        string                      // for people, if lengths are not in bytes
	Given          func(c *Case, n int64) bool // if not nil, reports whether callers pass a length in a variant
}

// A Loop describes a loop whose number of iterations depends on the length. The proof
// treats the work that remains after an iteration as a shorter run with other inputs,
// which Advance declares with Case.Become. Buffers need no Become, because the engine
// advances each buffer by the number of bytes by which it shrinks. The invariant is
// that the registers and the frame have the same contents as when the loop was first
// reached, but computed from these inputs.
type Loop struct {
	Step    int64                      // the number of bytes that one iteration processes
	Turn    func(variant string) int64 // if not nil, returns a variant's Step
	Advance func(c *Case)
	Reached int64 // the smallest length that reaches the loop, if not a multiple of Step

	// Invariant, if not nil, returns an assertion about places whose contents cannot be
	// computed from the inputs. The assertion is checked when the loop is first reached
	// and after each iteration. The proof assumes nothing else about these places.
	Invariant func(c *Case) *Assertion
}

// Weakenings divide a long computation: the proof forgets how asserted words were
// computed.
type Weakenings struct {
	At     Assertions                       // at labels
	Before func(c *Case, s View) *Assertion // before each instruction
	After  func(c *Case, s View) *Assertion // after each instruction
}

// Assertions maps labels to the functions that return the assertions there.
type Assertions map[string]func(c *Case, s View) *Assertion

// A Segment is the code between two labels. Its proof assumes Setup and Enter, proves
// Spec and Exit, and records what else the segment writes.
type Segment struct {
	From, To string
	Enter    func(c *Case) *Assertion
	Exit     func(c *Case) *Assertion
}
