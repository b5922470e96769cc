// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"fmt"
	"math"

	"github.com/unimac/unimac/internal/proof/term"
)

// An Object is memory that a function was given, its frame, or data. Objects are
// apart from each other. Addresses are an object's base and a known number.
type Object struct {
	Name     string
	Base     term.Term
	Align    int64 // the base is a multiple of it
	Writable bool
	Public   bool // what it contains at first is no secret
	number   int
	initial  []term.Byte // made when asked for
	origin   map[term.Term]int64
	fixed    map[int64]term.Byte // what is known of its content
	marked   map[int64]term.Byte // as far as that is marked
	store    *term.Store
	sealed   bool // nobody may Set

	aligned *Object // what State.AlignDown makes of it
	whole   *Object // of which it is the aligned part
	low     int64   // the lowest byte that was accessed
	end     int64   // of what was accessed
}

// unset is what no byte is.
const unset = ^term.Byte(0)

// Memory is all objects with their contents.
type Memory struct {
	t       *term.Store
	shared  *shared
	content [][]term.Byte // what was stored, by object and offset
	sizes   []term.Term
	Watch   Watch // if set, is told of every access
}

// A Watch is told of an access, before it takes place.
type Watch func(m *Memory, o *Object, offset, size int64, store bool)

type shared struct {
	objects []*Object
	bases   map[term.Term]*Object
}

// NewMemory returns memory without objects.
func NewMemory(t *term.Store) *Memory {
	return &Memory{t: t, shared: &shared{bases: map[term.Term]*Object{}}}
}

// Add adds an object of a size.
func (m *Memory) Add(o *Object, size term.Term) *Object {
	o.Base = m.t.NewLeaf(64, term.LeafInfo{Name: o.Name, Public: true, Min: 1 << 16, Max: 1 << 55})
	o.number, o.store = len(m.shared.objects), m.t
	o.origin, o.fixed, o.marked = map[term.Term]int64{}, map[int64]term.Byte{}, map[int64]term.Byte{}
	o.low = math.MaxInt64
	m.shared.objects = append(m.shared.objects, o)
	m.shared.bases[o.Base] = o
	m.SetSize(o, size) // other copies of the memory may have added some before
	return o
}

// Objects returns all objects.
func (m *Memory) Objects() []*Object { return m.shared.objects }

// Size returns the size of an object.
func (m *Memory) Size(o *Object) term.Term {
	m.know(o)
	return m.sizes[o.number]
}

// SetSize changes it.
func (m *Memory) SetSize(o *Object, size term.Term) {
	m.know(o)
	m.sizes[o.number] = size
}

// know makes room for an object that another copy of the memory added; here it has
// no bytes.
func (m *Memory) know(o *Object) {
	for len(m.sizes) <= o.number {
		m.content = append(m.content, nil)
		m.sizes = append(m.sizes, m.t.Const(64, 0))
	}
}

func (m *Memory) clone() *Memory {
	c := *m
	c.sizes = append([]term.Term(nil), m.sizes...)
	c.content = make([][]term.Byte, len(m.content))
	for i, b := range m.content {
		if b != nil {
			c.content[i] = append([]term.Byte(nil), b...)
		}
	}
	return &c
}

// Initial returns what a byte of the object is at first.
func (o *Object) Initial(offset int64) term.Byte {
	for int64(len(o.initial)) <= offset {
		o.initial = append(o.initial, unset)
	}
	if o.initial[offset] == unset {
		b, ok := o.fixed[offset]
		if !ok {
			leaf := o.store.NewLeaf(8, term.LeafInfo{Name: fmt.Sprintf("%s[%d]", o.Name, offset), Public: o.Public})
			o.origin[leaf] = offset
			b = term.Byte(leaf << 3)
		}
		o.initial[offset] = b
	}
	return o.initial[offset]
}

// Load returns what size bytes of the object are at first.
func (o *Object) Load(offset int64, size int) term.Term {
	var b [8]term.Byte
	for i := range size {
		b[i] = o.Initial(offset + int64(i))
	}
	return o.store.Gather(b[:size])
}

// Known returns how many bytes of the object have been asked for.
func (o *Object) Known() int64 { return int64(len(o.initial)) }

// Words sets words to what those of an object are at first, which have some bytes and are a stride apart.
func (o *Object) Words(words []term.Term, offset, stride int64, size int) {
	for i := range words {
		words[i] = o.Load(offset+stride*int64(i), size)
	}
}

// Set says what an object contains at first: terms, one after the other.
func (o *Object) Set(offset int64, terms ...term.Term) {
	for _, t := range terms {
		o.set(offset, t)
		offset += int64(o.store.Width(t) / 8)
	}
}

func (o *Object) set(offset int64, t term.Term) {
	if o.sealed {
		panic("machine: " + o.Name + " is set after it was declared")
	}
	var b [8]term.Byte
	o.store.Bytes(b[:], t)
	for i := range o.store.Width(t) / 8 {
		o.fixed[offset+int64(i)] = b[i]
		delete(o.marked, offset+int64(i))
		if of, _ := b[i].Of(); o.store.Marked(of) {
			o.marked[offset+int64(i)] = b[i]
		}
	}
}

// Aligned returns what State.AlignDown has made of the object, or the object.
func (o *Object) Aligned() *Object {
	if o.aligned != nil {
		return o.aligned
	}
	return o
}

// Inputs returns the leaves of which memory is made so far, and of its sizes. From then on nobody may
// say what an object contains at first.
func (m *Memory) Inputs() map[term.Term]bool {
	leaves := map[term.Term]bool{}
	u := m.t.Substitute(func(leaf term.Term) term.Term {
		leaves[leaf] = true
		return leaf
	})
	for _, o := range m.shared.objects {
		o.sealed = true
		u.Term(m.Size(o))
		for _, b := range o.fixed {
			u.Byte(b)
		}
	}
	return leaves
}

// Fixed returns what Set has said, by offsets. It is not to be changed.
func (o *Object) Fixed() map[int64]term.Byte { return o.fixed }

// Marked returns what of that is marked.
func (o *Object) Marked() map[int64]term.Byte { return o.marked }

// Offset returns where in the object a leaf comes from.
func (o *Object) Offset(leaf term.Term) (int64, bool) {
	at, ok := o.origin[leaf]
	return at, ok
}

// Byte returns what a byte of an object is.
func (m *Memory) Byte(o *Object, offset int64) term.Byte {
	if b := m.stored(o, offset); b != unset {
		return b
	}
	return o.Initial(offset)
}

func (m *Memory) stored(o *Object, offset int64) term.Byte {
	if o.number < len(m.content) && offset < int64(len(m.content[o.number])) {
		return m.content[o.number][offset]
	}
	return unset
}

// Stored returns what was stored in a byte of an object, if anything was.
func (m *Memory) Stored(o *Object, offset int64) (term.Byte, bool) {
	b := m.stored(o, offset)
	return b, b != unset
}

// Extent returns how many bytes from its start an object has been stored to, at most.
func (m *Memory) Extent(o *Object) int64 {
	if o.number >= len(m.content) {
		return 0
	}
	return int64(len(m.content[o.number]))
}

// Put stores a byte without a check.
func (m *Memory) Put(o *Object, offset int64, b term.Byte) {
	m.know(o)
	c := m.content[o.number]
	for int64(len(c)) <= offset {
		c = append(c, unset)
	}
	c[offset] = b
	m.content[o.number] = c
}

// Used returns, of each object, which bytes runs have accessed; SetUsed forgets the
// runs since.
func (m *Memory) Used() (used [][2]int64) {
	for _, o := range m.shared.objects {
		used = append(used, [2]int64{o.low, o.end})
	}
	return used
}

// SetUsed undoes what accesses have changed since Used.
func (m *Memory) SetUsed(used [][2]int64) {
	for i, u := range used {
		m.shared.objects[i].low, m.shared.objects[i].end = u[0], u[1]
	}
}
