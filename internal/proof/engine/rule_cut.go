// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A boundary summarizes the paths to a cut for the segment that starts there.
type boundary struct {
	*Assertion
	pc        int
	said      map[Place]bool // bytes that the assertion mentions
	unchanged []bool         // register words that are the same as on entry on all paths
	written   map[Place]bool // frame bytes that all paths have stored
	dirty     bool
}

func (r *Session) boundary(pc int, a *Assertion) *boundary {
	b := &boundary{Assertion: a, pc: pc, said: r.places(a), unchanged: make([]bool, len(r.layout.Of))}
	for i := range b.unchanged {
		b.unchanged[i] = true
	}
	return b
}

func (c *Case) places(a *Assertion) map[Place]bool {
	said := map[Place]bool{}
	for _, h := range a.Has {
		for i := int64(0); !h.Place.Size && i < int64(c.Width(h.Term)/8); i++ {
			said[In(h.Place.Object, h.Place.At+i)] = true
		}
	}
	return said
}

// arrives compares the whole state of an arriving path with the boundary.
func (r *Session) arrives(s *machine.State, b *boundary) error {
	if _, err := r.check(s, b.Assertion); err != nil {
		return err
	}
	b.dirty = b.dirty || s.Dirty
	for i := range b.unchanged {
		b.unchanged[i] = b.unchanged[i] && s.Word(8*i, 8) == r.entry.Word(8*i, 8)
	}
	written := map[Place]bool{}
	for _, o := range s.Mem.Objects() {
		for at := range s.Mem.Extent(o) {
			content, stored := s.Mem.Stored(o, at)
			if !stored || !o.Writable || r.unwritten[content] == In(o, at) {
				continue
			}
			written[In(o, at)] = o.InFrame()
			switch {
			case b.said[In(o, at)]:
			case !o.InFrame():
				return fmt.Errorf("%s is stored, but the cut's assertion does not mention it", r.name(In(o, at)))
			case r.Kernel.wipes() && !r.PublicByte(content):
				return fmt.Errorf("%s contains a secret that the cut's assertion does not mention", r.name(In(o, at)))
			}
		}
	}
	if b.written == nil {
		b.written = written
	}
	maps.DeleteFunc(b.written, func(p Place, _ bool) bool { return !written[p] })
	return nil
}

// build returns a state with the known bytes. All other memory is as it was on entry.
func (r *Session) build(pc int, known map[Place]term.Byte, dirty bool) *machine.State {
	s := machine.NewState(r.Store, r.layout, r.mem).Clone()
	for p, b := range known {
		put(s, p, b)
	}
	s.PC, s.Next, s.Dirty = pc, pc, dirty
	return s
}

func put(s *machine.State, p Place, b term.Byte) {
	if p.Object == nil {
		s.Regs[p.At] = b
	} else {
		s.Mem.Put(p.Object, p.At, b)
	}
}

func (r *Session) next(b *boundary) *machine.State {
	known := map[Place]term.Byte{}
	for i, same := range b.unchanged {
		for at := 8 * i; same && at < 8*i+8; at++ {
			known[InRegisters(at)] = r.entry.Regs[at]
		}
	}
	whole, aligned := r.frame, r.frame.AlignedPart()
	sizes := []term.Term{r.mem.Size(whole), r.mem.Size(aligned)}
	if aligned.Align != 0 {
		sizes[1] = r.AddConst(sizes[0], -uint64(aligned.Align-1))
	}
	for i, o := range []*machine.Object{whole, aligned} {
		for at := range int64(r.Known(sizes[i])) {
			type frame struct {
				Place
				pc      int
				written bool
			}
			p, written := In(o, at), b.written[In(o, at)]
			known[p] = term.Byte(term.Once(r.Store, frame{p, b.pc, written}, func() term.Term {
				return r.NewLeaf(8, term.LeafInfo{Name: "unknown", Public: r.Kernel.wipes() && written})
			}) << 3)
			if !written {
				r.unwritten[known[p]] = p
			}
		}
	}
	s := r.build(b.pc, known, b.dirty)
	s.Mem.SetSize(aligned, sizes[1])
	for _, h := range b.Has {
		r.set(s, h.Place, h.Term)
	}
	for _, leaf := range b.Unknown {
		s.Assumed[leaf] = true
	}
	s.Note = b.Note
	return s
}

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

// cuts proves every segment except the last, which it prepares.
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
			if b == nil { // only now is it known whether the frame is aligned
				b = r.boundary(pc, cut.Holds(&r.Case))
			}
			r.tampered(s, "at "+label, b.Assertion)
			return r.arrives(s, b)
		})
		if err != nil {
			return fmt.Errorf("up to %s: %w", label, err)
		}
		if b == nil {
			return fmt.Errorf("no run reaches %s", label)
		}
		r.start, r.parameter = r.next(b), r.N
		if cut.Parameter != nil {
			r.parameter = cut.Parameter(&r.Case)
		}
		r.start.Length = r.parameter
	}
	return nil
}
