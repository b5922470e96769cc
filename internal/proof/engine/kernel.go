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

	// Calls, if not nil, replaces Setup in checks of calls. It may accept arguments
	// that the proof covers indirectly, and reject arguments for which the claim is
	// useless.
	Calls func(c *Case)

	// Spec calls Case.Expect to specify memory after n bytes: if last is set, all
	// memory, and otherwise only memory that no later iteration changes.
	Spec func(c *Case, n int64, last bool)

	// Left, if not nil, checks the bytes passed to Case.Free or Case.Checked.
	Left func(c *Case, s View, n int64) error

	// Unwiped allows the function to leave secrets in its frame.
	Unwiped bool

	// Cuts lists the function's cuts in the order in which every execution passes them.
	// If Parameter is not nil, the code before the first cut is proven for each value
	// of this input instead of each length.
	Cuts      []Cut
	Parameter func(c *Case) term.Term

	// Segments lists parts of the function that are proven separately. The function's
	// proof enters them by Assertion.Call, which checks the call against the segment's
	// Setup. Setup must therefore declare all memory that the segment accesses.
	Segments []Kernel
	Segment  // the kernel's code, if the kernel is a segment of another one

	construct func() *Kernel // see Constructed
}

// A Range contains the multiples of Unit from Min to Max. If the function has no
// length, Unit is 0.
type Range struct {
	Unit, Min, Max int64
	Lengths        string                      // for people, if lengths are not in bytes
	Given          func(c *Case, n int64) bool // if not nil, reports whether callers pass a length in a variant
}

// A Loop describes a loop whose number of iterations depends on the length. After an
// iteration, the remaining work must equal the whole work for other inputs, which
// Advance states with Case.Become. Buffers need no Become, because they advance by the
// number of bytes by which they shrink. The invariant is that registers and frame have
// their contents on arrival, with these inputs in place of the original ones.
type Loop struct {
	Step    int64                      // the number of bytes that one iteration processes
	Turn    func(variant string) int64 // if not nil, returns a variant's Step
	Advance func(c *Case)
	Reached int64 // the smallest length that reaches the loop, if not a multiple of Step

	// Invariant, if not nil, returns an assertion about places whose contents are not
	// terms of the inputs. It is checked on arrival and after each iteration, and
	// nothing else is known about these places.
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
