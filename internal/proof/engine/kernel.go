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
	Loop       // the loop whose number of turns depends on the length, if there is one
	Weakenings // assertions that shorten the proof

	// Setup declares the memory and the arguments.
	Setup func(c *Case)

	// Calls, if not nil, replaces Setup where calls to the function are checked. It may
	// accept arguments that Setup rejects, if the proof covers them in another way. It
	// may reject arguments for which the claim is useless.
	Calls func(c *Case)

	// Spec states with Case.Expect what memory must contain after n bytes. If last is
	// true, it describes all memory on return. Otherwise, it describes only the memory
	// that no later turn of the loop changes.
	Spec func(c *Case, n int64, last bool)

	// Left, if not nil, is called when the function returns. It checks the bytes that Spec
	// has passed to Case.Free or Case.Checked.
	Left func(c *Case, s View, n int64) error

	// Unwiped states that the function may leave secrets in its frame. If it is false,
	// the proof shows that the function leaves none.
	Unwiped bool

	// Cuts are labels that every execution passes, in this order. They divide the
	// function into segments, which are proven one at a time. If Parameter is not nil,
	// the first segment is proven for each value of the input that Parameter returns.
	// Spec describes the end of the last segment.
	Cuts      []Cut
	Parameter func(c *Case) term.Term

	// Segments are parts of the function that are proven before it. The proof of the
	// function enters them by Assertion.Call. The kernel's Setup must declare all
	// memory that the segments access, because calls to the function are checked
	// against this Setup.
	Segments []Kernel
	Segment  // the kernel's code, if the kernel is a segment of another one

	construct func() *Kernel // see Constructed
}

// A Range states which lengths callers may pass: the multiples of Unit from Min to Max.
// If the function has no length, Unit is 0.
type Range struct {
	Unit, Min, Max int64
	Lengths        string                      // for people, if lengths are not in bytes
	Given          func(c *Case, n int64) bool // if not nil, reports whether callers pass a length in a variant
}

// A Loop describes a loop whose number of turns depends on the length.
//
// After a turn, the rest of the work must equal the whole work for other inputs.
// Advance states these inputs with Case.Become. Buffers need no Become: if a turn
// reduces the size of a buffer, the rest begins later in the buffer by this number of
// bytes. The loop's invariant is that registers and frame contain what they contained
// on arrival, with these inputs in place of the original ones.
type Loop struct {
	Step    int64                      // the number of bytes that one turn processes
	Turn    func(variant string) int64 // if not nil, returns a variant's Step
	Advance func(c *Case)
	Reached int64 // the smallest length that reaches the loop, if not a multiple of Step

	// Invariant, if not nil, returns an assertion about the places whose contents at
	// the loop's head are not terms of the inputs. Nothing else is then known of these
	// places. The assertion is checked on arrival and, with Case.Looped set, after each
	// turn.
	Invariant func(c *Case) *Assertion
}

// Weakenings are assertions that divide a long computation into short ones. After an
// assertion, the proof knows only what the assertion states about a word, not how the
// word was computed.
type Weakenings struct {
	At     Assertions                       // at labels
	Before func(c *Case, s View) *Assertion // before each instruction
	After  func(c *Case, s View) *Assertion // after each instruction
}

// Assertions maps labels to the functions that return the assertions there.
type Assertions map[string]func(c *Case, s View) *Assertion

// A Segment is the code between the labels From and To. Its proof assumes what Setup
// and Enter state, shows what Spec and Exit state, and observes which other registers
// and bytes the segment writes.
type Segment struct {
	From, To string
	Enter    func(c *Case) *Assertion
	Exit     func(c *Case) *Assertion
}
