// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

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
