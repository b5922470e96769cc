// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import "path"

// A Kernel is a function together with the statement to prove about it.
type Kernel struct {
	File, Func string
	Claim      string   // description for readers
	Variants   []string // values of Case.Variant for Setup; may be empty

	Range      // the lengths that callers may pass
	Loop       // the loop over the length, if any
	Weakenings // assertions that shorten the proof

	// Setup declares the arguments and all memory that the code accesses.
	Setup func(c *Case)

	// Calls, if not nil, replaces Setup when package contracts checks calls.
	Calls func(c *Case)

	// Spec states what memory must hold after n bytes have been processed.
	Spec func(c *Case, n int64, last bool) // if last is false, only what later iterations keep

	// Left, if not nil, checks the bytes passed to Case.Free or Case.Checked.
	Left func(c *Case, s View, n int64) error

	// Unwiped allows the function to leave secrets in its frame.
	Unwiped bool

	// Segments lists parts of the function that are proven once and reused.
	Segments []Kernel
	Segment  // the kernel's code, if the kernel is a segment of another one

	construct func() *Kernel // see Constructed
}

// A Range contains the multiples of Unit from Min to Max.
type Range struct {
	Unit, Min, Max int64                       // Unit is 0 if the function has no length
	Lengths        string                      // description for readers, if lengths are not in bytes
	Given          func(c *Case, n int64) bool // if not nil, reports whether callers pass length n in the case's variant
}

// Lengths selects one or more of the given lengths for a proof.
type Lengths func(given []int64) []int64

// All selects all lengths.
func All(given []int64) []int64 { return given }

// Some selects the first two lengths, the last one and a few others.
func Some(given []int64) (some []int64) {
	step := max(1, len(given)/6)
	for i, n := range given {
		if i < 2 || i == len(given)-1 || i%step == len(given)%step {
			some = append(some, n)
		}
	}
	return some
}

// Few selects the longest length, which leaves the most work after the loop.
func Few(given []int64) []int64 { return given[max(0, len(given)-1):] }

// A Loop describes a loop whose iteration count depends on the length.
type Loop struct {
	Step    int64                      // the number of bytes that one iteration processes
	StepOf  func(variant string) int64 // if not nil, returns a variant's Step
	Reached int64                      // the smallest length that reaches the loop, if not a multiple of Step

	// Advance calls Case.Become for other inputs that change, such as a counter.
	Advance func(c *Case)

	// Invariant, if not nil, returns an assertion that holds before each iteration.
	Invariant func(c *Case) *Assertion // on what earlier iterations change, such as a running hash
}

// Weakenings shorten terms: the proof forgets how asserted words were computed.
type Weakenings struct {
	At     Assertions                       // at labels of different instructions
	Before func(c *Case, s View) *Assertion // before each instruction
	After  func(c *Case, s View) *Assertion // after each instruction
}

// Assertions maps labels to functions that return the assertions at these labels.
type Assertions map[string]func(c *Case, s View) *Assertion

// A Segment is the code between the labels From and To. Its proof assumes that the
// conditions in Setup and Enter hold at From, and shows that the conditions in Spec and
// Exit hold at To. For example, Enter might assert that a register holds the address of
// the message, and Exit might assert that it then holds the address of the next block.
type Segment struct {
	From, To string
	Enter    func(c *Case) *Assertion
	Exit     func(c *Case) *Assertion
}

// Name identifies the kernel by folder and function, so that files can move.
func (k *Kernel) Name() string { return path.Base(path.Dir(k.File)) + " " + k.Func }

// wipes reports whether the function must leave no secret in its frame.
func (k *Kernel) wipes() bool { return !k.Unwiped && k.From == "" }

// Constructed calls list and returns its kernels, for use by several Sessions.
func Constructed(list func() []Kernel) []Kernel {
	kernels := list()
	// Sessions must not share the variables of a kernel's functions.
	for i := range kernels {
		kernels[i].constructedBy(func() *Kernel { return &list()[i] })
	}
	return kernels
}

func (k *Kernel) constructedBy(construct func() *Kernel) {
	k.construct = construct
	for i := range k.Segments {
		k.Segments[i].constructedBy(func() *Kernel { return &construct().Segments[i] })
	}
}

// Own replaces k with a new statement, which the caller may change.
func (k *Kernel) Own() *Kernel {
	*k = *k.fresh()
	k.construct = nil
	return k
}

// fresh constructs k again if Constructed has returned it.
func (k *Kernel) fresh() *Kernel {
	if k.construct == nil {
		return k
	}
	n := k.construct()
	n.constructedBy(k.construct)
	n.Variants = k.Variants
	return n
}

func (k *Kernel) anew(variant string) *Kernel {
	n := k.fresh()
	if n.StepOf != nil {
		n.Step = n.StepOf(variant)
	}
	return n
}

// Sample returns a copy of k with only its first variant, for tests.
func (k *Kernel) Sample() *Kernel {
	sample := *k
	sample.Variants = k.Variants[:min(1, len(k.Variants))]
	return &sample
}

// A Part is a kernel or one of its segments, in one variant.
type Part struct {
	Kernel  *Kernel
	Variant string
}

// First returns the kernel in its first variant.
func (k *Kernel) First() Part { return k.Parts()[len(k.Parts())-max(1, len(k.Variants))] }

// Parts lists the variants of k's segments, followed by those of k.
func (k *Kernel) Parts() (parts []Part) {
	for i := range k.Segments {
		parts = append(parts, k.Segments[i].Parts()...)
	}
	variants := k.Variants
	if len(variants) == 0 {
		variants = []string{""}
	}
	for _, variant := range variants {
		of := k
		if k.StepOf != nil {
			one := *k
			one.Step, of = k.StepOf(variant), &one
		}
		parts = append(parts, Part{of, variant})
	}
	return parts
}
