// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"cmp"

	"github.com/unimac/unimac/internal/proof/term"
)

// A Place is a register or a memory location.
type Place struct {
	Object *Object // nil for registers
	At     int64   // an offset in the object or in the registers
}

// A Has states the term that a place contains.
type Has struct {
	Place Place
	Term  term.Term
}

// Has returns the statement that the place contains t.
func (p Place) Has(t term.Term) Has { return Has{p, t} }

// Compare orders places by object and offset. Registers are first.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Object.order(), q.Object.order()), cmp.Compare(p.At, q.At))
}

func (o *Object) order() int {
	if o == nil {
		return -1
	}
	return o.number
}

// Get returns the width bits that a place contains.
func (s *State) Get(p Place, width int) term.Term {
	switch {
	case p.Object == nil:
		return s.Word(int(p.At), width/8)
	case p.At < 0:
		Fail("%s%+d is before the start of the object", p.Object.Name, p.At)
	}
	b := make([]term.Byte, width/8)
	for i := range b {
		b[i] = s.Mem.Byte(p.Object, p.At+int64(i))
	}
	return s.T.Gather(b)
}

// Set puts t in place p.
func (s *State) Set(p Place, t term.Term) {
	if p.Object == nil {
		s.SetWord(int(p.At), t)
		return
	}
	b := make([]term.Byte, s.T.Width(t)/8)
	s.T.Bytes(b, t)
	for i := range b {
		s.Mem.Put(p.Object, p.At+int64(i), b[i])
	}
}
