// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// shorter has what is left of every object, for the rest of the work, be in the object. Sizes
// are multiples of the length, and constants.
func (r *run) shorter(s *machine.State, l *loop) error {
	for _, n := range []int64{l.from + r.Kernel.Step, r.Kernel.Max} {
		for _, o := range s.Mem.Objects() {
			size, rest := r.sizeFor(s, o, n), r.sizeFor(s, o, n-r.Kernel.Step)
			if by := r.moves[o]; by < 0 || rest < 0 || rest > size-by {
				return fmt.Errorf("the rest of %s has %d bytes from byte %d of %d on", o.Name, rest, by, size)
			}
		}
	}
	return nil
}

// sizeFor returns the size of an object for a length, or -1 if it depends on something else.
func (r *run) sizeFor(s *machine.State, o *machine.Object, n int64) int64 {
	size, ok := r.At(s.Mem.Size(o), r.N, uint64(n))
	if !ok {
		return -1
	}
	return int64(size)
}

// arrived returns a word of memory at the loop's head, if nobody has stored to it.
func (r *run) arrived(l *loop, o *machine.Object, at int64) (term.Term, bool) {
	var b [8]term.Byte
	for i := range int64(8) {
		if _, stored := l.head.Mem.Stored(o, at+i); stored {
			return 0, false
		}
		b[i] = l.head.Mem.Byte(o, at+i)
	}
	return r.Gather(b[:]), true
}

// fitMemory is fit for a word of memory that nobody has stored to.
func (r *run) fitMemory(l *loop, s *machine.State, o *machine.Object, at int64, next *term.Substitution) bool {
	head, ok := r.arrived(l, o, at)
	if !ok {
		return false
	}
	var got [8]term.Byte
	for i := range got {
		got[i] = s.Mem.Byte(o, at+int64(i))
		if got[i] != l.head.Mem.Byte(o, at+int64(i)) {
			return false // it is to be what it was on entry
		}
	}
	by, ok := r.apart(head, r.Gather(got[:]), next)
	if ok {
		r.dependent(l, o, at, head, by)
	}
	return ok
}

// dependent adds a multiple of the number of turns to a word of memory.
func (r *run) dependent(l *loop, o *machine.Object, at int64, head term.Term, by uint64) {
	var b [8]term.Byte
	r.Store.Bytes(b[:], r.Add(head, r.Scale(l.turns, by)))
	if l.entry[o] == nil {
		l.entry[o] = map[int64]uint64{}
	}
	for i, b := range b {
		l.entry[o][at+int64(i)] = by
		l.head.Mem.Put(o, at+int64(i), b)
	}
}

// hide makes a byte of memory unknown.
func (r *run) hide(l *loop, o *machine.Object, at int64) {
	if l.hidden[o] == nil {
		l.hidden[o] = map[int64]bool{}
	}
	l.hidden[o][at] = true
	l.head.Mem.Put(o, at, term.Byte(r.Unknown(8)<<3))
}

// memory compares the memory after a turn with the invariant, and what the turn has
// finished with the specification.
func (r *run) memory(l *loop, s *machine.State, next *term.Substitution) (stable bool, err error) {
	stable = true
	for _, o := range s.Mem.Objects() {
		by := r.moves[o]
		for at := range by {
			got, stored := s.Mem.Stored(o, at)
			want, expected := r.want[o].At(at)
			if o.Writable && !expected {
				return false, fmt.Errorf("nothing is said of what a turn leaves in %s[%d]", o.Name, at)
			}
			if expected && want != free && !r.Same(s.Mem.Byte(o, at), want) || stored && !expected && got != o.Initial(at) {
				return false, fmt.Errorf("a turn leaves in %s[%d] %s, want %s", o.Name, at, r.FormatByte(s.Mem.Byte(o, at)), r.FormatByte(want))
			}
		}
		for at := range r.want[o].All() {
			if at >= by || at >= s.Mem.Extent(o) {
				return false, fmt.Errorf("a turn does not finish %s[%d]", o.Name, at)
			}
		}
		end := max(s.Mem.Extent(o)-by, l.head.Mem.Extent(o), o.Known()-by)
		for at := range o.Fixed() {
			end = max(end, at+1-by)
		}
		for at := range max(end, 0) {
			if l.hidden[o][at] || l.cells[o][at] {
				continue
			}
			if _, fits := l.entry[o][at]; at%8 != 0 && fits && !stable {
				continue // its word was fitted just now
			}
			want := next.Byte(l.head.Mem.Byte(o, at))
			if r.Same(s.Mem.Byte(o, at+by), want) {
				continue
			}
			if by != 0 {
				return false, fmt.Errorf("after a turn %s[%d] is %s, for the invariant it is %s", o.Name, at+by, r.FormatByte(s.Mem.Byte(o, at+by)), r.FormatByte(want))
			}
			stable = false
			if r.fitMemory(l, s, o, at&^7, next) { // its lower bytes may be the same
				continue
			}
			r.hide(l, o, at)
		}
	}
	return stable, nil
}
