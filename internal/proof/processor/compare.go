// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// base returns the offset of the base register in a state of the harness.
func (a *architecture) base() int { return 8 * a.number(a.names.base) }

func (a *architecture) number(reg string) int {
	return slices.IndexFunc(a.machine.Words, func(w machine.Register) bool { return w.Name == reg })
}

// A model runs the meanings of an architecture's forms.
type model struct {
	*architecture
	store *term.Store
	blank *machine.State // of which nothing is known
}

// newModel returns a model with a store of its own.
func (a *architecture) newModel() *model {
	t := term.New()
	return &model{a, t, machine.NewState(t, a.machine, machine.NewMemory(t))}
}

// compare runs the meaning of a form on a state before and compares what it gives
// with the state after. It reports whether the form could be run.
func (a *model) compare(f *form, before, after []byte) error {
	l, t := &a.layout, a.store
	mem := machine.NewMemory(t)
	args := mem.Add(&machine.Object{Name: "arguments"}, t.Const(64, 0))
	buffer := mem.Add(&machine.Object{Name: "buffer", Align: 64, Writable: true, Public: true}, t.Const(64, bufferSize/2))
	// The base register points into the middle: what comes before it is another
	// object, which instructions that count down reach.
	for i := range bufferSize / 2 {
		buffer.Set(int64(i), t.Const(8, uint64(before[l.buffer+bufferSize/2+i])))
	}
	env := &machine.Env{T: t, Args: args, Frame: args}
	fn := &asm.Func{Name: "form", Labels: map[string]int{"there": 2}, Code: []asm.Instr{f.in}}
	p, err := a.compile(fn, env)
	if err != nil {
		return err
	}
	s := a.blank.Clone()
	s.Mem = mem
	a.fill(s, before, buffer)
	p.Ops = append(p.Ops, func(s *machine.State) { s.Done = true }, func(s *machine.State) { s.Done = true })
	p.Lines = append(p.Lines, 0, 0)
	if _, err := s.Run(p, machine.NoStop); err != nil {
		return err
	}
	return a.match(s, f, buffer, before, after)
}

// fill sets the registers and flags of the model.
func (a *architecture) fill(s *machine.State, state []byte, buffer *machine.Object) {
	l := &a.layout
	for i := range l.words {
		s.SetWord(8*i, s.T.Const(64, l.word(state, 8*i)))
	}
	s.SetWord(a.base(), buffer.Base)
	for i := range 32 * l.width {
		s.Regs[a.vectorOffset+i] = term.ConstByte(state[l.vectors+i])
	}
	if l.masks > 0 {
		for i := range 64 {
			s.Regs[a.maskOffset+i] = term.ConstByte(state[l.masks+i])
		}
	}
	for flag, bit := range a.flagBits(l.word(state, l.flags)) {
		s.Flags[flag] = s.T.Const(8, bit)
	}
}

// match compares the model with the processor's state.
func (a *architecture) match(s *machine.State, f *form, buffer *machine.Object, before, after []byte) error {
	l := &a.layout
	check := func(b term.Byte, want byte, name string, args ...int) error {
		if got, ok := s.T.ByteValue(b); !ok || got != want {
			return fmt.Errorf("%s%v is %s, the processor has %#x", name, args, s.T.FormatByte(b), want)
		}
		return nil
	}
	if f.jump {
		// The harness says so in the register that it uses for it.
		at := map[string]int{"amd64": 14, "arm64": 25}[a.name]
		if went := l.word(after, 8*at) == 0; went != (s.Visits()[1] == 0) {
			return fmt.Errorf("goes to the label: %t", went)
		}
		return nil
	}
	for i, w := range a.machine.Words {
		if i >= l.words || w.Offset == a.base() || !a.names.general(w.Name) || a.left(w.Name) {
			continue
		}
		for j := range 8 {
			if err := check(s.Regs[8*i+j], after[8*i+j], w.Name, j); err != nil {
				return err
			}
		}
	}
	if moved := s.T.Sub(s.Word(a.base(), 8), buffer.Base); moved != s.T.Const(64, l.word(after, a.base())) {
		return fmt.Errorf("the base has moved by %s", s.T.Format(moved))
	}
	for i := range 32 * l.width {
		if err := check(s.Regs[a.vectorOffset+i], after[l.vectors+i], "vector", i/l.width, i%l.width); err != nil {
			return err
		}
	}
	if l.masks > 0 {
		for i := range 64 {
			if err := check(s.Regs[a.maskOffset+i], after[l.masks+i], "mask", i/8, i%8); err != nil {
				return err
			}
		}
	}
	for i := range bufferSize / 2 {
		if err := check(s.Mem.Byte(buffer, int64(i)), after[l.buffer+bufferSize/2+i], "memory", i); err != nil {
			return err
		}
		if before[l.buffer+i] != after[l.buffer+i] {
			return fmt.Errorf("the processor has stored before the buffer")
		}
	}
	for flag, bit := range a.flagBits(l.word(after, l.flags)) {
		if s.Flags[flag] != machine.Undefined && s.Flags[flag] != s.T.Const(8, bit) {
			return fmt.Errorf("flag %d is %s, the processor has %d", flag, s.T.Format(s.Flags[flag]), bit)
		}
	}
	return nil
}

// left reports whether the harness does not load a register.
func (a *architecture) left(reg string) bool {
	if a.name == "amd64" {
		return strings.Contains(" SP BP R14 R15 ", " "+reg+" ")
	}
	return strings.Contains(" R18 R26 R27 R28 R29 R30 RSP ", " "+reg+" ")
}
