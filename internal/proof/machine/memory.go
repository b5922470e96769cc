// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"fmt"
	"math"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

// An Object is a region of memory that a function uses: a buffer, the stack frame or
// static data. Proofs assume that Objects don't overlap, that every Object ends below
// address 2^63, and that only an empty Object can be at address 0. An Object that is always
// empty may have any address.
type Object struct {
	Name     string
	Base     term.Term
	Align    int64 // the base is a multiple of Align
	Writable bool
	Public   bool                // the initial contents are not secret
	number   int                 // the index in Memory.objects
	memory   *Memory             // to which the object was added
	initial  []term.Byte         // initial bytes, from Set or Initial
	fixed    map[int64]term.Byte // initial bytes from Set, by offset
	sealed   bool                // Set must not be called
	used     span                // range of accessed bytes
}

type span struct{ low, end int64 }

// unset marks a byte that has no value yet.
const unset = ^term.Byte(0)

// Memory contains all objects and their contents.
type Memory struct {
	t       *term.Store
	objects []*Object
	frame   *Object // the whole frame, if any
	aligned *Object // the aligned part of the frame
	bases   map[term.Term]*Object
	origins map[term.Term]Place // of the initial bytes that leaves represent
	content [][]term.Byte       // stored bytes, by object and offset
	sizes   []term.Term
	given   *term.Substitution // replaces known inputs in the initial contents

	// Watch, if not nil, is called before each access.
	Watch func(m *Memory, o *Object, offset, size int64, store bool)
}

// NewMemory returns memory without objects.
func NewMemory(t *term.Store) *Memory {
	return &Memory{t: t, bases: map[term.Term]*Object{}, origins: map[term.Term]Place{}, given: t.Replace(nil)}
}

// Add gives o a size and a new base address, and returns o.
func (m *Memory) Add(o *Object, size term.Term) *Object {
	o.Base = m.t.NewLeaf(64, term.LeafInfo{Name: o.Name, Public: true})
	o.number, o.memory, o.fixed, o.used = len(m.objects), m, map[int64]term.Byte{}, span{low: math.MaxInt64}
	m.objects, m.content, m.sizes = append(m.objects, o), append(m.content, nil), append(m.sizes, size)
	m.bases[o.Base] = o
	m.Resize(o, size)
	return o
}

// Resize changes the initial size of an object.
func (m *Memory) Resize(o *Object, size term.Term) {
	m.sizes[o.number] = size
	info := m.t.Info(o.Base)
	info.Min, info.Max = 0, math.MaxInt64
	if n, ok := m.t.IsConst(size); ok && n > 0 {
		info.Min = 1
	} else if ok {
		info.Max = math.MaxUint64
	}
}

// AddFrame adds a function's frame and its aligned part (see State.AlignDown).
func (m *Memory) AddFrame(size term.Term) *Object {
	m.frame = m.Add(&Object{Name: "frame", Align: 8, Writable: true}, size)
	m.aligned = m.Add(&Object{Name: "aligned frame", Writable: true}, m.t.Const(64, 0))
	return m.frame
}

// InFrame reports whether o is the stack frame or its aligned part.
func (o *Object) InFrame() bool { return o == o.memory.frame || o == o.memory.aligned }

// Objects returns all objects in the order in which they were added.
func (m *Memory) Objects() []*Object { return m.objects }

// Size returns the size of an object.
func (m *Memory) Size(o *Object) term.Term { return m.sizes[o.number] }

func (m *Memory) clone() *Memory {
	c := *m
	c.sizes, c.content = slices.Clone(m.sizes), slices.Clone(m.content)
	for i, b := range m.content {
		c.content[i] = slices.Clone(b)
	}
	return &c
}

// Initial returns the initial value of a byte of the object.
func (o *Object) Initial(offset int64) term.Byte {
	if offset >= int64(len(o.initial)) || o.initial[offset] == unset {
		leaf := o.memory.t.NewLeaf(8, term.LeafInfo{Name: fmt.Sprintf("%s[%d]", o.Name, offset), Public: o.Public})
		o.memory.origins[leaf] = Place{o, offset}
		o.initial = put(o.initial, offset, term.Byte(leaf<<3))
	}
	return o.initial[offset]
}

// put stores b in list, which it extends if necessary.
func put(list []term.Byte, offset int64, b term.Byte) []term.Byte {
	for int64(len(list)) <= offset {
		list = append(list, unset)
	}
	list[offset] = b
	return list
}

// Load returns size bytes of o's initial contents as one term.
func (o *Object) Load(offset int64, size int) term.Term {
	var b [8]term.Byte
	for i := range size {
		b[i] = o.Initial(offset + int64(i))
	}
	return o.memory.t.Gather(b[:size])
}

// Known returns an upper bound for the offsets at which Set or Initial was called.
func (o *Object) Known() int64 { return int64(len(o.initial)) }

// Stated returns the end of the bytes given by Set.
func (o *Object) Stated() (end int64) {
	for at := range o.fixed {
		end = max(end, at+1)
	}
	return end
}

// Words returns count words of o's initial contents. For example, Words(0, 3, 8, 4)
// returns o[0:4], o[8:12] and o[16:20] as terms.
func (o *Object) Words(offset int64, count int, stride int64, size int) (words []term.Term) {
	for i := range int64(count) {
		words = append(words, o.Load(offset+stride*i, size))
	}
	return words
}

// Set states that an object initially contains the given terms, starting at offset.
func (o *Object) Set(offset int64, terms ...term.Term) {
	if o.sealed {
		panic("machine: " + o.Name + " is set after Setup")
	}
	for _, t := range terms {
		var b [8]term.Byte
		o.memory.t.Bytes(b[:], t)
		for _, x := range b[:o.memory.t.Width(t)/8] {
			o.fixed[offset], o.initial = x, put(o.initial, offset, x)
			offset++
		}
	}
}

// Aligned returns the aligned part of the frame o, if any, otherwise o.
func (o *Object) Aligned() *Object {
	if a := o.memory.aligned; a.Align > 0 {
		return a
	}
	return o
}

// AlignedPart returns the frame's aligned part, even if State.AlignDown was not called.
func (o *Object) AlignedPart() *Object { return o.memory.aligned }

// Used returns the range of offsets that covers all accesses to o.
func (o *Object) Used() (low, end int64) { return o.used.low, o.used.end }

// Use records an access to o[low:end].
func (o *Object) Use(low, end int64) {
	o.used = span{min(o.used.low, low), max(o.used.end, end)}
	// The aligned part starts up to Align-1 bytes above the frame's base.
	if m := o.memory; m.frame != nil && m.aligned.used.end+m.aligned.Align-1 > m.frame.used.low {
		Fail("accesses to the aligned frame and to the whole frame may overlap")
	}
}

// Inputs returns the inputs in object sizes and declared contents, which it freezes.
func (m *Memory) Inputs() map[term.Term]bool {
	leaves := map[term.Term]bool{}
	u := m.t.Substitute(func(leaf term.Term) term.Term {
		leaves[leaf] = true
		return leaf
	})
	for _, o := range m.objects {
		o.sealed = true
		u.Term(m.Size(o))
		for _, b := range o.fixed {
			u.Byte(b)
		}
	}
	return leaves
}

// Fixed returns the bytes declared by Set, by offset, as a read-only map.
func (o *Object) Fixed() map[int64]term.Byte { return o.fixed }

// Origin returns the place whose initial byte leaf represents. Without such a place, it
// returns Place{}.
func (m *Memory) Origin(leaf term.Term) Place { return m.origins[leaf] }

// Address reports whether leaf is the base address of an object.
func (m *Memory) Address(leaf term.Term) bool { return m.bases[leaf] != nil }

// Byte returns the current value of a byte of an object.
func (m *Memory) Byte(o *Object, offset int64) term.Byte {
	if b, ok := m.Stored(o, offset); ok {
		return b
	}
	return m.Given(o.Initial(offset))
}

// Given replaces inputs that are known, such as the length, in a byte.
func (m *Memory) Given(b term.Byte) term.Byte { return m.given.Byte(b) }

// Stored returns the byte last stored at offset, if any.
func (m *Memory) Stored(o *Object, offset int64) (term.Byte, bool) {
	if offset >= m.Extent(o) {
		return unset, false
	}
	b := m.content[o.number][offset]
	return b, b != unset
}

// Extent returns an upper bound for the ends of all stores to o.
func (m *Memory) Extent(o *Object) int64 { return int64(len(m.content[o.number])) }

// Put stores a byte without checking the access.
func (m *Memory) Put(o *Object, offset int64, b term.Byte) {
	m.content[o.number] = put(m.content[o.number], offset, b)
}

// ForgetUse forgets the accesses that Use recorded.
func (m *Memory) ForgetUse() {
	for _, o := range m.objects {
		o.used = span{low: math.MaxInt64}
	}
}

// Resolve returns the object that contains address and the offset in that object.
func (s *State) Resolve(address term.Term) (*Object, int64) {
	t, m := s.T, s.Mem
	if o, ok := m.bases[address]; ok {
		return o, 0
	}
	if t.Op(address) == term.Sum {
		for i, a := range t.Args(address) {
			if o, ok := m.bases[term.Term(a)]; ok && t.Coef(address, i) == 1 {
				if v, ok := s.Value(t.Sub(address, o.Base)); ok {
					return o, int64(v)
				}
			}
		}
	}
	s.Shown(address)
	panic(Fault{"address points to no declared object: " + t.Format(address), address})
}

// Shown fails unless address is public, because an access reveals its address.
func (s *State) Shown(address term.Term) {
	if !s.T.Public(address) {
		s.failOf(address, "address depends on "+s.private(address)+": ")
	}
}

// check rejects stores to read-only objects and accesses possibly out of bounds.
func (s *State) check(o *Object, offset, size int64, store bool) {
	least, _, ok := s.rangeOf(s.Mem.Size(o))
	if s.Group != nil && (!ok || offset > least-size) {
		if v, known := s.Value(s.Mem.Size(o)); known {
			least, ok = int64(v), true
		}
	}
	if offset < 0 || !ok || least < size || offset > least-size {
		Fail("accesses %d bytes at %s%+d; %s may have only %d bytes", size, o.Name, offset, o.Name, least)
	}
	if store && !o.Writable {
		Fail("stores to %s, which is read-only", o.Name)
	}
	o.Use(offset, offset+size)
	if s.Mem.Watch != nil {
		s.Mem.Watch(s.Mem, o, offset, size, store)
	}
}

// Load copies len(dst) bytes at address to dst. If wanted is not nil, Load reads byte i
// only if wanted(i) is true, and otherwise sets dst[i] to 0.
func (s *State) Load(dst []term.Byte, address term.Term, wanted func(int) bool) {
	o, offset := s.access(address, len(dst), wanted, false)
	for i := range dst {
		dst[i] = term.ConstByte(0)
		if wanted == nil || wanted(i) {
			dst[i] = s.Mem.Byte(o, offset+int64(i))
		}
	}
}

// Store copies src to memory at address. If wanted is not nil, Store writes byte i only
// if wanted(i) is true.
func (s *State) Store(src []term.Byte, address term.Term, wanted func(int) bool) {
	o, offset := s.access(address, len(src), wanted, true)
	for i, b := range src {
		if wanted == nil || wanted(i) {
			s.Mem.Put(o, offset+int64(i), b)
		}
	}
	s.wrote = true
}

// access returns the object and the offset of an access to the wanted bytes at address,
// which it checks.
func (s *State) access(address term.Term, size int, wanted func(int) bool, store bool) (o *Object, offset int64) {
	o, offset = s.Resolve(address)
	if wanted == nil {
		s.check(o, offset, int64(size), store)
	}
	for i := 0; wanted != nil && i < size; i++ {
		if wanted(i) {
			s.check(o, offset+int64(i), 1, store)
		}
	}
	return o, offset
}

// Aligned fails unless an address is a multiple of align.
func (s *State) Aligned(address term.Term, align int64) {
	if o, offset := s.Resolve(address); o.Align%align != 0 || offset%align != 0 {
		Fail("address %s%+d is not known to be a multiple of %d", o.Name, offset, align)
	}
}

// AlignDown returns address &^ (align-1) for code that aligns its stack frame: address
// must be the frame's base plus align-1.
func (s *State) AlignDown(address term.Term, align int64) (term.Term, bool) {
	o := s.Mem.bases[s.T.AddConst(address, -uint64(align-1))]
	if align <= 0 || align&(align-1) != 0 || o == nil || o != s.Mem.frame {
		return 0, false
	}
	s.AlignFrame(o, align)
	return s.Mem.aligned.Base, true
}

// AlignFrame gives the aligned part of the frame o its alignment and size.
func (s *State) AlignFrame(o *Object, align int64) {
	a := s.Mem.aligned
	Refuse(a.Align != 0 && a.Align != align, "aligns %s to %d bytes and to %d bytes", o.Name, a.Align, align)
	a.Align = align // a separate Object represents the aligned part of the frame
	s.Mem.sizes[a.number] = s.T.AddConst(s.Mem.Size(o), -uint64(align-1))
}
