// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package machine executes functions symbolically: registers and memory hold terms, so
// one symbolic execution covers many concrete ones. An execution fails if an access is
// out of bounds, if a branch or an address depends on a secret, or if an undefined flag
// is read.
package machine

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/term"
)

// Flags are carry, zero and signed less.
type Flags [3]term.Term

// Undefined represents a flag that must not be read.
const Undefined = ^term.Term(0)

// A State contains the contents of the registers and the memory.
type State struct {
	T     *term.Store
	Regs  []term.Byte
	Flags Flags
	Mem   *Memory

	PC, Next int
	Done     bool // the function has returned
	Dirty    bool // amd64: the upper halves of vector registers were used

	// Unless they are nil, Run calls Before and After with each instruction. It calls
	// Restore once, after the next instruction.
	Before, After, Restore func(*State)

	Trail   any                // data of an observer, shared by clones
	Note    any                // data of a statement, shared by clones
	Assumed map[term.Term]bool // leaves that already represent something

	Length term.Term        // a known number, or a symbol for several lengths
	Group  *Group           // lengths executed together, or nil
	bounds *algebra.Algebra // knows which lengths s covers; nil if the bounds of leaves suffice

	Fork  term.Term // public condition for which both branches are followed, or 0
	Taken *bool     // value of Fork on the branch that is followed

	visits []int32 // number of times that each instruction was executed
	phase  int     // next phase of executing the instruction at PC
	wrote  bool    // the instruction has changed registers or memory
	flags  Flags   // the flags before the instruction
}

// The phases of executing an instruction.
const (
	counting = iota
	before
	operation
	after
)

// NewState returns a state with unknown registers.
func NewState(t *term.Store, layout *Layout, mem *Memory) *State {
	s := &State{T: t, Regs: make([]term.Byte, layout.Size()), Mem: mem, Assumed: map[term.Term]bool{}}
	for i := 0; i < layout.Size(); i += 8 {
		t.Bytes(s.Regs[i:i+8], t.Unknown(64))
	}
	s.UndefineFlags()
	return s
}

// UndefineFlags makes all flags undefined.
func (s *State) UndefineFlags() { s.Flags = Flags{Undefined, Undefined, Undefined} }

// Begin returns a copy of s with which a new execution starts.
func (s *State) Begin() *State {
	c := s.Clone()
	c.visits, c.phase, c.Taken, c.bounds = nil, counting, nil, nil
	return c
}

// Clone returns a copy. It shares only data that execution never modifies.
func (s *State) Clone() *State {
	c := *s
	c.Regs, c.Mem, c.Assumed, c.visits = slices.Clone(s.Regs), s.Mem.clone(), maps.Clone(s.Assumed), slices.Clone(s.visits)
	return &c
}

// Give applies u to registers, flags, memory and the length.
func (s *State) Give(u *term.Substitution) {
	for _, bytes := range append([][]term.Byte{s.Regs}, s.Mem.content...) {
		for i, b := range bytes {
			if b != unset {
				bytes[i] = u.Byte(b)
			}
		}
	}
	for i, bit := range s.Flags {
		if bit != Undefined {
			s.Flags[i] = u.Term(bit)
		}
	}
	for i, size := range s.Mem.sizes {
		s.Mem.sizes[i] = u.Term(size)
	}
	s.Mem.given, s.Length = u, u.Term(s.Length)
}

// A Fault describes why execution failed.
type Fault struct {
	Message string
	Of      term.Term // the term that caused the fault, or 0
}

func (f Fault) Error() string { return f.Message }

// Fail panics with a Fault.
func Fail(format string, args ...any) { panic(Fault{Message: fmt.Sprintf(format, args...)}) }

// Refuse fails with the message if wrong is true.
func Refuse(wrong bool, format string, args ...any) {
	if wrong {
		Fail(format, args...)
	}
}

func (s *State) failOf(t term.Term, message string) { panic(Fault{message + s.T.Format(t), t}) }

// Try calls f and returns the Fault or Split with which f panics.
func Try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case Fault, *Split:
			err = r.(error)
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// Word returns n bytes of registers, starting at offset, as a term.
func (s *State) Word(offset, n int) term.Term { return s.T.Gather(s.Regs[offset : offset+n]) }

// SetWord stores a term in registers, starting at offset.
func (s *State) SetWord(offset int, t term.Term) {
	s.wrote = true
	s.T.Bytes(s.Regs[offset:offset+s.T.Width(t)/8], t)
}

// SetBytes stores b, followed by zeros, in the size-byte register at offset.
func (s *State) SetBytes(offset, size int, b []term.Byte) {
	s.wrote = true
	n := copy(s.Regs[offset:offset+size], b)
	clear(s.Regs[offset+n : offset+size]) // the byte 0 is the constant 0
}

// A Place is a register or a memory location.
type Place struct {
	Object *Object // nil for registers
	At     int64   // an offset in the object or in the registers
}

// A Has states the term that a place contains.
type Has struct {
	Place Place
	Term  term.Term
}

// Has returns the statement that the place contains t.
func (p Place) Has(t term.Term) Has { return Has{p, t} }

// Compare orders places by object and offset. Registers are first.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Object.order(), q.Object.order()), cmp.Compare(p.At, q.At))
}

func (o *Object) order() int {
	if o == nil {
		return -1
	}
	return o.number
}

// Get returns the width bits that a place contains.
func (s *State) Get(p Place, width int) term.Term {
	switch {
	case p.Object == nil:
		return s.Word(int(p.At), width/8)
	case p.At < 0:
		Fail("%s%+d is before the start of the object", p.Object.Name, p.At)
	}
	b := make([]term.Byte, width/8)
	for i := range b {
		b[i] = s.Mem.Byte(p.Object, p.At+int64(i))
	}
	return s.T.Gather(b)
}

// Set puts t in place p.
func (s *State) Set(p Place, t term.Term) {
	if p.Object == nil {
		s.SetWord(int(p.At), t)
		return
	}
	b := make([]term.Byte, s.T.Width(t)/8)
	s.T.Bytes(b, t)
	for i := range b {
		s.Mem.Put(p.Object, p.At+int64(i), b[i])
	}
}

// Flag returns a flag, and fails if the flag is undefined.
func (s *State) Flag(i int) term.Term {
	Refuse(s.Flags[i] == Undefined, "reads an undefined flag")
	return s.Flags[i]
}

// No kernel exceeds these limits on instructions and operands.
const (
	maxSteps = 1 << 20
	maxSize  = 1 << 23
)

// Run executes one or more instructions until the function returns or reaches stop.
func (s *State) Run(p *Program, stop int) error {
	if s.visits == nil {
		s.visits = make([]int32, len(p.Ops))
	}
	err := Try(func() {
		size := s.T.Size()
		for range maxSteps {
			s.step(p)
			if s.Done {
				return
			}
			Refuse(s.Next >= len(p.Ops), "runs past the end of the function")
			if s.PC = s.Next; s.PC == stop {
				return
			}
			Refuse(s.T.Size()-size > maxSize, "run creates terms with more than %d operands and may not end", maxSize)
		}
		Fail("run executes %d instructions without reaching an end", maxSteps)
	})
	switch _, split := err.(*Split); {
	case err == nil || split && s.phase != operation:
		return err
	case split && !s.wrote:
		s.Flags = s.flags // so that the instruction can be repeated
		return err
	case split:
		err = Fault{Message: "instruction changes registers or memory before it decides a value that differs between lengths"}
	}
	return fmt.Errorf("line %d: %w", p.Lines[s.PC], err)
}

// step executes an instruction, or the rest of it if a Split has interrupted it.
func (s *State) step(p *Program) {
	switch s.phase {
	case counting:
		s.visits[s.PC]++
		s.phase = before
		fallthrough
	case before:
		if s.Before != nil {
			s.Before(s)
		}
		if s.Next != s.PC { // Before has skipped this and other instructions
			break
		}
		s.phase = operation
		fallthrough
	case operation:
		s.wrote, s.flags = false, s.Flags
		s.Next = s.PC + 1
		if p.Ops[s.PC] == nil {
			op, err := p.Compile(s.PC)
			Refuse(err != nil, "%v", err)
			p.Ops[s.PC] = op
		}
		p.Ops[s.PC](s)
		if s.Restore != nil {
			s.Restore(s)
			s.Restore = nil
		}
		s.phase = after
		fallthrough
	case after:
		if s.After != nil {
			s.After(s)
		}
	}
	s.phase = counting
}

// Visits returns how often the last Run executed each instruction.
func (s *State) Visits() []int32 { return s.visits }

// NoStop makes Run continue until the function returns.
const NoStop = math.MaxInt

// An Env contains the memory to which a function's code refers.
type Env struct {
	Args *Object            // arguments, from 0(FP)
	Data map[string]*Object // static data, by name
}

// An Op executes a compiled instruction. Only jumps set Next.
type Op func(*State)

// A Program is one compiled function.
type Program struct {
	Ops     []Op                    // nil if not yet compiled
	Lines   []int                   // line numbers in the source
	Compile func(i int) (Op, error) // compiles an instruction
}

// A Layout describes how an architecture uses State.Regs.
type Layout struct {
	Of []string       // register of each 8-byte word; general purpose registers come first
	at map[string]int // the first word of each register
}

// NewLayout assigns offsets to general purpose registers, vectors and masks.
func NewLayout(words []string, vector string, count, width int, mask string, masks int) *Layout {
	l := &Layout{Of: slices.Clone(words)}
	for i := range count {
		l.Of = append(l.Of, slices.Repeat([]string{fmt.Sprint(vector, i)}, width/8)...)
	}
	for i := range masks {
		l.Of = append(l.Of, fmt.Sprint(mask, i))
	}
	l.at = map[string]int{}
	for i, name := range slices.Backward(l.Of) {
		l.at[name] = i
	}
	return l
}

// Size returns the size of all registers in bytes.
func (l *Layout) Size() int { return 8 * len(l.Of) }

// At returns the offset of the register with the given name, or a negative number.
func (l *Layout) At(name string) int {
	if i, ok := l.at[name]; ok {
		return 8 * i
	}
	return -1
}

// Name returns the register at offset, with the byte's index for a vector.
func (l *Layout) Name(offset int) string {
	name := l.Of[offset/8]
	if at := l.At(name); at+8 < l.Size() && l.Of[at/8+1] == name {
		return fmt.Sprintf("%s[%d]", name, offset-at)
	}
	return name
}

// Bitwise sets dst to f(a, b), where f is a bitwise operation.
func Bitwise(t *term.Store, f func(a, b term.Term) term.Term, dst, a, b []term.Byte) {
	for len(a) > 0 {
		n := min(unit(t, a), unit(t, b), len(a))
		t.Bytes(dst[:n], f(t.Gather(a[:n]), t.Gather(b[:n])))
		dst, a, b = dst[n:], a[n:], b[n:]
	}
}

// unit returns the number of leading bytes to combine in one term.
func unit(t *term.Store, b []term.Byte) int {
	of, _ := b[0].Of()
	if n := t.Width(of) / 8; n > 1 {
		return n
	}
	return 8
}
