// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// expect asks the specification. What it says must be of memory that is compared.
func (r *run) expect(n int64, last bool) error {
	r.forget()
	r.Kernel.Spec(&r.Case, n, last)
	if r.outside != nil {
		return r.outside
	}
	for o, want := range r.want {
		if len(want) == 0 {
			continue
		}
		if o == r.frame || !slices.Contains(r.Objects(), o) {
			return fmt.Errorf("the statement says what is in %s, which is not compared", o.Name)
		}
		if !o.Writable {
			return fmt.Errorf("the statement says what is in %s, where nothing may be stored", o.Name)
		}
	}
	return nil
}

// compare has all memory be what the specification says, and as it was elsewhere.
func (r *run) compare(s *machine.State) error {
	for _, o := range s.Mem.Objects() {
		if o == r.frame || !o.Writable || o.Name == "frame" {
			continue
		}
		for at, want := range r.want[o].All() {
			if got := s.Mem.Byte(o, at); want != free && !r.Same(got, want) {
				return fmt.Errorf("%s[%d] is %s, want %s", o.Name, at, r.FormatByte(got), r.FormatByte(want))
			}
		}
		for at := range s.Mem.Extent(o) {
			if _, ok := r.want[o].At(at); ok {
				continue
			}
			if got, ok := s.Mem.Stored(o, at); ok && got != r.initial(o, at) {
				return fmt.Errorf("%s[%d] is %s, want it unchanged", o.Name, at, r.FormatByte(got))
			}
		}
	}
	return nil
}

// wiped has the frame hold no secret. What was in it on entry is not the kernel's.
func (r *run) wiped(s *machine.State) error {
	for _, o := range s.Mem.Objects() {
		if o.Name != r.frame.Name {
			continue
		}
		for at := range s.Mem.Extent(o) {
			if b, ok := s.Mem.Stored(o, at); ok && !r.PublicByte(b) {
				return fmt.Errorf("leaves a secret in %s[%d]: %s", o.Name, at, r.FormatByte(b))
			}
		}
	}
	return nil
}

// initial returns what a byte of memory was when the function was entered, for the length of the run.
func (r *run) initial(o *machine.Object, at int64) term.Byte {
	b := o.Initial(at)
	if r.head != nil && r.head.fits[In(o, at&^7)] {
		b = r.head.head.Mem.Byte(o, at)
	}
	return r.given.Byte(b)
}
