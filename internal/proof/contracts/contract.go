// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contracts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A contract is what a variant of a statement declares. A call is checked by giving the terms
// of the arguments their values, which gives values to the inputs in them, and addresses to the
// buffers; and then the same with what is in the buffers.
type contract struct {
	*engine.Case
	kernel  *engine.Kernel
	given   []bool // by lengths: which callers may give
	pieces  map[*machine.Object][]piece
	objects map[term.Term]*machine.Object // by their bases

	// Of the call that is checked:
	call     uint64 // its number
	values   []uint64
	known    []uint64 // by terms: the call for which there is a value
	pointers []address
}

// An address is where an object lies.
type address struct {
	object *machine.Object
	to     unsafe.Pointer
}

// is returns the value of an input, if it has one.
func (c *contract) is(leaf term.Term) (uint64, bool) {
	if int(leaf) >= len(c.known) || c.known[leaf] != c.call {
		return 0, false
	}
	return c.values[leaf], true
}

// A piece is some bytes of an object of which is known what they are.
type piece struct {
	object  *machine.Object
	at      int64
	of      term.Term
	from, n int             // bytes of it
	base    *machine.Object // of which it is the address, or nil
}

func newContract(k *engine.Kernel, variant string) *contract {
	c := &contract{Case: k.Call(variant), kernel: k, objects: map[term.Term]*machine.Object{}, pieces: map[*machine.Object][]piece{}}
	for _, o := range c.Objects() {
		c.objects[o.Base] = o
	}
	for _, o := range c.Objects() {
		c.pieces[o] = c.piecesOf(o)
	}
	if k.Unit > 0 && k.Given != nil {
		for n := range k.Max + 1 {
			c.given = append(c.given, k.Given(c.Case, n))
		}
	}
	return c
}

// arguments is the name of the memory of arguments.
const arguments = "arguments"

// piecesOf puts bytes together that are of one term.
func (c *contract) piecesOf(o *machine.Object) (pieces []piece) {
	fixed := o.Fixed()
	var offsets []int64
	for at := range fixed {
		offsets = append(offsets, at)
	}
	slices.Sort(offsets)
	for _, at := range offsets {
		of, from := fixed[at].Of()
		if _, ok := c.ByteValue(fixed[at]); !ok && len(pieces) > 0 {
			last := &pieces[len(pieces)-1]
			if last.of == of && last.at+int64(last.n) == at && last.from+last.n == from {
				last.n++
				continue
			}
		}
		pieces = append(pieces, piece{o, at, of, from, 1, c.objects[of]})
	}
	// Constants come first: they tell variants apart.
	constant := func(p piece) int {
		if c.Op(p.of) == term.Const {
			return 0
		}
		return 1
	}
	if o.Name != arguments {
		slices.SortStableFunc(pieces, func(a, b piece) int { return constant(a) - constant(b) })
	}
	return pieces
}

var errUntold = errors.New("of which the call does not tell the value")

// An area is memory that a call gives.
type area struct {
	object   *machine.Object
	from, to uintptr
}

// check returns the memory of a call, or why it is not what is declared.
func (c *contract) check(passed []any) ([]area, error) {
	if more := c.Len() - len(c.known); more > 0 {
		c.values, c.known = append(c.values, make([]uint64, more)...), append(c.known, make([]uint64, more)...)
	}
	c.call++
	c.pointers = nil
	pending, err := c.passed(passed)
	if err != nil {
		return nil, err
	}
	if pending, err = c.told(pending); err != nil {
		return nil, err
	}
	for read := 0; read < len(c.pointers); {
		o := c.pointers[read]
		read++
		more, err := c.contents(o)
		if err != nil {
			return nil, err
		}
		if pending, err = c.told(append(pending, more...)); err != nil {
			return nil, err
		}
	}
	if len(pending) > 0 {
		k := pending[0]
		return nil, fmt.Errorf("%s[%d] is %s, %w", k.object.Name, k.at, c.Format(k.of), errUntold)
	}
	if n, ok := c.is(c.N); ok && c.kernel.Unit > 0 && (int64(n)%c.kernel.Unit != 0 || c.given != nil && !c.given[n]) {
		return nil, fmt.Errorf("a length of %d is not proven", n)
	}
	for _, r := range c.Rings {
		if err := r.Holds(c.is, r.Prime); err != nil {
			return nil, err
		}
	}
	for _, m := range c.Most {
		if v, ok := c.Value(m.Term, c.is); !ok || v > m.Most {
			return nil, fmt.Errorf("%s is %d, more than %d", m.Name, v, m.Most)
		}
	}
	return c.areas()
}

// A known is a piece with its value and, if it is that of an address, the address.
type known struct {
	*piece
	value   uint64
	pointer unsafe.Pointer
}

// passed returns the arguments as pieces with values.
func (c *contract) passed(values []any) (list []known, err error) {
	o := c.Arguments
	at := int64(0)
	next := 0
	pieces := c.pieces[o]
	for i, argument := range values {
		v := reflect.ValueOf(argument)
		size := int64(v.Type().Size())
		at = (at + size - 1) &^ (size - 1)
		k := known{}
		switch v.Kind() {
		case reflect.Pointer:
			k.pointer = v.UnsafePointer()
			k.value = uint64(uintptr(k.pointer))
		case reflect.Int:
			k.value = uint64(v.Int())
		case reflect.Uint32, reflect.Uint64:
			k.value = v.Uint()
		default:
			return nil, fmt.Errorf("argument %d is a %T", i, argument)
		}
		begun := next
		for ; next < len(pieces) && pieces[next].at < at+size; next++ {
			part := k
			part.piece = &pieces[next]
			part.value = k.value >> (8 * (part.at - at))
			list = append(list, part)
		}
		if begun == next {
			return nil, fmt.Errorf("nothing is said of argument %d", i)
		}
		at += size
	}
	return list, nil
}

// told matches pieces for as long as that makes a difference, and returns the others.
func (c *contract) told(pending []known) ([]known, error) {
	for {
		var later []known
		for _, k := range pending {
			told, err := c.match(&k)
			if err != nil {
				return nil, err
			}
			if !told {
				later = append(later, k)
			}
		}
		if len(later) == len(pending) || len(later) == 0 {
			return later, nil
		}
		pending = later
	}
}

// contents matches what is known of an object with what it contains, and returns what could not
// be told.
func (c *contract) contents(a address) (later []known, err error) {
	if a.to == nil {
		return nil, nil
	}
	pieces := c.pieces[a.object]
	for i := range pieces {
		k := known{piece: &pieces[i]}
		from := unsafe.Add(a.to, k.at)
		switch {
		case k.n == 8 && k.base != nil:
			k.pointer = *(*unsafe.Pointer)(from)
			k.value = uint64(uintptr(k.pointer))
		case k.n == 4: // as most of a key's pieces
			k.value = uint64(binary.LittleEndian.Uint32((*[4]byte)(from)[:]))
		default:
			var b [8]byte
			copy(b[:], unsafe.Slice((*byte)(from), k.n))
			k.value = binary.LittleEndian.Uint64(b[:])
		}
		told, err := c.match(&k)
		if err != nil {
			return nil, err
		}
		if !told {
			later = append(later, k)
		}
	}
	return later, nil
}

// match gives an input in a term its value, or compares the term's value if it is known. It
// reports false where neither can be done yet.
func (c *contract) match(k *known) (told bool, err error) {
	if told, err = c.compare(k); err != nil {
		err = fmt.Errorf("%s[%d]: %w", k.object.Name, k.at, err)
	}
	return told, err
}

func (c *contract) compare(k *known) (told bool, err error) {
	k.value &= 1<<(8*k.n) - 1
	whole := 8*k.n == c.Width(k.of)
	op := c.Op(k.of)
	if op == term.Const {
		if v := c.Imm(k.of) >> (8 * k.from) & (1<<(8*k.n) - 1); v != k.value {
			return true, fmt.Errorf("%#x, want %#x", k.value, v)
		}
		return true, nil
	}
	switch {
	case op == term.Leaf && (whole || k.from == 0 && bits.Len64(c.Info(k.of).Max) <= 8*k.n):
		if k.base != nil {
			if _, ok := c.is(k.of); !ok {
				c.pointers = append(c.pointers, address{k.base, k.pointer})
			}
		}
		return true, c.bind(k.of, k.value)
	case whole && (op == term.Sum || op == term.Shl):
		if unknown, by, rest, ok := c.linear(k.of, k.value); ok {
			if rest%by != 0 {
				return true, fmt.Errorf("%d is no %s", k.value, c.Format(k.of))
			}
			return true, c.bind(unknown, rest/by)
		}
	}
	v, ok := c.Value(k.of, c.is)
	if !ok {
		return false, nil
	}
	if v = v >> (8 * k.from) & (1<<(8*k.n) - 1); v != k.value {
		return true, fmt.Errorf("%#x, want %#x", k.value, v)
	}
	return true, nil
}

// bind gives an input a value.
func (c *contract) bind(leaf term.Term, v uint64) error {
	info := c.Info(leaf)
	if old, ok := c.is(leaf); ok && old != v {
		return fmt.Errorf("%s is %#x and %#x", info.Name, old, v)
	}
	if (v < info.Min || v > info.Max) && c.objects[leaf] == nil {
		return fmt.Errorf("%s is %#x, not from %#x to %#x", info.Name, v, info.Min, info.Max)
	}
	c.values[leaf], c.known[leaf] = v, c.call
	return nil
}

// linear returns the one input in a sum or a shift that has no value yet, what it is multiplied
// by, and what the product must be.
func (c *contract) linear(t term.Term, v uint64) (unknown term.Term, by, rest uint64, ok bool) {
	rest = v
	if c.Op(t) == term.Sum {
		rest -= c.Imm(t)
	}
	for i, a := range c.Args(t) {
		factor := uint64(1)
		if c.Op(t) == term.Sum {
			factor = c.Coef(t, i)
		} else {
			factor <<= c.Imm(t)
		}
		x, known := c.is(term.Term(a))
		switch {
		case known:
			rest -= factor * x
		case c.Op(term.Term(a)) != term.Leaf || by != 0:
			return 0, 0, 0, false
		default:
			unknown, by = term.Term(a), factor
		}
	}
	return unknown, by, rest & (1<<c.Width(t) - 1), by != 0
}

// areas returns the memory of the call, each buffer at a multiple of what it is aligned to.
func (c *contract) areas() (list []area, err error) {
	for _, p := range c.pointers {
		o, at := p.object, uintptr(p.to)
		if o.Align > 1 && at%uintptr(o.Align) != 0 {
			return nil, fmt.Errorf("%s is at %#x, no multiple of %d", o.Name, at, o.Align)
		}
		size, ok := c.Value(c.SizeOf(o), c.is)
		if !ok {
			return nil, fmt.Errorf("the call does not tell the size of %s", o.Name)
		}
		if size > 0 && p.to == nil {
			return nil, fmt.Errorf("%s is nil and has %d bytes", o.Name, size)
		}
		if size > 0 {
			list = append(list, area{o, at, at + uintptr(size)})
		}
	}
	return list, nil
}

// apart checks that memory which is stored to lies apart from all else, except as MayOverlap and
// MayLie have said.
func (c *contract) apart(areas []area) error {
	for i, x := range areas {
		for _, y := range areas[:i] {
			if !x.object.Writable && !y.object.Writable || x.from >= y.to || y.from >= x.to {
				continue
			}
			if !c.mayOverlap(x, y) && !c.mayOverlap(y, x) {
				return fmt.Errorf("%s and %s overlap, %d bytes apart", x.object.Name, y.object.Name, int64(y.from-x.from))
			}
		}
	}
	return nil
}

func (c *contract) mayOverlap(x, in area) bool {
	for _, l := range c.Lies {
		if l.Object == x.object && l.In == in.object && l.Allowed(int64(x.from-in.from)) {
			return true
		}
	}
	return slices.Contains(c.Over[x.object], in.object)
}
