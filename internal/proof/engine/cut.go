// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Cut is a label that every execution passes after the preceding cuts. It ends one
// segment of the function and begins the next. The state at the end of the former is
// compared with the assertion. The latter starts in a state that is built from the
// assertion and the function's inputs alone: registers, flags and the frame are unknown
// unless the assertion states their contents. Other memory is unchanged since entry,
// unless the assertion states what was stored.
type Cut struct {
	At    func(c *Case) string
	Holds func(c *Case) *Assertion

	// Parameter returns an input. The segment that begins here is proven for each value
	// of that input or, if Parameter is nil, for each length.
	Parameter func(c *Case) term.Term
}

// A boundary is an assertion together with facts inferred from the executions that
// arrive there. Each arriving execution is checked against the boundary. The next
// segment starts in a state built from the boundary.
type boundary struct {
	*Assertion
	pc        int
	said      map[Place]bool // bytes
	unchanged []bool         // words of registers that are what they were when the function was entered
	dirty     bool
}

func (r *Session) boundary(pc int, a *Assertion) *boundary {
	b := &boundary{Assertion: a, pc: pc, said: map[Place]bool{}, unchanged: make([]bool, len(r.layout.Of))}
	for _, h := range a.Has {
		if h.Place.Size {
			continue
		}
		for i := range int64(r.Width(h.Term) / 8) {
			b.said[In(h.Place.Object, h.Place.At+i)] = true
		}
	}
	for i := range b.unchanged {
		b.unchanged[i] = true
	}
	return b
}

// arrives compares a whole state with an assertion.
func (r *Session) arrives(s *machine.State, b *boundary) error {
	if _, err := r.check(s, b.Assertion); err != nil {
		return err
	}
	b.dirty = b.dirty || s.Dirty
	for i := range b.unchanged {
		b.unchanged[i] = b.unchanged[i] && s.Word(8*i, 8) == r.entry.Word(8*i, 8)
	}
	for _, o := range s.Mem.Objects() {
		for at := range s.Mem.Extent(o) {
			switch content, stored := s.Mem.Stored(o, at); {
			case !stored || b.said[In(o, at)] || !o.Writable:
			case !o.InFrame():
				return fmt.Errorf("%s is stored, and the cut does not say what", r.name(In(o, at)))
			case r.Kernel.wipes() && !r.PublicByte(content):
				return fmt.Errorf("a secret is in %s, and the cut does not say so", r.name(In(o, at)))
			}
		}
	}
	return nil
}

// build returns the state in which a segment starts. Only what the boundary records is
// known about that state.
func (r *Session) build(b *boundary) *machine.State {
	s := machine.NewState(r.Store, r.layout, r.mem).Clone()
	for i, same := range b.unchanged {
		if same {
			s.SetWord(8*i, r.entry.Word(8*i, 8))
		}
	}
	if aligned := r.frame.AlignedPart(); aligned.Align != 0 {
		s.Mem.SetSize(aligned, r.AddConst(r.mem.Size(r.frame), -uint64(aligned.Align-1)))
	}
	for _, o := range []*machine.Object{r.frame, r.frame.AlignedPart()} {
		for at := range int64(r.Known(s.Mem.Size(o))) {
			type frame struct {
				Place
				pc int
			}
			leaf := term.Once(r.Store, frame{In(o, at), b.pc}, func() term.Term {
				return r.NewLeaf(8, term.LeafInfo{Name: "unknown", Public: r.Kernel.wipes()})
			})
			s.Mem.Put(o, at, term.Byte(leaf<<3))
		}
	}
	for _, h := range b.Has {
		r.set(s, h.Place, h.Term)
	}
	for _, leaf := range b.Unknown {
		s.Assumed[leaf] = true
	}
	s.PC, s.Next, s.Dirty, s.Note = b.pc, b.pc, b.dirty, b.Note
	return s
}

// values returns the values for which a segment is proven: those of its parameter.
func (r *Session) values() []int64 {
	if r.parameter == r.N {
		return slices.Collect(r.Kernel.given(&r.Case, r.Kernel.Min, r.Kernel.Max+1))
	}
	var list []int64
	for v := r.Info(r.parameter).Min; v <= r.Info(r.parameter).Max; v++ {
		list = append(list, int64(v))
	}
	return list
}

// cuts proves all segments of the function but the last one, each for the values of its
// parameter. It sets r.start and r.parameter to the initial state and the parameter of
// the last segment.
func (r *Session) cuts() error {
	k := r.Kernel
	r.start, r.parameter = r.entry, r.N
	if k.Unit > 0 {
		r.Info(r.N).Min = uint64(k.Min) // a proof of a loop has raised it
	}
	if k.Parameter != nil {
		r.parameter = k.Parameter(&r.Case)
		r.start.Length = r.parameter
	}
	for i := range k.Cuts {
		cut := &k.Cuts[i]
		label := cut.At(&r.Case)
		pc, ok := r.Fn.Labels[label]
		if !ok {
			return fmt.Errorf("no label %s", label)
		}
		var b *boundary
		r.begins(nil)
		all := r.values()
		if r.parameter == r.N {
			all = r.Lengths(all)
		}
		err := r.each(all, r.start, pc, func(s *machine.State, v int64) error {
			r.result.ran(s.Visits())
			if s.Done {
				return fmt.Errorf("returns before %s", label)
			}
			if b == nil { // now it is known whether the frame is aligned
				b = r.boundary(pc, cut.Holds(&r.Case))
			}
			r.tampered(s, "at "+label, b.Assertion)
			return r.arrives(s, b)
		})
		if err != nil {
			return fmt.Errorf("up to %s: %w", label, err)
		}
		if b == nil {
			return fmt.Errorf("no run arrives at %s", label)
		}
		r.start, r.parameter = r.build(b), r.N
		if cut.Parameter != nil {
			r.parameter = cut.Parameter(&r.Case)
		}
		r.start.Length = r.parameter
	}
	return nil
}
