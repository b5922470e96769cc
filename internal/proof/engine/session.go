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
	return r.result, nil
}

// Direct proves one length from the beginning on, without the loop's invariant.
func (r *Session) Direct(n int64) error {
	r.choose(All)
	return r.lengths(n, n+1, r.entry)
}

// ErrForm says that a changed instruction has no meaning.
var ErrForm = errors.New("no such instruction")

// Try proves the claim for a function that differs from the session's in instructions i and i + 1 at most.
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
	defer func(ops []machine.Op, fn *asm.Func) { r.program.Ops, r.Fn = ops, fn }(r.program.Ops, r.Fn)
	r.program.Ops, r.Fn = ops, fn
	_, err := r.Prove(which)
	return err
}

// expect asks the specification. What it says must be of memory that is compared.
func (r *Session) expect(n int64, last bool) error {
	r.forget()
	r.more = !last
	if err := machine.Try(func() { r.Kernel.Spec(&r.Case, n, last) }); err != nil {
		return err
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

// wipes reports whether the frame must hold no secret at the end. Of a section, which has no claim, nothing is shown.
func (k *Kernel) wipes() bool { return !k.Unwiped && k.Claim != "" }

// compare has all memory be what the specification says, and as it was elsewhere; and the frame have no secret, if
// the statement says so. What was in it on entry is not the kernel's.
func (r *Session) compare(s *machine.State) error {
	for _, o := range s.Mem.Objects() {
		if !o.Writable {
			continue
		}
		for at, want := range r.want[o].All() {
			if got := s.Mem.Byte(o, at); want != free && !r.Same(got, want) {
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

// initial returns what a byte of memory was when the function was entered, for the length of the run.
func (r *Session) initial(o *machine.Object, at int64) term.Byte {
	b := o.Initial(at)
	if r.head != nil && r.head.fits[In(o, at&^7)] {
		b = r.head.head.Mem.Byte(o, at)
	}
	return r.given.Byte(b)
}

// section makes the run one of a section.
func (r *Session) section() error {
	from, ok1 := r.Fn.Labels[r.Kernel.From]
	to, ok2 := r.Fn.Labels[r.Kernel.To]
	if !ok1 || !ok2 {
		return fmt.Errorf("no section from %s to %s", r.Kernel.From, r.Kernel.To)
	}
	r.entry.PC, r.entry.Next, r.stop = from, from, to
	r.program.Ops[to] = func(*machine.State) { machine.Fail("leaves the section") }
	r.assume(r.entry, r.Kernel.Enter(&r.Case), nil)
	return nil
}

// left checks how a section is left: at its end, with the registers as they were but
// those that it may change, and the frame as well.
func (r *Session) left(s *machine.State) error {
	if s.Done {
		return errors.New("returns from a section")
	}
	if s.Dirty && !r.Kernel.vectors() {
		return errors.New("upper halves of vectors are used")
	}
	for i, name := range r.layout.Of {
		if !slices.Contains(r.Kernel.Changes, name) && s.Word(8*i, 8) != r.entry.Word(8*i, 8) {
			return fmt.Errorf("%s is changed", name)
		}
	}
	for at := range s.Mem.Extent(r.frame) {
		if b := s.Mem.Byte(r.frame, at); b != r.entry.Mem.Byte(r.frame, at) && !slices.Contains(r.Kernel.Scratch, at&^7) {
			return fmt.Errorf("the frame is changed at %d", at)
		}
	}
	return nil
}

// vectors reports whether a section may change vectors, and need VZEROUPPER.
func (k *Kernel) vectors() bool {
	return !k.Narrow && slices.ContainsFunc(k.Changes, func(name string) bool { return name[0] == 'Z' })
}
