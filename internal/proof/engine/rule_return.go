// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// prove proves lengths below loop.from one by one, and others with the invariant.
func (r *Session) prove() error {
	k := r.Kernel
	if err := r.cuts(); err != nil {
		return err
	}
	if k.Unit == 0 {
		return r.ways(r.entry, nil, r.stop, func(s *machine.State) error { return r.ends(s, 0) })
	}
	if r.parameter != r.N {
		return r.lengths(r.values(), r.start)
	}
	below := k.Max + 1
	if k.Step > 0 {
		l, err := r.findLoop()
		if err != nil {
			return err
		}
		r.result.Invariant = r.words()
		r.hint = l
		r.begins(l)
		left := k.left(&r.Case, l.from, l.from+k.Step)
		if len(left) == 0 {
			return errors.New("no length remains at the loop's head")
		}
		if err := r.lengths(left, l.head); err != nil {
			return fmt.Errorf("from the loop's head: %w", err)
		}
		below = l.from
	}
	r.begins(nil)
	return r.lengths(slices.Collect(k.given(&r.Case, k.Min, below)), r.start)
}

func (r *Session) ends(s *machine.State, n int64) error {
	r.result.Runs++
	r.given = r.lengthIs(n)
	r.result.ran(s.Visits())
	end := r.leaves
	if r.Kernel.From == "" {
		end = func(s *machine.State) error { return r.arch.End(s, r.entry, r.Fn) }
	}
	err := end(s)
	if err == nil {
		err = r.expect(n, true)
	}
	if err == nil {
		err = r.compare(s)
	}
	if err == nil {
		err = r.remains(s, n)
	}
	if err == nil {
		err = r.observe(s)
	}
	return err
}

func (r *Session) remains(s *machine.State, n int64) error {
	if r.Kernel.Left == nil {
		return nil
	}
	return algebra.Safely(func() error { return r.Kernel.Left(&r.Case, r.view(s), n) })
}

// expect evaluates Spec, which must describe only memory that compare checks.
func (r *Session) expect(n int64, last bool) error {
	r.forget()
	r.more = !last
	if err := machine.Try(func() { r.Kernel.Spec(&r.Case, n, last) }); err != nil {
		return err
	}
	if r.record != nil {
		r.recordWant(n, last)
	}
	for o, want := range r.want {
		if len(want) == 0 {
			continue
		}
		if o.InFrame() || !slices.Contains(r.Objects(), o) {
			return fmt.Errorf("the statement's Spec describes %s, which is not compared", o.Name)
		}
		if !o.Writable {
			return fmt.Errorf("the statement's Spec describes %s, which is read-only", o.Name)
		}
	}
	return nil
}

func (k *Kernel) wipes() bool { return !k.Unwiped && k.Claim != "" }

// compare checks that memory satisfies Spec and that the frame contains no secret.
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
				return fmt.Errorf("the statement's Spec leaves %s[%d] to Left, but the statement has no Left", o.Name, at)
			case want != free && want != checked && want != secret && !r.Same(got, want):
				return r.differs(r.name(In(o, at)), r.Alone(got), r.FormatByte(want))
			}
		}
		for at := range s.Mem.Extent(o) {
			got, stored := s.Mem.Stored(o, at)
			_, said := r.want[o].At(at)
			switch {
			case !stored || said || r.unwritten[got] == In(o, at):
			case !o.InFrame() && got != r.initial(o, at):
				return r.differs(r.name(In(o, at)), r.Alone(got), "it unchanged")
			case o.InFrame() && r.Kernel.wipes() && !r.PublicByte(got):
				return fmt.Errorf("leaves a secret in %s[%d]: %s", o.Name, at, r.FormatByte(got))
			}
		}
	}
	return nil
}

// initial returns a byte's value on entry, for the path's length.
func (r *Session) initial(o *machine.Object, at int64) term.Byte {
	b := o.Initial(at)
	if l := r.head; l != nil && !l.open(In(o, at)) {
		if _, ok := l.perTurn[In(o, at&^7)]; ok { // after iterations, the byte's term is a different one
			b = l.head.Mem.Byte(o, at)
		}
	}
	return r.given.Byte(b)
}

// leaves checks the assertion Exit at the end of a segment.
func (r *Session) leaves(s *machine.State) error {
	if s.Done {
		return errors.New("returns inside a segment")
	}
	if r.Kernel.Exit == nil {
		return nil
	}
	exit := r.Kernel.Exit(&r.Case)
	_, err := r.check(s, exit)
	r.tampered(s, "at the end", exit)
	return err
}
