// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"iter"
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/digest"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// An Assertion states what registers and memory hold at a certain instruction. After
// checking it, the engine replaces some of the values with unknowns, which are symbols
// for values about which only stated facts are known. This keeps terms short: for
// example, a hash of many blocks becomes an unknown number below a bound. On a path of the
// proof, each unknown can be introduced only once.
type Assertion struct {
	Has     []Has                   // the contents of places, as terms of the unknowns
	Unknown []term.Term             // unknowns that represent the contents of their places
	Of      map[term.Term]term.Term // the terms that other unknowns represent
	As      map[term.Term]term.Term // terms of other unknowns; each must equal what its unknown represents
	Algebra *algebra.Algebra        // of the polynomials in Note, if any

	// NextInstruction limits the assertion to the next instruction. Afterwards, bytes that
	// the instruction has not changed contain their original terms again.
	NextInstruction bool

	// Where, if not nil, checks how the unknowns' original values are related.
	Where func(View) error

	Note any // if set, what the statement records about the path

	Call *Call // if set, the segment that is entered here
}

// A Place is a register or a memory location.
type Place = machine.Place

// A Has states the term that a place contains.
type Has = machine.Has

// InRegisters returns the place at an offset in the registers.
func InRegisters(at int) Place { return Place{At: int64(at)} }

// In returns the place at an offset in an object.
func In(o *machine.Object, at int64) Place { return Place{Object: o, At: at} }

// HasUnknown adds to the assertion that a place holds an unknown.
func (a *Assertion) HasUnknown(p Place, unknown term.Term) {
	a.Unknown, a.Has = append(a.Unknown, unknown), append(a.Has, p.Has(unknown))
}

// A Call applies the proof of a segment instead of executing it.
type Call struct {
	To      string           // the label where the segment ends
	Name    string           // unique on each path, and among segments; Case.ExpectResult refers to it
	Cases   []Entry          // must cover all values of the inputs
	Buffers map[string]Place // where the segment's buffers are, by their names

	// Results replace the unknowns of the segment's Exit, in the same order.
	Results []term.Term
}

// An Entry names the variant of a segment to use for certain inputs.
type Entry struct {
	Variant string
	Inputs  map[term.Term]Values // limits the Entry to calls in which each input has one of its values
}

// Values are Min, Min + Step, Min + 2*Step and so on, up to Max. A Step of 0 means 1.
type Values struct{ Min, Max, Step uint64 }

func (v Values) contain(x uint64) bool {
	return x >= v.Min && x <= v.Max && (x-v.Min)%max(1, v.Step) == 0
}

// One returns the Values that contain only v.
func One(v uint64) Values { return Values{Min: v, Max: v} }

// Expect states that memory must contain terms, starting at offset.
func (c *Case) Expect(o *machine.Object, offset int64, terms ...term.Term) {
	for _, t := range terms {
		c.ExpectBytes(o, offset, c.bytes(t)...)
		offset += int64(c.Width(t) / 8)
	}
}

// ExpectBytes is like Expect for bytes. A byte that Free, Checked or Secret describes may be
// described again, but a stated value must not change.
func (c *Case) ExpectBytes(o *machine.Object, offset int64, bytes ...term.Byte) {
	if offset < 0 {
		machine.Fail("the statement's Spec describes %s[%d], which is before the start of the object", o.Name, offset)
	}
	w := c.want[o]
	for int64(len(w)) < offset+int64(len(bytes)) {
		w = append(w, unsaid)
	}
	for i, b := range bytes {
		if old := w[offset+int64(i)]; old < secret && old != b {
			machine.Fail("the statement's Spec describes %s[%d] twice", o.Name, offset+int64(i))
		}
	}
	copy(w[offset:], bytes)
	c.want[o] = w
}

// ExpectZeros states that the bytes o[from:to] must be 0.
func (c *Case) ExpectZeros(o *machine.Object, from, to int64) {
	for i := from; i < to; i++ {
		c.ExpectBytes(o, i, term.ConstByte(0))
	}
}

// Free lets o[from:to] hold any public values when the function returns.
func (c *Case) Free(o *machine.Object, from, to int64) { c.endsWith(free, o, from, to) }

// Checked states that Left determines o[from:to] on return.
func (c *Case) Checked(o *machine.Object, from, to int64) {
	machine.Refuse(c.Kernel.Left == nil, "Spec leaves bytes of %s to Left, but the statement has no Left", o.Name)
	c.endsWith(checked, o, from, to)
}

// Secret leaves o[from:to] open at the return, because callers keep it secret.
func (c *Case) Secret(o *machine.Object, from, to int64) {
	machine.Refuse(o.Public || o == c.Arguments, "Secret describes %s, which is public or contains the arguments", o.Name)
	c.endsWith(secret, o, from, to)
}

// endsWith does nothing if Spec describes an iteration instead of the end.
func (c *Case) endsWith(b term.Byte, o *machine.Object, from, to int64) {
	for i := from; i < to && !c.more; i++ {
		c.ExpectBytes(o, i, b)
	}
}

// ExpectResult requires o[at:at+count] to hold results of a segment call. If the caller has
// stored there before the call, Spec cannot be satisfied.
func (c *Case) ExpectResult(o *machine.Object, at int64, call, buffer string, offset, count int64) {
	// For example, o[64:80] must be out[0:16] after the call "second".
	for i := range count {
		c.ExpectBytes(o, at+i, term.Byte(c.result(result{call, buffer, offset + i})<<3))
	}
}

// Wanted contains the values that Spec states for an object's bytes.
type Wanted []term.Byte

// These markers in a Wanted differ from all bytes of terms.
const (
	free    = ^term.Byte(0) // any public value
	unsaid  = ^term.Byte(1) // not mentioned by Spec
	checked = ^term.Byte(2) // determined by Left
	secret  = ^term.Byte(3) // any value; callers keep it secret
)

// At returns the value stated for the byte at offset, if any.
func (w Wanted) At(offset int64) (term.Byte, bool) {
	if offset >= int64(len(w)) || w[offset] == unsaid {
		return unsaid, false
	}
	return w[offset], true
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

// Wanted returns what Spec has stated about an object.
func (c *Case) Wanted(o *machine.Object) Wanted { return c.want[o] }

// advanceInputs computes the inputs of the work that remains after an iteration.
func (c *Case) advanceInputs() {
	c.moves, c.become = map[*machine.Object]int64{}, map[term.Term]term.Term{}
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

// Move states that the remaining work uses o[by:] in place of o.
func (c *Case) Move(o *machine.Object, by int64) { c.moves[o] = by }

// Become replaces input with t in the remaining work.
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

// A View is a read-only view of a state, for use in statements.
type View struct {
	c  *Case
	s  *machine.State
	of *term.Substitution
	state
	Mem    Memory
	PC     int       // the instruction that was executed or is next
	Note   any       // see Assertion
	Length term.Term // of the path
}

// state contains the methods of a state that statements may call.
type state interface {
	Word(at, n int) term.Term                           // n bytes of registers
	Resolve(address term.Term) (*machine.Object, int64) // the object and the offset of an address
	Value(t term.Term) (value uint64, ok bool)          // for the path's lengths; if values differ, the path is split
}

// Memory is a read-only view of memory.
type Memory interface {
	Byte(o *machine.Object, at int64) term.Byte           // the present byte of an object
	Stored(o *machine.Object, at int64) (term.Byte, bool) // the byte that was stored, if any
	Extent(o *machine.Object) int64                       // an offset that no store to the object exceeds
}

func (c *Case) view(s *machine.State) View {
	return View{c: c, s: s, state: s, Mem: s.Mem, PC: s.PC, Note: s.Note, Length: s.Length}
}

// At returns the 64 bits that a place contains.
func (v View) At(p Place) term.Term { return v.s.Get(p, 64) }

// Of returns the terms that unknowns represent. Only Assertion.Where may call it.
func (v View) Of(terms ...term.Term) []term.Term {
	list := make([]term.Term, len(terms))
	for i, t := range terms {
		list[i] = v.of.Term(t)
	}
	return list
}

// Is returns an error unless got equals want, and records both.
func (v View) Is(what string, got, want term.Term) error {
	if r := v.c.record; r != nil {
		r.Add("is", r.Term(got), r.Term(want))
	}
	if got != want && !v.c.Equal(got, want) {
		return v.c.differs(what, got, v.c.Format(want))
	}
	v.shows(fact{what: what, got: got, want: want})
	return nil
}

// Congruent reports and records whether got and want are congruent modulo prime.
func (v View) Congruent(a *algebra.Algebra, got, want algebra.Poly, prime *big.Int) bool {
	if r := v.c.record; r != nil {
		r.Add("congruent", a.Hash(got, r.Term), a.Hash(want, r.Term), digest.Text(prime.String()))
	}
	ok := a.Congruent(got, want, prime)
	if ok {
		v.shows(fact{what: "a number", algebra: a, left: got, right: want, prime: prime})
	}
	return ok
}

// AtMost returns an error if t may exceed most, and records both.
func (v View) AtMost(a *algebra.Algebra, t term.Term, most uint64) error {
	if r := v.c.record; r != nil {
		r.Add("at most", r.Term(t), most)
	}
	err := a.Within(t, 0, most)
	if err == nil {
		v.shows(fact{what: "a number", got: t, want: v.c.Const(64, most), most: true})
	}
	return err
}

// Begun returns unknown or, before any iteration, the term that it represents.
func (c *Case) Begun(s View, unknown term.Term) term.Term {
	if s.s.Taken != nil && *s.s.Taken {
		return c.head.represented[unknown]
	}
	return unknown
}

// An observer follows the paths of a proof, but must not change them.
type observer interface {
	// assertion is called after an assertion, and before a segment is entered.
	assertion(s *machine.State, afterInstruction bool, of map[term.Term]term.Term)

	fact(s *machine.State, f fact) // the proof has shown f
	end(s *machine.State)          // an iteration of the loop ends
}

// A fact is a proven congruence, upper bound or equation.
type fact struct {
	what      string
	got, want term.Term
	most      bool
	algebra   *algebra.Algebra
	left      algebra.Poly
	right     algebra.Poly
	prime     *big.Int
}

func (v View) shows(f fact) {
	if v.c.observer != nil {
		v.c.observer.fact(v.s, f)
	}
}
