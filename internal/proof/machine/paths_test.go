// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"errors"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/term"
)

// TestSplit checks that an instruction whose result differs between two lengths ends
// with a Split that restores the flags. If the instruction has already changed
// registers or memory, it must end with a Fault.
func TestSplit(t *testing.T) {
	for _, test := range []struct {
		name string
		op   func(s *State, o *Object, n term.Term)
		err  string
	}{
		{"a flag", func(s *State, _ *Object, n term.Term) {
			s.Flags[0] = s.T.Const(8, 1)
			s.Value(n)
		}, ""},
		{"a register", func(s *State, _ *Object, n term.Term) {
			s.SetWord(0, s.T.Const(64, 1))
			s.Value(n)
		}, "before it decides a value that differs between lengths"},
		{"a vector", func(s *State, _ *Object, n term.Term) {
			s.SetBytes(0, 8, nil)
			s.Value(n)
		}, "before it decides a value that differs between lengths"},
		{"a store", func(s *State, o *Object, n term.Term) {
			s.Store(s.Regs[:8], o.Base, nil)
			s.Value(n)
		}, "before it decides a value that differs between lengths"},
		{"a store of some bytes", func(s *State, o *Object, n term.Term) {
			s.Store(s.Regs[:8], o.Base, func(i int) bool {
				if i == 7 {
					s.Value(n)
				}
				return true
			})
		}, ""},
	} {
		store := term.New()
		mem := NewMemory(store)
		o := mem.Add(&Object{Name: "o", Align: 1, Writable: true}, store.Const(64, 8))
		n := store.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Marked: true, Max: 2})
		s := NewState(store, &Layout{Of: []string{"R0"}}, mem)
		was := s.Word(0, 8)
		s.Restrict(n, []int64{1, 2})
		err := s.Run(&Program{Ops: []Op{func(s *State) { test.op(s, o, n) }}, Lines: []int{1}}, NoStop)
		var split *Split
		switch {
		case test.err == "" && !errors.As(err, &split), test.err != "" && (errors.As(err, &split) || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: got error %v, want %q", test.name, err, test.err)
		case test.err == "" && (s.Word(0, 8) != was || s.Flags[0] != Undefined || mem.Extent(o) != 0):
			t.Errorf("%s: the split does not restore registers, flags and memory", test.name)
		}
	}
}

// TestValue checks that Value returns a term's value if it is the same for all lengths
// of the group.
func TestValue(t *testing.T) {
	store := term.New()
	n := store.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Marked: true, Max: 63})
	other := store.NewLeaf(64, term.LeafInfo{Name: "other", Public: true})
	s := NewState(store, &Layout{Of: []string{"R0"}}, NewMemory(store))
	s.Restrict(n, []int64{9, 14})
	if v, ok := s.Value(store.Shr(n, 3)); v != 1 || !ok {
		t.Errorf("Value(n / 8) = %d, %v, want 1, true", v, ok)
	}
	if v, ok := s.Value(store.Add(n, other)); ok {
		t.Errorf("Value(n + other) = %d, want no value", v)
	}
	// Known must use only the lengths of the group, not the other bounds of a length.
	store.Info(n).Min = 10
	if v, ok := s.Known(store.Zero(store.Sub(n, store.Const(64, 9)))); ok {
		t.Errorf("Known(n = 9) = %v, want no value", v)
	}
	if v, ok := s.Known(store.Zero(store.Sub(n, store.Const(64, 15)))); v || !ok {
		t.Errorf("Known(n = 15) = %v, %v, want false, true", v, ok)
	}
	defer func() {
		if _, ok := recover().(*Split); !ok {
			t.Error("Value(n) does not end with a Split")
		}
	}()
	s.Value(n)
}
