// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"math/big"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/digest"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Case is one set of inputs for which a kernel is proven.
type Case struct {
	*term.Store
	Kernel  *Kernel
	Variant string
	N       term.Term // the length, if the kernel has one
	Lengths Lengths   // the lengths to prove
	Head    string    // the loop's label; by default, the target of the longest backward jump
	Looped  bool      // the path begins at the loop's head
	Fn      *asm.Func

	mem       *machine.Memory
	layout    *machine.Layout
	frame     *machine.Object
	Arguments *machine.Object
	argsSize  int64

	Overlaps []Overlap    // see MayShare and MayOverlap
	Rings    []Congruence // facts about inputs modulo primes
	Limits   []Limit      // see AtMost

	inputs map[term.Term]bool         // the leaves that Setup has declared
	want   map[*machine.Object]Wanted // see Expect
	more   bool                       // Spec describes an iteration, not the end
	moves  map[*machine.Object]int64  // see Move
	become map[term.Term]term.Term    // see Become

	file     *asm.File
	segments segments // the proven segments
	head     *loop    // the loop at whose head the path began, or nil

	observer observer                                                                             // of the paths, if set
	record   *digest.Set                                                                          // of what is compared, if set
	tamper   func(s *machine.State, where string, a *Assertion, again func(*machine.State) error) // if set, see Unclaimed
}

// newCase returns a case for all lengths, with terms in t.
func newCase(t *term.Store, k *Kernel, variant string, args int64) *Case {
	c := &Case{Store: t, Kernel: k, Variant: variant, mem: machine.NewMemory(t), want: map[*machine.Object]Wanted{}}
	c.Arguments = c.mem.Add(&machine.Object{Name: "arguments"}, t.Const(64, uint64(args)))
	c.N = t.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Marked: true, Min: uint64(k.Min), Max: uint64(k.Max)})
	t.Info(c.N).Max = uint64(k.Max) // also if it is 0
	return c
}

// NewCase returns a case for tests of specifications on numbers.
func NewCase() *Case { return newCase(term.New(), &Kernel{}, "", 256) }

// Buffer declares memory of n bytes that the function may only read.
func (c *Case) Buffer(name string, n int64) *machine.Object {
	return c.mem.Add(&machine.Object{Name: name, Align: 1}, c.Const(64, uint64(n)))
}

// Bytes is like Buffer, but its size may be any term.
func (c *Case) Bytes(name string, n term.Term) *machine.Object {
	return c.mem.Add(&machine.Object{Name: name, Align: 1}, n)
}

// Resize changes the size of declared memory. Only Setup may call it.
func (c *Case) Resize(o *machine.Object, size term.Term) {
	if c.inputs != nil {
		panic("engine: Resize after Setup")
	}
	c.mem.Resize(o, size)
}

// Writable allows the function to store to an object, and returns the object.
func Writable(o *machine.Object) *machine.Object {
	o.Writable = true
	return o
}

// Public declares the contents of an object as public, and returns the object.
func Public(o *machine.Object) *machine.Object {
	o.Public = true
	return o
}

// Arg declares the next 64-bit arguments, such as addresses or lengths.
func (c *Case) Arg(values ...term.Term) {
	for _, t := range values {
		c.Arguments.Set(c.argsSize, t)
		c.argsSize += 8
	}
}

// Arg32 declares and returns the next argument, a 32-bit input.
func (c *Case) Arg32(name string) term.Term {
	t := c.NewLeaf(32, term.LeafInfo{Name: name})
	c.Arguments.Set(c.argsSize, t)
	c.argsSize += 4
	return t
}

// Result declares a result of size bytes and returns its offset in Arguments.
func (c *Case) Result(size int64) (at int64) {
	at = (c.argsSize + 7) &^ 7
	c.argsSize = at + size
	Writable(c.Arguments)
	return at
}

// Input returns a new 64-bit input, which the caller may pass to Arg.
func (c *Case) Input(name string, public bool) term.Term {
	return c.NewLeaf(64, term.LeafInfo{Name: name, Public: public})
}

// leavesOf returns the leaves of t, each once.
func (c *Case) leavesOf(t term.Term) (list []term.Term) {
	if c.Op(t) == term.Leaf {
		return []term.Term{t}
	}
	c.Substitute(func(leaf term.Term) term.Term {
		list = append(list, leaf)
		return leaf
	}).Term(t)
	return list
}

// Iterations returns how many iterations precede the current check of the invariant.
func (c *Case) Iterations() int64 {
	if c.Looped {
		return 1
	}
	return 0
}

// Before returns the number of iterations before this path, as a term.
func (c *Case) Before() term.Term {
	machine.Refuse(c.head == nil, "Before: the path does not begin at the loop's head")
	return c.head.iterations
}

// Equal reports whether two words consist of the same bytes.
func (c *Case) Equal(x, y term.Term) bool {
	return x == y || slices.EqualFunc(c.bytes(x), c.bytes(y), c.Same)
}

// Register returns the place of a register's low 64 bits.
func (c *Case) Register(name string) Place { return c.Lane(name, 0) }

// Lane returns the place of a 64-bit lane of a vector register.
func (c *Case) Lane(name string, lane int) Place {
	at := c.layout.At(name)
	if at < 0 {
		machine.Fail("unknown register %s", name)
	}
	return InRegisters(at + 8*lane)
}

// Objects returns all memory.
func (c *Case) Objects() []*machine.Object { return c.mem.Objects() }

// SizeOf returns the size of an object.
func (c *Case) SizeOf(o *machine.Object) term.Term { return c.mem.Size(o) }

// Locals returns the whole frame, even if part of it is aligned.
func (c *Case) Locals() *machine.Object { return c.frame }

// Frame returns the frame's aligned part or, without one, the whole frame.
func (c *Case) Frame() *machine.Object { return c.frame.Aligned() }

// Known returns the value of a constant term. It fails for other terms.
func (c *Case) Known(t term.Term) uint64 {
	v, ok := c.IsConst(t)
	machine.Refuse(!ok, "%s is not constant", c.Format(t))
	return v
}

func (c *Case) bytes(t term.Term) []term.Byte {
	b := make([]term.Byte, c.Width(t)/8)
	c.Store.Bytes(b, t)
	return b
}

// Declared returns a case with the declarations of setup: the statement's Setup or Calls.
func (k *Kernel) Declared(variant string, setup func(*Case)) *Case {
	c := newCase(term.New(), k, variant, 0)
	setup(c)
	return c
}

// A Congruence holds facts about inputs modulo Prime, stated with
// [algebra.Algebra.Let].
type Congruence struct {
	*algebra.Algebra
	Prime *big.Int
}

// AtMost declares that callers never pass a value of t above limit. The proof does not use
// limits, but package contracts checks them in tests.
func (c *Case) AtMost(name string, t term.Term, limit uint64) {
	c.Limits = append(c.Limits, Limit{name, t, limit})
}

// A Limit is a bound stated with AtMost.
type Limit struct {
	Name string
	Term term.Term
	Max  uint64
}

// An Overlap allows callers to pass an Object that overlaps the output In.
type Overlap struct {
	Object, In    *machine.Object
	before, after int64
	anywhere      bool
}

// Allowed reports whether Object may start at distance from the start of In.
func (l *Overlap) Allowed(distance int64) bool {
	if l.before == 0 {
		return distance == 0 || l.anywhere
	}
	return distance <= -l.before || l.after > 0 && distance >= l.after
}

// InPlace states that callers may pass the same buffer as o and dst.
func (c *Case) InPlace(o, dst *machine.Object) { c.MayShare(o, dst, 0, 0) }

// MayShare allows callers to pass a buffer o that overlaps the output dst. If before is 0,
// an overlapping o must start at the same address as dst. Otherwise, it must start at least
// before bytes before dst. If after is also positive, o may instead start at least after
// bytes after dst. The proof treats the buffers as separate, so it compares the order of
// accesses. o must be read-only and, if before is positive, have no known contents.
func (c *Case) MayShare(o, dst *machine.Object, before, after int64) {
	c.Overlaps = append(c.Overlaps, Overlap{Object: o, In: dst, before: before, after: after})
}

// MayOverlap allows the output dst to overlap the buffers in others, which the function
// then must not access after its first store to dst. For example, a tag may overwrite the
// message if the function reads the whole message first.
func (c *Case) MayOverlap(dst *machine.Object, others ...*machine.Object) {
	for _, o := range others {
		c.Overlaps = append(c.Overlaps, Overlap{Object: o, In: dst, anywhere: true})
	}
}
