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

// A Case is one set of inputs for which a kernel is run.
type Case struct {
	*term.Store
	Kernel  *Kernel
	Variant string
	N       term.Term // the length, if the kernel has one
	Lengths Lengths   // those that are proven
	Head    string    // the label of the loop's head, if not that to which the furthest way back goes
	Looped  bool      // the work has come from the loop's head, as Invariant claims it
	Fn      *asm.Func

	declared
	required
	rest

	head     *loop // where the path began, if at a loop's head
	file     *asm.File
	segments Segments // those that are proven
	watchers
}

// declared is what Setup has declared.
type declared struct {
	mem       *machine.Memory
	layout    *machine.Layout
	frame     *machine.Object
	Arguments *machine.Object
	argsSize  int64

	Lies  []Lie        // see MayLie and MayOverlap
	Rings []Congruence // what is known of inputs modulo primes
	Most  []Most       // see AtMost

	inputs map[term.Term]bool // the leaves that Setup has given
}

// required is what Spec has stated.
type required struct {
	want map[*machine.Object]Wanted
	more bool // Spec is asked of a turn, not of the end
}

// rest states the inputs of the work that remains after a turn.
type rest struct {
	moves  map[*machine.Object]int64 // by how many bytes later objects begin
	become map[term.Term]term.Term
}

// watchers contains observers of a proof, which do not change it.
type watchers struct {
	observer observer                                                                             // of the paths, if set
	record   *digest.Set                                                                          // of what is compared, if set
	tamper   func(s *machine.State, where string, a *Assertion, again func(*machine.State) error) // if set, see Unclaimed
}

// newCase returns a case for length n or, if n is negative, for all lengths. The
// function has args bytes of arguments. Nothing is declared yet.
func newCase(k *Kernel, variant string, args, n int64) *Case {
	t := term.New()
	c := &Case{Store: t, Kernel: k, Variant: variant}
	c.mem, c.want = machine.NewMemory(t), map[*machine.Object]Wanted{}
	c.Arguments = c.mem.Add(&machine.Object{Name: "arguments"}, t.Const(64, uint64(args)))
	switch {
	case n >= 0:
		c.N = t.Const(64, uint64(n))
	case k.Unit > 0:
		c.N = t.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Marked: true, Min: uint64(k.Min), Max: uint64(k.Max)})
	}
	return c
}

// NewCase returns a case without a kernel, for tests that compare specifications with
// numbers.
func NewCase() *Case { return newCase(&Kernel{}, "", 256, -1) }

// Specified returns a case of the kernel's first variant, and the bytes that Spec requires
// of the named object after n bytes.
func (k *Kernel) Specified(object string, n int64) (*Case, Wanted) {
	c := newCase(k, k.First().Variant, 256, n)
	k.Setup(c)
	k.Spec(c, n, true)
	for o, want := range c.want {
		if o.Name == object {
			return c, want
		}
	}
	return c, nil
}

// Buffer declares memory of n bytes that the function may only read.
func (c *Case) Buffer(name string, n int64) *machine.Object {
	return c.mem.Add(&machine.Object{Name: name, Align: 1}, c.Const(64, uint64(n)))
}

// Bytes declares memory of n bytes that the function may only read, where n is a term.
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

// Arg declares the next arguments: the base of an object, a length or another input.
func (c *Case) Arg(values ...term.Term) {
	for _, t := range values {
		c.Arguments.Set(c.argsSize, t)
		c.argsSize += 8
	}
}

// Arg32 declares a new 32-bit input as the next argument and returns the input.
func (c *Case) Arg32(name string) term.Term {
	t := c.NewLeaf(32, term.LeafInfo{Name: name})
	c.Arguments.Set(c.argsSize, t)
	c.argsSize += 4
	return t
}

// Result declares a result of the given number of bytes and returns its offset among
// the arguments.
func (c *Case) Result(bytes int64) (at int64) {
	at = (c.argsSize + 7) &^ 7
	c.argsSize = at + bytes
	Writable(c.Arguments)
	return at
}

// Input returns a new 64-bit input, for use in Arg.
func (c *Case) Input(name string, public bool) term.Term {
	return c.NewLeaf(64, term.LeafInfo{Name: name, Public: public})
}

// leavesOf lists the leaves of a term.
func (c *Case) leavesOf(t term.Term) (list []term.Term) {
	c.Substitute(func(leaf term.Term) term.Term {
		if !slices.Contains(list, leaf) {
			list = append(list, leaf)
		}
		return leaf
	}).Term(t)
	return list
}

// Turns returns how many turns have come before Invariant's assertion is checked: 0
// when the loop is first reached, and otherwise 1.
func (c *Case) Turns() int64 {
	if c.Looped {
		return 1
	}
	return 0
}

// Before returns the input that counts the turns before the loop's head. It fails if
// the path does not begin at the head.
func (c *Case) Before() term.Term {
	if c.head == nil {
		machine.Fail("no turn comes before")
	}
	return c.head.turns
}

// Equal reports whether two words consist of the same bytes.
func (c *Case) Equal(x, y term.Term) bool {
	return slices.EqualFunc(c.bytes(x), c.bytes(y), c.Same)
}

// Register returns the place of the named register. For a vector, named Z0 or V0 for
// example, it returns the first 8 bytes.
func (c *Case) Register(name string) Place { return c.Lane(name, 0) }

// Lane returns the place of a 64-bit lane of a vector register.
func (c *Case) Lane(name string, lane int) Place {
	at := c.layout.At(name)
	if at < 0 {
		machine.Fail("there is no register %s", name)
	}
	return InRegisters(at + 8*lane)
}

// Objects returns all memory.
func (c *Case) Objects() []*machine.Object { return c.mem.Objects() }

// SizeOf returns the size of an object.
func (c *Case) SizeOf(o *machine.Object) term.Term { return c.mem.Size(o) }

// Locals returns the whole frame, even if part of it is aligned.
func (c *Case) Locals() *machine.Object { return c.frame }

// Frame returns the aligned part of the function's frame or, if there is none, the
// frame.
func (c *Case) Frame() *machine.Object { return c.frame.Aligned() }

// Known returns the value of a term. It fails if the term is not a constant.
func (c *Case) Known(t term.Term) uint64 {
	v, ok := c.IsConst(t)
	if !ok {
		machine.Fail("%s is not known", c.Format(t))
	}
	return v
}

// bytes returns the bytes of a term.
func (c *Case) bytes(t term.Term) []term.Byte {
	b := make([]term.Byte, c.Width(t)/8)
	c.Store.Bytes(b, t)
	return b
}

// Declared returns the case that Setup declares for a variant, without choosing a
// length.
func (k *Kernel) Declared(variant string) *Case {
	c := newCase(k, variant, 0, -1)
	k.Setup(c)
	return c
}

// Call declares the arguments of a call with Calls or, if Calls is nil, with Setup, so
// that package contracts can check calls. The statement's Given is valid until the next
// Call.
func (k *Kernel) Call(variant string) *Case {
	c := newCase(k, variant, 0, -1)
	if k.Calls != nil {
		k.Calls(c)
	} else {
		k.Setup(c)
	}
	return c
}

// A Congruence contains the facts about inputs modulo a prime that Setup has stated
// with [algebra.Algebra.Let].
type Congruence struct {
	*algebra.Algebra
	Prime *big.Int
}

// AtMost states that callers never pass inputs for which t exceeds the limit. The proof
// does not use this fact. It covers larger values as well, for which the claim is true
// but useless.
func (c *Case) AtMost(name string, t term.Term, most uint64) {
	c.Most = append(c.Most, Most{name, t, most})
}

// A Most is a limit that AtMost has stated.
type Most struct {
	Name string
	Term term.Term
	Most uint64
}

// InPlace states that callers may pass the same buffer as both o and the output dst.
func (c *Case) InPlace(o, dst *machine.Object) { c.MayLie(o, dst, 0, 0) }

// MayLie states that callers may pass a buffer o that overlaps the output dst. Let d be
// the offset of o from the start of dst. If before is 0, d must be 0. Otherwise,
// callers may pass any o with d <= -before, so that reads of o return bytes already
// stored to dst. If after is not 0, callers may also pass any o with d >= after.
func (c *Case) MayLie(o, dst *machine.Object, before, after int64) {
	c.Lies = append(c.Lies, Lie{Object: o, In: dst, before: before, after: after})
}

// MayOverlap states that callers may pass a dst that overlaps the other buffers in any
// way. The function must not read the other buffers after its first store to dst.
func (c *Case) MayOverlap(dst *machine.Object, others ...*machine.Object) {
	for _, o := range others {
		c.Lies = append(c.Lies, Lie{Object: o, In: dst, anywhere: true})
	}
}
