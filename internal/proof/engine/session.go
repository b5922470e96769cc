// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func (k *Kernel) wrap(variant string, err error) error {
	if variant != "" {
		err = fmt.Errorf("%s: %w", variant, err)
	}
	return fmt.Errorf("%s: %w", k.Func, err)
}

// Prove proves the claim.
func (r *Session) Prove(which Lengths) (Result, error) {
	r.choose(which)
	if err := r.prove(); err != nil {
		return r.result, r.Kernel.wrap(r.Variant, err)
	}
	if r.Kernel.From != "" {
		r.written.reached = r.result.Reached
		r.segments[[2]string{r.Kernel.From, r.Variant}] = r.written
	}
	return r.result, nil
}

// Direct proves one length from the beginning of the function, without the loop's
// invariant.
func (r *Session) Direct(n int64) error {
	r.choose(All)
	if err := r.cuts(); err != nil {
		return err
	}
	return r.lengths([]int64{n}, r.start)
}

// ErrForm says that a changed instruction has no meaning.
var ErrForm = errors.New("no such instruction")

// Try proves the claim for a function that differs from the session's function at most
// in instructions i and i + 1.
func (r *Session) Try(i int, fn *asm.Func, which Lengths) error {
	ops := slices.Clone(r.program.Ops)
	for j := i; j < min(i+2, len(ops)); j++ {
		one := *fn
		one.Code = fn.Code[j : j+1]
		p, err := r.arch.Compile(&one, r.env)
		if err != nil {
			return ErrForm
		}
		ops[j] = p.Ops[0]
	}
	defer r.mem.Forget()()
	defer func(ops []machine.Op, fn *asm.Func, segments Segments) {
		r.program.Ops, r.Fn, r.segments = ops, fn, segments
	}(r.program.Ops, r.Fn, r.segments)
	r.program.Ops, r.Fn, r.segments = ops, fn, r.segments.without(i)
	_, err := r.Prove(which)
	return err
}

// expect evaluates the specification. It returns an error if Spec describes memory that
// is not compared or not writable.
func (r *Session) expect(n int64, last bool) error {
	r.forget()
	r.more = !last
	if err := machine.Try(func() { r.Kernel.Spec(&r.Case, n, last) }); err != nil {
		return err
	}
	if r.record != nil {
		r.record.want(r.want, n, last)
	}
	for o, want := range r.want {
		if len(want) == 0 {
			continue
		}
		if o.InFrame() || !slices.Contains(r.Objects(), o) {
			return fmt.Errorf("the statement says what is in %s, which is not compared", o.Name)
		}
		if !o.Writable {
			return fmt.Errorf("the statement says what is in %s, where nothing may be stored", o.Name)
		}
	}
	return nil
}

// wipes reports whether the frame must contain no secret on return. For a segment,
// which has no Claim, nothing is shown.
func (k *Kernel) wipes() bool { return !k.Unwiped && k.Claim != "" }

// compare checks that all memory has the contents that the specification states, and is
// unchanged elsewhere. If the statement requires it, compare also checks that the frame
// contains no secret. Frame bytes that were never stored do not count, because their
// contents on entry are not the kernel's.
func (r *Session) compare(s *machine.State) error {
	for _, o := range s.Mem.Objects() {
		if !o.Writable {
			continue
		}
		for at, want := range r.want[o].All() {
			got := s.Mem.Byte(o, at)
			switch {
			case want == free && !r.PublicByte(got):
				return fmt.Errorf("leaves a secret in %s[%d]: %s", o.Name, at, r.FormatByte(got))
			case want == checked && r.Kernel.Left == nil:
				return fmt.Errorf("nothing checks %s[%d]", o.Name, at)
			case want != free && want != checked && want != secret && !r.Same(got, want):
				return r.differs(r.name(In(o, at)), r.Alone(got), r.FormatByte(want))
			}
		}
		for at := range s.Mem.Extent(o) {
			got, stored := s.Mem.Stored(o, at)
			_, said := r.want[o].At(at)
			switch {
			case !stored || said:
			case !o.InFrame() && got != r.initial(o, at):
				return r.differs(r.name(In(o, at)), r.Alone(got), "it unchanged")
			case o.InFrame() && r.Kernel.wipes() && !r.PublicByte(got):
				return fmt.Errorf("leaves a secret in %s[%d]: %s", o.Name, at, r.FormatByte(got))
			}
		}
	}
	return nil
}

// initial returns the value that a byte of memory had when the function was entered,
// for the length of the run.
func (r *Session) initial(o *machine.Object, at int64) term.Byte {
	b := o.Initial(at)
	if r.head != nil && r.head.fits[In(o, at&^7)] {
		b = r.head.head.Mem.Byte(o, at)
	}
	return r.given.Byte(b)
}

// segment makes the run one of a segment.
func (r *Session) segment() error {
	from, ok1 := r.Fn.Labels[r.Kernel.From]
	to, ok2 := r.Fn.Labels[r.Kernel.To]
	if !ok1 || !ok2 {
		return fmt.Errorf("no segment from %s to %s", r.Kernel.From, r.Kernel.To)
	}
	r.entry.PC, r.entry.Next, r.stop = from, from, to
	r.program.Ops[to] = func(*machine.State) { machine.Fail("leaves the segment") }
	r.assume(r.entry, r.Kernel.Enter(&r.Case), nil)
	r.written = r.newWritten()
	return nil
}

// leaves checks that a segment ends at its label and that its Exit holds there.
func (r *Session) leaves(s *machine.State) error {
	if s.Done {
		return errors.New("returns from a segment")
	}
	if r.Kernel.Exit == nil {
		return nil
	}
	exit := r.Kernel.Exit(&r.Case)
	_, err := r.check(s, exit)
	r.tampered(s, "at the end", exit)
	return err
}
