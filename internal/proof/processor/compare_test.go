// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// base returns the offset of the base register in the harness's state.
func (a *architecture) base() int { return 8 * a.number(a.names.base) }

func (a *architecture) number(reg string) int {
	return slices.Index(a.Of, reg)
}

// A model executes the meanings of an architecture's forms.
type model struct {
	*architecture
	env    *machine.Env
	blank  *machine.State  // state in which nothing is known
	buffer *machine.Object // buffer to which the base register points; bytes before it belong to no object
	// The numbers of the general purpose registers to compare.
	words []int
}

// newModel returns a model with its own store.
func (a *architecture) newModel() *model {
	t := term.New()
	mem := machine.NewMemory(t)
	args := mem.Add(&machine.Object{Name: "arguments"}, t.Const(64, 0))
	m := &model{architecture: a, env: &machine.Env{Args: args}}
	m.buffer = mem.Add(&machine.Object{Name: "buffer", Align: 64, Writable: true, Public: true}, t.Const(64, bufferSize/2))
	m.blank = machine.NewState(t, a.Layout, mem)
	for i := range m.blank.Flags {
		m.blank.Flags[i] = t.NewLeaf(8, term.LeafInfo{Name: "flag", Max: 1})
	}
	for i, name := range a.Of[:a.layout.words] {
		if !slices.Contains(a.left, name) && 8*i != a.base() {
			m.words = append(m.words, i)
		}
	}
	return m
}

// program returns the program of a single form. The function ends after it and at the
// target of its jump.
func (m *model) program(f *form) (*machine.Program, error) {
	fn := &asm.Func{Name: "form", Labels: map[string]int{"there": 2}, Code: []asm.Instr{f.in}}
	p := m.Program(fn, m.env)
	var err error
	if p.Ops[0], err = p.Compile(0); err != nil {
		return nil, err
	}
	end := func(s *machine.State) { s.Done = true }
	p.Ops, p.Lines = append(p.Ops, end, end), append(p.Lines, 0, 0)
	return p, nil
}

// compare executes a form's program on the state before and compares the result with
// after.
func (m *model) compare(f *form, p *machine.Program, before, after []byte) error {
	s := m.blank.Clone()
	m.fill(s, before)
	if err := s.Run(p, machine.NoStop); err != nil {
		return err
	}
	if f.jump {
		if went := m.layout.word(after, 8*m.number(m.jumped)) == 0; went != (s.Visits()[1] == 0) {
			return fmt.Errorf("goes to the label: %t", went)
		}
		return nil
	}
	return m.match(s, before, after)
}

// symbolic is like compare, but executes the program on unknowns and replaces them with
// numbers afterwards. If the instruction needs a number, such as a shift count, symbolic
// returns false.
func (m *model) symbolic(p *machine.Program, before, after []byte) (ok bool, err error) {
	s, known := m.blank.Clone(), m.blank.Clone()
	m.fill(known, before)
	numbers := map[term.Term]term.Term{}
	for i := 0; i < len(s.Regs); i += 8 {
		numbers[s.Word(i, 8)] = known.Word(i, 8)
	}
	for i, bit := range s.Flags {
		numbers[bit] = known.Flags[i]
	}
	for i := range int64(bufferSize / 2) {
		leaf, _ := m.buffer.Initial(i).Of()
		number, _ := known.Mem.Byte(m.buffer, i).Of()
		numbers[leaf] = number
	}
	for _, i := range []int{m.base(), 8 * m.number(m.names.index)} {
		s.SetWord(i, known.Word(i, 8))
	}
	copy(s.Regs[m.maskOffset:], known.Regs[m.maskOffset:][:m.layout.maskBytes()])
	if s.Run(p, machine.NoStop) != nil {
		return false, nil
	}
	s.Give(s.T.Replace(numbers))
	return true, m.match(s, before, after)
}

// fill sets the registers, flags and memory of the model.
func (m *model) fill(s *machine.State, state []byte) {
	l := &m.layout
	for i := range l.words {
		s.SetWord(8*i, s.T.Const(64, l.word(state, 8*i)))
	}
	s.SetWord(m.base(), m.buffer.Base)
	for i := range 32 * l.width {
		s.Regs[m.vectorOffset+i] = term.ConstByte(state[l.vectors+i])
	}
	for i := range l.maskBytes() {
		s.Regs[m.maskOffset+i] = term.ConstByte(state[l.masks+i])
	}
	for flag, bit := range m.flagBits(l.word(state, l.flags)) {
		s.Flags[flag] = s.T.Const(8, bit)
	}
	for i, b := range state[l.buffer+bufferSize/2:] {
		s.Mem.Put(m.buffer, int64(i), term.ConstByte(b))
	}
}

// match compares the model with the processor's state.
func (m *model) match(s *machine.State, before, after []byte) error {
	l := &m.layout
	var err error
	check := func(b term.Byte, want byte, where func() string) {
		if got, ok := s.T.ByteValue(b); (!ok || got != want) && err == nil {
			err = fmt.Errorf("%s: got %s, want %#x as in the processor", where(), s.T.FormatByte(b), want)
		}
	}
	registers := func(from, in, n int) {
		for i := range n {
			check(s.Regs[from+i], after[in+i], func() string { return fmt.Sprintf("byte %d of %s", i%8, m.Layout.Name(from+i)) })
		}
	}
	for _, i := range m.words {
		registers(8*i, 8*i, 8)
	}
	for i := range l.registers {
		registers(m.vectorOffset+i*l.width, l.vectors+i*l.width, l.loaded)
	}
	registers(m.maskOffset, l.masks, l.maskBytes())
	for i, want := range after[l.buffer+bufferSize/2:] {
		check(s.Mem.Byte(m.buffer, int64(i)), want, func() string { return fmt.Sprintf("memory[%d]", i) })
	}
	for flag, bit := range m.flagBits(l.word(after, l.flags)) {
		if s.Flags[flag] != machine.Undefined && s.Flags[flag] != s.T.Const(8, bit) {
			return fmt.Errorf("flag %d: got %s, want %d as in the processor", flag, s.T.Format(s.Flags[flag]), bit)
		}
	}
	if moved := s.T.Sub(s.Word(m.base(), 8), m.buffer.Base); moved != s.T.Const(64, l.word(after, m.base())) {
		return fmt.Errorf("base register changed by %s, unlike in the processor", s.T.Format(moved))
	}
	if low := l.buffer + bufferSize/2; !bytes.Equal(before[l.buffer:low], after[l.buffer:low]) {
		return fmt.Errorf("the processor has stored before the buffer")
	}
	return err
}
