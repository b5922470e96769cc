// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contracts

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
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
	variant string
	kernel  *engine.Kernel
	given   []bool // by lengths: which callers may give
	pieces  map[*machine.Object][]piece
	objects map[term.Term]*machine.Object // by their bases

	// Of the call that is checked:
	call    uint64 // its number
	values  []uint64
	known   []uint64 // by terms: the call for which there is a value
	memory  []address
	waiting []content
}

// An address is where an object lies.
type address struct {
	object *machine.Object
	to     unsafe.Pointer
}

// is returns the value of an input, if it has one.
func (c *contract) is(leaf term.Term) (v uint64, ok bool) {
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
	from, n int // bytes of it
}

func newContract(k *engine.Kernel, variant string) *contract {
	c := &contract{
		Case: k.Call(variant), variant: variant, kernel: k,
		pieces: map[*machine.Object][]piece{}, objects: map[term.Term]*machine.Object{},
	}
	for _, o := range c.Objects() {
		c.objects[o.Base] = o
		c.pieces[o] = c.piecesOf(o)
	}
	if k.Unit > 0 && k.Given != nil {
		for n := range k.Max + 1 {
			c.given = append(c.given, k.Given(c.Case, n))
		}
	}
	return c
}

// piecesOf puts bytes together that are of one term.
func (c *contract) piecesOf(o *machine.Object) (pieces []piece) {
	fixed := o.Fixed()
	for _, at := range slices.Sorted(maps.Keys(fixed)) {
		of, from := fixed[at].Of()
		if _, ok := c.ByteValue(fixed[at]); !ok && len(pieces) > 0 {
			last := &pieces[len(pieces)-1]
			if last.of == of && last.at+int64(last.n) == at && last.from+last.n == from {
				last.n++
				continue
			}
		}
		pieces = append(pieces, piece{o, at, of, from, 1})
	}
	// Constants come first: they tell variants apart. Inputs are next.
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(c.Op(a.of), c.Op(b.of)) })
	return pieces
}

// An area is memory that a call gives.
type area struct {
	object   *machine.Object
	from, to uintptr
}

// check returns why a call is not of this variant.
func (c *contract) check(passed []any) error {
	areas, err := c.memoryOf(passed)
	if err == nil {
		err = c.apart(areas)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.variant, err)
	}
	return nil
}

// memoryOf returns the memory of a call, or why it is not what is declared.
func (c *contract) memoryOf(passed []any) ([]area, error) {
	if more := c.Len() - len(c.known); more > 0 {
		c.values, c.known = append(c.values, make([]uint64, more)...), append(c.known, make([]uint64, more)...)
	}
	c.call++
	frame, err := c.frame(passed)
	if err != nil {
		return nil, err
	}
	c.memory = []address{{c.Arguments, unsafe.Pointer(&frame[0])}}
	if err := c.read(); err != nil {
		return nil, err
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

// frame returns the memory of arguments, and of one more: a list of none has no address.
func (c *contract) frame(values []any) ([]byte, error) {
	frame := make([]byte, 8*len(values)+8)
	at := int64(0)
	for i, argument := range values {
		v := reflect.ValueOf(argument)
		size := int64(v.Type().Size())
		at = (at + size - 1) &^ (size - 1)
		switch v.Kind() {
		case reflect.Pointer:
			binary.LittleEndian.PutUint64(frame[at:], uint64(v.Pointer()))
		case reflect.Int:
			binary.LittleEndian.PutUint64(frame[at:], uint64(v.Int()))
		case reflect.Uint32, reflect.Uint64:
			binary.LittleEndian.PutUint64(frame[at:], v.Uint())
		default:
			return nil, fmt.Errorf("argument %d is a %T", i, argument)
		}
		if !slices.ContainsFunc(c.pieces[c.Arguments], func(p piece) bool { return at <= p.at && p.at < at+size }) {
			return nil, fmt.Errorf("nothing is said of argument %d", i)
		}
		at += size
	}
	return frame, nil
}

// read matches the pieces of all memory that has an address with what it contains, which gives more of it
// an address. Those that cannot be told wait for others.
func (c *contract) read() error {
	waiting := c.waiting[:0]
	for read, before := 0, 0; read < len(c.memory) || len(waiting) != before; {
		if before = len(waiting); read < len(c.memory) {
			waiting = c.contents(waiting, c.memory[read])
			read++
		}
		later := waiting[:0]
		for _, p := range waiting {
			if told, err := c.match(&p); err != nil {
				return fmt.Errorf("%s[%d]: %w", p.object.Name, p.at, err)
			} else if !told {
				later = append(later, p)
			}
		}
		waiting, c.waiting = later, later
	}
	if len(waiting) > 0 {
		p := waiting[0]
		return fmt.Errorf("%s[%d] is %s, of which the call does not tell the value", p.object.Name, p.at, c.Format(p.of))
	}
	return nil
}

// A content is what a piece has: its value and, if it is that of an address, the address.
type content struct {
	*piece
	value   uint64
	pointer unsafe.Pointer
}

func (c *contract) contents(list []content, a address) []content {
	if a.to == nil {
		return list
	}
	pieces := c.pieces[a.object]
	for i := range pieces {
		p := content{piece: &pieces[i]}
		from := unsafe.Add(a.to, p.at)
		if p.n == 8 && c.objects[p.of] != nil {
			p.pointer = *(*unsafe.Pointer)(from)
		}
		var b [8]byte
		copy(b[:], unsafe.Slice((*byte)(from), p.n))
		p.value = binary.LittleEndian.Uint64(b[:])
		list = append(list, p)
	}
	return list
}

// match compares a piece with its term's value. If one input in the term has none yet, it gets that
// with which they are equal, where there is no other. It reports false where neither can be done yet.
func (c *contract) match(p *content) (told bool, err error) {
	op, low := c.Op(p.of), uint64(1)<<(8*p.n)-1
	whole := 8*p.n == c.Width(p.of) || op == term.Leaf && p.from == 0 && bits.Len64(c.Info(p.of).Max) <= 8*p.n
	if _, ok := c.is(p.of); op == term.Leaf && whole && !ok {
		return true, c.bind(p.of, p.value, p.pointer)
	}
	v, ok := c.Value(p.of, c.is)
	if ok {
		if v = v >> (8 * p.from) & low; v != p.value {
			err = fmt.Errorf("%#x, want %#x", p.value, v)
		}
		return true, err
	}
	if !whole || op != term.Sum && op != term.Shl {
		return false, nil
	}
	var unknown []uint32
	for _, a := range c.Args(p.of) {
		if _, ok := c.is(term.Term(a)); !ok {
			unknown = append(unknown, a)
		}
	}
	if len(unknown) > 1 || c.Op(term.Term(unknown[0])) != term.Leaf {
		return false, nil
	}
	with := func(x uint64) uint64 {
		v, _ := c.Value(p.of, func(leaf term.Term) (uint64, bool) {
			if v, ok := c.is(leaf); ok {
				return v, true
			}
			return x, true
		})
		return v
	}
	rest := with(0)
	x := (p.value - rest) & low / ((with(1) - rest) & low)
	if with(x) != p.value {
		return true, fmt.Errorf("%d is no %s", p.value, c.Format(p.of))
	}
	return true, c.bind(term.Term(unknown[0]), x, p.pointer)
}

// bind gives an input a value, and memory of which that is the base an address, if it was passed as one.
func (c *contract) bind(leaf term.Term, v uint64, to unsafe.Pointer) error {
	info := c.Info(leaf)
	if o := c.objects[leaf]; o != nil {
		if to != nil || v == 0 {
			c.memory = append(c.memory, address{o, to})
		}
	} else if v < info.Min || v > info.Max {
		return fmt.Errorf("%s is %#x, not from %#x to %#x", info.Name, v, info.Min, info.Max)
	}
	c.values[leaf], c.known[leaf] = v, c.call
	return nil
}

// areas returns the memory of the call, each buffer at a multiple of what it is aligned to.
func (c *contract) areas() (list []area, err error) {
	for _, p := range c.memory {
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
