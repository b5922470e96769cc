// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import "github.com/unimac/unimac/internal/proof/term"

// Resolve returns the object and the offset of an address.
func (s *State) Resolve(address term.Term) (*Object, int64) {
	t, m := s.T, s.Mem
	if o, ok := m.shared.bases[address]; ok {
		return o, 0
	}
	if t.Op(address) == term.Sum && len(t.Args(address)) == 1 && t.Coef(address, 0) == 1 {
		if o, ok := m.shared.bases[term.Term(t.Args(address)[0])]; ok {
			return o, int64(t.Imm(address))
		}
	}
	if s.Group != nil && t.Op(address) == term.Sum && t.Marked(address) {
		for i, a := range t.Args(address) {
			if o, ok := m.shared.bases[term.Term(a)]; ok && t.Coef(address, i) == 1 {
				if v, ok := s.Value(t.Sub(address, o.Base)); ok {
					return o, int64(v)
				}
			}
		}
	}
	s.Shown(address)
	Fail("the address is in no object: %s", t.Format(address))
	return nil, 0
}

// Shown has an address be one that depends on no secret.
func (s *State) Shown(address term.Term) {
	if !s.T.Public(address) {
		Fail("the address depends on a secret: %s", s.T.Format(address))
	}
}

// check has an access lie inside an object, for all that its size may be.
func (s *State) check(o *Object, offset, size int64, store bool) {
	room, ok := s.RangeOf(s.Mem.Size(o))
	if s.Group != nil && (!ok || offset > room.Min-size) {
		if v, known := s.Value(s.Mem.Size(o)); known {
			room, ok = Range{int64(v), int64(v)}, true
		}
	}
	if offset < 0 || !ok || offset > room.Min-size {
		Fail("%d bytes at %s%+d, which may have only %d", size, o.Name, offset, room.Min)
	}
	if store && !o.Writable {
		Fail("stores to %s", o.Name)
	}
	o.apart(offset, size)
	if s.Mem.Watch != nil {
		s.Mem.Watch(s.Mem, o, offset, size, store)
	}
}

// Load sets dst to the bytes at an address.
func (s *State) Load(dst []term.Byte, address term.Term) {
	o, offset := s.Resolve(address)
	s.check(o, offset, int64(len(dst)), false)
	for i := range dst {
		dst[i] = s.Mem.Byte(o, offset+int64(i))
	}
}

// Store sets the bytes at an address to src.
func (s *State) Store(src []term.Byte, address term.Term) {
	o, offset := s.Resolve(address)
	s.check(o, offset, int64(len(src)), true)
	for i, b := range src {
		s.Mem.Put(o, offset+int64(i), b)
	}
	s.wrote = true
}

// LoadSome is Load of the bytes that are wanted alone: the others are neither read
// nor need they be there. Dst has zeros for them.
func (s *State) LoadSome(dst []term.Byte, address term.Term, wanted func(int) bool) {
	o, offset := s.Resolve(address)
	for i := range dst {
		dst[i] = term.ConstByte(0)
		if wanted(i) {
			s.check(o, offset+int64(i), 1, false)
			dst[i] = s.Mem.Byte(o, offset+int64(i))
		}
	}
}

// StoreSome is Store of the bytes that are wanted alone.
func (s *State) StoreSome(src []term.Byte, address term.Term, wanted func(int) bool) {
	o, offset := s.Resolve(address)
	for i := range src {
		if wanted(i) {
			s.check(o, offset+int64(i), 1, true)
		}
	}
	for i, b := range src {
		if wanted(i) {
			s.Mem.Put(o, offset+int64(i), b)
		}
	}
	s.wrote = true
}

// Aligned fails unless an address is a multiple of align.
func (s *State) Aligned(address term.Term, align int64) {
	if o, offset := s.Resolve(address); o.Align%align != 0 || offset%align != 0 {
		Fail("needs an address that is a multiple of %d: %s%+d", align, o.Name, offset)
	}
}

// AlignDown returns address & -align where that rounds the base of an object up:
// address is the base and align - 1. The result is the base of an object of its own,
// align - 1 bytes shorter, which begins up to so many bytes after the first: so a
// proof is for every alignment. Apart checks that the two stay out of each other.
func (s *State) AlignDown(address term.Term, align int64) (term.Term, bool) {
	if align&(align-1) != 0 || s.T.Op(address) != term.Sum {
		return 0, false
	}
	o, ok := s.Mem.shared.bases[term.Term(s.T.Args(address)[0])]
	if !ok || len(s.T.Args(address)) != 1 || s.T.Coef(address, 0) != 1 || s.T.Imm(address) != uint64(align-1) {
		return 0, false
	}
	a := o.aligned
	if a == nil {
		a = &Object{Name: o.Name, Align: align, Writable: o.Writable, Public: o.Public, whole: o}
		s.Mem.Add(a, s.T.Const(64, 0))
		o.aligned = a
	}
	if a.Align != align {
		Fail("aligns %s in two ways", o.Name)
	}
	s.Mem.SetSize(a, s.T.AddConst(s.Mem.Size(o), -uint64(align-1)))
	return a.Base, true
}

// apart fails if an object's bytes, and those that are addressed by its aligned part,
// might be the same: the part must end below the lowest byte of the others, for
// every alignment, in all runs.
func (o *Object) apart(offset, size int64) {
	whole, part := o, o.aligned
	if o.whole != nil {
		whole, part = o.whole, o
		part.end = max(part.end, offset+size)
	} else {
		o.low = min(o.low, offset)
	}
	if part != nil && part.end+part.Align-1 > whole.low {
		Fail("%s is used by two addresses", o.Name)
	}
}
