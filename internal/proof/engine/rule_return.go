// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// prove proves lengths below loop.from one by one, and others with the invariant.
func (r *Session) prove() {
	r.cuts()
	below := r.Kernel.Max + 1
	if r.parameter == r.N && r.Kernel.Step > 0 {
		l := r.findLoop()
		refuse(!l.stable, "a turn does not preserve the invariant")
		r.begins(l)
		left := r.left(l.from)
		refuse(len(left) == 0, "no length remains at the loop's head")
		r.each(r.Lengths(left), l.head, r.stop, r.ends)
		below = l.from
	}
	r.begins(nil)
	r.each(r.values(below), r.start, r.stop, r.ends)
}

// ends checks a state in which the function returns or a segment ends.
func (r *Session) ends(s *machine.State, n int64) {
	k := r.Kernel
	r.result.Runs++
	switch {
	case k.From == "":
		must(r.arch.End(s, r.entry, r.Fn))
	case s.Done:
		machine.Fail("returns inside a segment")
	case k.Exit != nil:
		exit := k.Exit(&r.Case)
		r.check(s, exit)
		r.tampered(s, "at the end", exit)
	}
	r.expect(n, true)
	r.compare(s, n)
	if k.Left != nil {
		must(algebra.Safely(func() error { return k.Left(&r.Case, r.view(s), n) }))
	}
	r.observe(s, r.written)
}

// expect evaluates Spec, which must describe only memory that compare checks.
func (r *Session) expect(n int64, last bool) {
	r.forgetSpec()
	r.more = !last
	r.Kernel.Spec(&r.Case, n, last)
	r.recordWant(n, last)
	for o, want := range r.want {
		refuse(len(want) > 0 && (o.InFrame() || !o.Writable || !slices.Contains(r.Objects(), o)), "the statement's Spec describes %s, which is read-only or not compared", o.Name)
	}
}

// compare checks the memory at the end of a path against Spec.
func (r *Session) compare(s *machine.State, n int64) {
	for _, o := range s.Mem.Objects() {
		if !o.Writable {
			continue
		}
		for at := range max(s.Mem.Extent(o), int64(len(r.want[o]))) {
			want, stated := r.want[o].At(at)
			if _, stored := s.Mem.Stored(o, at); !stored && !stated {
				continue
			}
			p, got := In(o, at), s.Mem.Byte(o, at)
			if !stated && !o.InFrame() {
				want = r.initial(p, n)
			}
			switch {
			case want == secret || want == checked:
			case want == free || !stated && o.InFrame():
				if (stated || r.Kernel.wipes()) && !r.PublicByte(got) {
					machine.Fail("leaves a secret in %s: %s", r.name(p), r.FormatByte(got))
				}
			case !r.Same(got, want):
				machine.Fail("%v", r.differs(r.name(p), r.Alone(got), r.FormatByte(want)))
			}
		}
	}
}

// initial returns a byte's value on entry, for the path's length.
func (r *Session) initial(p Place, n int64) term.Byte {
	b := p.Object.Initial(p.At)
	if l := r.head; l != nil && l.perTurn[In(p.Object, p.At&^7)] != 0 { // after iterations, the byte's term is a different one
		b = l.head.Mem.Byte(p.Object, p.At)
	}
	return r.lengthIs(n).Byte(b)
}
