// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package contracts checks that callers of assembly functions satisfy the assumptions
// made in the proofs, for example that a buffer is as long as its length argument says.
// The overlay command runs tests with these checks.
package contracts

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Check panics if the proof of an assembly function does not cover a call with the
// given arguments, for example because two buffers overlap. file is the assembly file's
// path relative to the module root.
func Check(file, function string, arguments ...any) {
	calls.Lock()
	defer calls.Unlock()
	calls.last = arguments // moves the arguments to the heap, because the stack may move
	variants, ok := calls.variants[file+" "+function]
	if !ok {
		variants = variantsOf(file, function)
		calls.variants[file+" "+function] = variants
	}
	var reasons []error
	for i, c := range variants {
		err := c.check(arguments)
		if err == nil { // try this variant first next time
			copy(variants[1:i+1], variants[:i])
			variants[0] = c
			return
		}
		reasons = append(reasons, fmt.Errorf("%s: %w", c.Variant, err))
	}
	panic(fmt.Sprintf("contracts: a call of %s in %s is not as a proof takes it:\n%v", function, file, errors.Join(reasons...)))
}

var calls = struct {
	sync.Mutex
	variants map[string][]*contract
	last     []any
}{variants: map[string][]*contract{}}

func variantsOf(file, function string) (variants []*contract) {
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		setup := k.Setup
		if k.Calls != nil {
			setup = k.Calls
		}
		for _, part := range k.Parts() {
			if k.File == file && k.Func == function && part.Kernel.From == "" { // Go code cannot call a segment
				variants = append(variants, contractOf(k.Declared(part.Variant, setup)))
			}
		}
	}
	return variants
}

// A contract checks calls against one variant of a statement.
type contract struct {
	*engine.Case
	given   []bool // by length, whether callers may pass the length; nil if the function has none
	pieces  map[*machine.Object][]piece
	objects map[term.Term]*machine.Object // by base address

	// The following fields describe the call to check.
	values map[term.Term]uint64 // known inputs
	memory []*area
}

func (c *contract) is(leaf term.Term) (v uint64, ok bool) {
	v, ok = c.values[leaf]
	return v, ok
}

// A piece is a range of an object's bytes that one term determines.
type piece struct {
	object  *machine.Object
	at      int64
	of      term.Term
	from, n int // the range holds n bytes of the term, starting with byte from
}

func contractOf(declared *engine.Case) *contract {
	c := &contract{
		Case: declared, pieces: map[*machine.Object][]piece{}, objects: map[term.Term]*machine.Object{}, values: map[term.Term]uint64{},
	}
	k := declared.Kernel
	for _, o := range c.Objects() {
		c.objects[o.Base] = o
		c.pieces[o] = c.piecesOf(o)
	}
	for n := int64(0); k.Unit > 0 && n <= k.Max; n++ {
		c.given = append(c.given, n%k.Unit == 0 && (k.Given == nil || k.Given(c.Case, n)))
	}
	return c
}

// piecesOf splits o's declared contents into ranges of bytes of one term.
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
	// Constants come first because they distinguish variants.
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(c.Op(a.of), c.Op(b.of)) })
	return pieces
}

// An area is an object in this call.
type area struct {
	object *machine.Object
	at     unsafe.Pointer
	size   uint64
}

// check lays out the arguments in memory, followed by an extra word, and compares them
// with the statement.
func (c *contract) check(arguments []any) error {
	clear(c.values)
	frame := make([]byte, 8*len(arguments)+8)
	at := int64(0)
	for i, argument := range arguments {
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
			return fmt.Errorf("argument %d is a %T", i, argument)
		}
		if _, declared := c.Arguments.Fixed()[at]; !declared {
			return fmt.Errorf("nothing is said of argument %d", i)
		}
		at += size
	}
	c.memory = []*area{{object: c.Arguments, at: unsafe.Pointer(&frame[0])}}
	return c.compare()
}

// compare compares memory with the statement. It repeats comparisons after a match has
// determined other values.
func (c *contract) compare() error {
	var waiting []content
	for read, progress := 0, true; progress; {
		for ; read < len(c.memory); read++ {
			if a := c.memory[read]; a.at != nil {
				for _, p := range c.pieces[a.object] {
					waiting = append(waiting, content{p, a.at})
				}
			}
		}
		rest := waiting[:0]
		for _, p := range waiting {
			done, err := c.match(p)
			if err != nil {
				return fmt.Errorf("%s[%d]: %w", p.object.Name, p.at, err)
			}
			if !done {
				rest = append(rest, p)
			}
		}
		waiting, progress = rest, len(rest) < len(waiting)
	}
	if len(waiting) > 0 {
		p := waiting[0]
		return fmt.Errorf("%s[%d] is %s, of which the call does not tell the value", p.object.Name, p.at, c.Format(p.of))
	}
	if n, ok := c.is(c.N); ok && c.given != nil && !c.given[n] {
		return fmt.Errorf("a length of %d is not proven", n)
	}
	for _, r := range c.Rings {
		if err := r.Holds(c.is, r.Prime); err != nil {
			return err
		}
	}
	for _, m := range c.Limits {
		if v, ok := c.Value(m.Term, c.is); !ok || v > m.Max {
			return fmt.Errorf("%s is %d, more than %d", m.Name, v, m.Max)
		}
	}
	return c.checkMemory()
}

// A content is a piece of an object that is at base in this call.
type content struct {
	piece
	base unsafe.Pointer
}

// match compares p with memory or derives the value of an input from it.
func (c *contract) match(p content) (done bool, err error) {
	var b [8]byte
	from := unsafe.Add(p.base, p.at)
	copy(b[:], unsafe.Slice((*byte)(from), p.n))
	got, low := binary.LittleEndian.Uint64(b[:]), uint64(1)<<(8*p.n)-1
	if v, ok := c.Value(p.of, c.is); ok {
		if v = v >> (8 * p.from) & low; v != got {
			err = fmt.Errorf("%#x, want %#x", got, v)
		}
		return true, err
	}
	op, whole := c.Op(p.of), 8*p.n == c.Width(p.of)
	switch {
	case op == term.Leaf && whole && c.objects[p.of] != nil:
		return true, c.bind(p.of, got, *(*unsafe.Pointer)(from))
	case op == term.Leaf && (whole || p.from == 0 && bits.Len64(c.Info(p.of).Max) <= 8*p.n):
		return true, c.bind(p.of, got, nil)
	case !whole || op != term.Sum && op != term.Shl:
		return false, nil
	}
	unknown := slices.DeleteFunc(slices.Clone(c.Args(p.of)), func(a uint32) bool {
		_, ok := c.is(term.Term(a))
		return ok
	})
	leaf := term.Term(unknown[0])
	if len(unknown) > 1 || c.Op(leaf) != term.Leaf {
		return false, nil
	}
	with := func(x uint64) uint64 {
		c.values[leaf] = x
		v, _ := c.Value(p.of, c.is)
		return v
	}
	rest := with(0)
	x := (got - rest) & low / ((with(1) - rest) & low)
	if with(x) != got {
		return true, fmt.Errorf("%d is no %s", got, c.Format(p.of))
	}
	return true, c.bind(leaf, x, nil)
}

func (c *contract) bind(leaf term.Term, v uint64, to unsafe.Pointer) error {
	info := c.Info(leaf)
	if o := c.objects[leaf]; o != nil {
		if to != nil || v == 0 {
			c.memory = append(c.memory, &area{object: o, at: to})
		}
	} else if v < info.Min || v > info.Max {
		return fmt.Errorf("%s is %#x, not from %#x to %#x", info.Name, v, info.Min, info.Max)
	}
	c.values[leaf] = v
	return nil
}

// checkMemory checks bounds and alignment of each area. It rejects areas that overlap, if
// one of them is writable, unless the statement allows the overlap.
func (c *contract) checkMemory() error {
	allowed := func(x, in *area, by int64) bool {
		return slices.ContainsFunc(c.Overlaps, func(l engine.Overlap) bool {
			return l.Object == x.object && l.In == in.object && l.Allowed(by)
		})
	}
	for i, x := range c.memory {
		o, known := x.object, false
		x.size, known = c.Value(c.SizeOf(o), c.is)
		switch {
		case o.Align > 1 && uintptr(x.at)%uintptr(o.Align) != 0:
			return fmt.Errorf("%s is at %p, no multiple of %d", o.Name, x.at, o.Align)
		case !known:
			return fmt.Errorf("the call does not tell the size of %s", o.Name)
		case x.size > 0 && x.at == nil:
			return fmt.Errorf("%s is nil and has %d bytes", o.Name, x.size)
		case uint64(uintptr(x.at)) > math.MaxInt64-x.size:
			return fmt.Errorf("%s is at %p, and ends not below 2^63", o.Name, x.at)
		case x.size > 0 && checkptrBase(x.at) != checkptrBase(unsafe.Add(x.at, x.size-1)):
			return fmt.Errorf("%s has %d bytes, which no allocation contains", o.Name, x.size)
		}
		for _, y := range c.memory[:i] {
			by := int64(uintptr(x.at) - uintptr(y.at))
			apart := x.size == 0 || y.size == 0 || by >= int64(y.size) || -by >= int64(x.size)
			if !apart && (o.Writable || y.object.Writable) && !allowed(x, y, by) && !allowed(y, x, -by) {
				return fmt.Errorf("%s and %s overlap, %d bytes apart", o.Name, y.object.Name, -by)
			}
		}
	}
	return nil
}

// checkptrBase returns the base of p's allocation.
//
//go:linkname checkptrBase runtime.checkptrBase
func checkptrBase(p unsafe.Pointer) uintptr
