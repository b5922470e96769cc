// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"iter"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Assertions maps labels to the functions that return the assertions there.
type Assertions map[string]func(c *Case, s View) *Assertion

// A Kernel is a function together with the statement to prove about it.
type Kernel struct {
	File, Func string
	Claim      string   // for people
	Variants   []string // cases that Setup tells apart by Case.Variant, or none

	// Lengths that callers may pass: the multiples of Unit from Min to Max. Unit must
	// be 0 for functions without a length.
	Unit, Min, Max int64
	Lengths        string                      // for people, if lengths are no bytes
	Given          func(c *Case, n int64) bool // which of them callers give in a variant, if not all

	// Setup declares the memory and the arguments.
	Setup func(c *Case)

	// Calls, if not nil, declares in place of Setup which argument values callers may
	// pass. It may accept arguments that Setup rejects, if the proof covers them in
	// another way. It may also reject arguments that Setup accepts, if the claim is not
	// useful for them.
	Calls func(c *Case)

	// Spec states with Case.Expect what memory must contain after n bytes. If last is
	// true, it covers all memory. Otherwise, it covers the memory that no later turn of
	// the loop changes.
	Spec func(c *Case, n int64, last bool)

	// Step is the number of bytes that one turn of the kernel's loop processes. The
	// work that remains after a turn must be the whole work for other inputs: Advance
	// states these inputs with Case.Become. Buffers need no Become, because they begin
	// later by the number of bytes that the turn removes from their sizes. The loop's
	// invariant is that, for these inputs, registers and frame contain what they
	// contained when the loop was first reached.
	Step    int64
	Turn    func(variant string) int64 // is Step, where variants differ
	Advance func(c *Case)
	Reached int64 // from how many bytes on the loop is reached, if no multiple of Step

	// Invariant, if not nil, returns an assertion about those parts of the loop head's
	// state that are not expressions of the inputs. The assertion is checked when the
	// head is first reached and, with Case.Looped set, after each turn. From the head
	// on, nothing else is known about these parts.
	Invariant func(c *Case) *Assertion

	// Left, if not nil, checks on return the memory that Spec leaves open with
	// Case.Free or Case.Checked.
	Left func(c *Case, s View, n int64) error

	// At, by label, and Cut, after each instruction, may assert facts about the state.
	// These assertions divide a long computation into several short ones, because the
	// proof forgets how a word was computed once an assertion states everything that
	// the rest of the code needs to know about the word.
	At  Assertions
	Cut func(c *Case, s View) *Assertion

	// Cuts are labels that every execution passes, in this order. The segments between
	// them are proven one at a time. The first segment is proven for each value of the
	// input that Parameter returns. Spec describes the end of the last segment.
	Cuts      []Cut
	Parameter func(c *Case) term.Term

	// StandIn, if not nil, may put an unknown in the place of an operand while the next
	// instruction is executed.
	StandIn func(c *Case, s View) *StandIn

	// Segments are proven before the kernel, which enters them by Assertion.Call. A
	// segment is the code between two labels. Its proof assumes what Setup and Enter
	// state and shows what Spec and Exit state. Running the segment finds the other
	// registers and bytes that it writes. The kernel must also declare the memory that
	// its segments access, because calls to the function are checked against the kernel
	// only.
	Segments []Kernel
	From, To string
	Enter    func(c *Case) *Assertion
	Exit     func(c *Case) *Assertion

	// Unwiped states that the frame contains secrets on return. For other functions,
	// the proof shows that the frame contains none.
	Unwiped bool

	construct func() *Kernel // see Constructed
}

// A Case is one set of inputs for which a kernel is run.
type Case struct {
	*term.Store
	mem     *machine.Memory
	Kernel  *Kernel
	Variant string
	N       term.Term // the length, if the kernel has one
	Lengths Lengths   // those that are proven
	Head    string    // the label of the loop's head, if not that to which the furthest way back goes
	Looped  bool      // the work has come from the loop's head, as Invariant claims it

	layout    *machine.Layout
	frame     *machine.Object
	Arguments *machine.Object
	argsSize  int64
	want      map[*machine.Object]Wanted
	more      bool // Spec is asked of a turn, not of the end
	moves     map[*machine.Object]int64
	become    map[term.Term]term.Term
	Fn        *asm.Func

	Lies  []Lie        // see MayLie and MayOverlap
	Rings []Congruence // what is known of inputs modulo primes
	Most  []Most       // see AtMost

	inputs   map[term.Term]bool // the leaves that Setup has given
	head     *loop              // where the way began, if at a loop's head
	observer observer           // of the paths, if set
	record   *record            // of what is compared, if set

	segments Segments // those that are proven
	file     *asm.File
	tamper   func(s *machine.State, where string, a *Assertion, again func(*machine.State) error) // if set, see Unclaimed
}

// newCase returns a case of a statement for length n or, if n is negative, for all
// lengths. The arguments have a size of args bytes. Nothing is declared yet.
func newCase(k *Kernel, variant string, args, n int64) *Case {
	t := term.New()
	c := &Case{Store: t, mem: machine.NewMemory(t), Kernel: k, Variant: variant, want: map[*machine.Object]Wanted{}}
	c.Arguments = c.mem.Add(&machine.Object{Name: "arguments"}, t.Const(64, uint64(args)))
	switch {
	case n >= 0:
		c.N = t.Const(64, uint64(n))
	case k.Unit > 0:
		c.N = t.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Marked: true, Min: uint64(k.Min), Max: uint64(k.Max)})
	}
	return c
}

// NewCase returns a case that belongs to no proof. Tests use it to compare
// specifications with numbers.
func NewCase() *Case { return newCase(&Kernel{}, "", 256, -1) }

// Specified returns a case of the kernel's first variant. It also returns the values
// that Spec requires of an object after n bytes.
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

// Bytes declares memory that the function may only read. The term n is the size in
// bytes.
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

// Arg passes values as the next arguments. A value is an object's base, a length or an
// input.
func (c *Case) Arg(values ...term.Term) {
	for _, t := range values {
		c.Arguments.Set(c.argsSize, t)
		c.argsSize += 8
	}
}

// Arg32 passes a new 32-bit input as the next argument and returns the input.
func (c *Case) Arg32(name string) term.Term {
	t := c.NewLeaf(32, term.LeafInfo{Name: name})
	c.Arguments.Set(c.argsSize, t)
	c.argsSize += 4
	return t
}

// Result declares a result of the given size in bytes, and returns its offset among the
// arguments.
func (c *Case) Result(bytes int64) (at int64) {
	at = (c.argsSize + 7) &^ 7
	c.argsSize = at + bytes
	Writable(c.Arguments)
	return at
}

// Input returns a new argument of 64 bits.
func (c *Case) Input(name string, public bool) term.Term {
	return c.NewLeaf(64, term.LeafInfo{Name: name, Public: public})
}

// Expect states what memory must contain starting at offset: the given terms, in order.
func (c *Case) Expect(o *machine.Object, offset int64, terms ...term.Term) {
	for _, t := range terms {
		c.ExpectBytes(o, offset, c.bytes(t)...)
		offset += int64(c.Width(t) / 8)
	}
}

// ExpectBytes says what bytes of memory must be.
func (c *Case) ExpectBytes(o *machine.Object, offset int64, bytes ...term.Byte) {
	if offset < 0 {
		machine.Fail("the statement says what is in %s[%d], where nothing may be stored", o.Name, offset)
	}
	w := c.want[o]
	for int64(len(w)) < offset+int64(len(bytes)) {
		w = append(w, unsaid)
	}
	copy(w[offset:], bytes)
	c.want[o] = w
}

// ExpectByte says what a byte of memory must be.
func (c *Case) ExpectByte(o *machine.Object, offset int64, b term.Byte) {
	c.ExpectBytes(o, offset, b)
}

// ExpectZeros says that bytes of memory must be 0.
func (c *Case) ExpectZeros(o *machine.Object, from, to int64) {
	for i := from; i < to; i++ {
		c.ExpectByte(o, i, term.ConstByte(0))
	}
}

// Free states that bytes of memory may have any public values on return. It has no
// effect on the specification of a turn.
func (c *Case) Free(o *machine.Object, from, to int64) { c.endsWith(free, o, from, to) }

// Checked states that Left determines bytes of memory on return. A test tries other
// values for each of these bytes. Checked has no effect on the specification of a turn.
func (c *Case) Checked(o *machine.Object, from, to int64) { c.endsWith(checked, o, from, to) }

// Secret states that bytes of memory may have any values on return, because callers
// keep them secret before and after the call. The statement's Claim must mention this.
// Secret has no effect on the specification of a turn.
func (c *Case) Secret(o *machine.Object, from, to int64) {
	if o.Public || o == c.Arguments {
		machine.Fail("%s is no secret", o.Name)
	}
	c.endsWith(secret, o, from, to)
}

func (c *Case) endsWith(b term.Byte, o *machine.Object, from, to int64) {
	for i := from; i < to && !c.more; i++ {
		c.ExpectByte(o, i, b)
	}
}

// Wanted contains the values that Spec states for an object's bytes.
type Wanted []term.Byte

// Values that no byte of a term has. They mark bytes that may have any public value,
// bytes that Spec does not mention, bytes that Left determines, and bytes that may have
// any secret value.
const (
	free    = ^term.Byte(0)
	unsaid  = ^term.Byte(1)
	checked = ^term.Byte(2)
	secret  = ^term.Byte(3) // of memory that callers keep secret
)

// At returns the value stated for a byte, and reports whether there is one.
func (w Wanted) At(at int64) (term.Byte, bool) {
	if at >= int64(len(w)) || w[at] == unsaid {
		return unsaid, false
	}
	return w[at], true
}

// All iterates over the bytes for which a value is stated.
func (w Wanted) All() iter.Seq2[int64, term.Byte] {
	return func(yield func(int64, term.Byte) bool) {
		for at, b := range w {
			if b != unsaid && !yield(int64(at), b) {
				return
			}
		}
	}
}

// forget removes everything that Spec has stated.
func (c *Case) forget() {
	for o, w := range c.want {
		c.want[o] = w[:0]
	}
}

// goOn computes the inputs of the next iteration: those for which running from the
// start, with the remaining length, does the same work as continuing from the loop's
// head.
func (c *Case) goOn(become map[term.Term]term.Term) {
	c.moves, c.become = map[*machine.Object]int64{}, become
	shorter := c.Replace(map[term.Term]term.Term{c.N: c.AddConst(c.N, -uint64(c.Kernel.Step))})
	for _, o := range c.mem.Objects() {
		size := c.mem.Size(o)
		if by, ok := c.IsConst(c.Sub(size, shorter.Term(size))); ok && by != 0 {
			c.Move(o, int64(by))
		}
	}
	if c.Kernel.Advance != nil {
		c.Kernel.Advance(c)
	}
}

// Move states how many bytes later in an object the remaining work begins. It is needed
// only if the object's size does not determine this number.
func (c *Case) Move(o *machine.Object, by int64) { c.moves[o] = by }

// Become states that in the remaining work, an input has the current value of t. An
// input that comes from a buffer is set byte by byte, because each byte of a buffer is
// an input of its own.
func (c *Case) Become(input, t term.Term) {
	if c.Op(input) == term.Leaf {
		c.become[input] = t
		return
	}
	to := c.bytes(t)
	for i, from := range c.bytes(input) {
		leaf, _ := from.Of()
		c.become[leaf] = c.Alone(to[i])
	}
}
