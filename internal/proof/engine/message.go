// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func (c *Case) name(p Place) string {
	if p.Object == nil {
		return c.layout.Name(int(p.At))
	}
	return fmt.Sprintf("%s[%d]", p.Object.Name, p.At)
}

// refuse is like machine.Refuse, but formats terms only if it fails.
func (c *Case) refuse(wrong bool, format string, terms ...term.Term) {
	if wrong {
		var args []any
		for _, t := range terms {
			args = append(args, c.Format(t))
		}
		machine.Fail(format, args...)
	}
}

// tampered lets Unclaimed try other values in the places of an assertion.
func (r *Session) tampered(s *machine.State, where string, a *Assertion, look func(*Case, View) *Assertion) {
	if r.tamper == nil || a.NextInstruction { // the next instruction uses only what the assertion proposes
		return
	}
	r.tamper(s, where, a, func(other *machine.State) error {
		again := a
		if look != nil {
			again = look(&r.Case, r.view(other))
		}
		if again == nil {
			return errors.New("no assertion")
		}
		return machine.Try(func() { r.check(other, r.entry, again) })
	})
}

// with adds to an error where a path began and for which length.
func (r *Session) with(n int64, err error) error {
	if err == nil {
		return nil
	}
	if r.Kernel.Unit > 0 {
		err = fmt.Errorf("%d bytes: %w", n, err)
	}
	if r.head != nil {
		err = fmt.Errorf("from the loop's head: %w", err)
	}
	return err
}

// explained adds to an error the length and why a term is unknown.
func (r *Session) explained(s *machine.State, err error) error {
	if fault, ok := errors.AsType[machine.Fault](err); ok && fault.Of != 0 {
		if why := r.forgotten(fault.Of); why != "" {
			err = fmt.Errorf("line %d: %s", r.program.Lines[s.PC], why)
		}
	}
	if s.Group != nil && err != nil {
		err = r.with(s.Group.Lengths[0], err)
	}
	return err
}

// forgotten explains why t is unknown, if the loop's head forgets it.
func (c *Case) forgotten(t term.Term) (why string) {
	if c.head == nil {
		return ""
	}
	places := map[term.Term]Place{}
	for p := range c.head.lost {
		places[c.unknown(c.head.iterations, p)] = p
	}
	for _, leaf := range c.leavesOf(t) {
		if p, ok := places[leaf]; ok {
			name := c.name(p)
			if p.Object == nil {
				name = c.layout.Of[p.At/8]
			}
			return fmt.Sprintf("%s is unknown at the loop's head (line %d): state it in an Invariant", name, c.Fn.Code[c.head.pc].Line)
		}
	}
	return ""
}

func (c *Case) differs(place string, got term.Term, want string) error {
	if why := c.forgotten(got); why != "" {
		return fmt.Errorf("%s: %s", place, why)
	}
	return fmt.Errorf("%s is %s, want %s", place, c.Format(got), want)
}

func (k *Kernel) wrap(variant string, err error) error {
	if variant != "" {
		err = fmt.Errorf("%s: %w", variant, err)
	}
	return fmt.Errorf("%s: %w", k.Func, err)
}
