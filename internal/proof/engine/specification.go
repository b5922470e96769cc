// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"iter"

	"github.com/unimac/unimac/internal/proof/algebra"
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

// ExpectResult requires o[at:at+count], not stored before, to hold what a segment call stored.
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
