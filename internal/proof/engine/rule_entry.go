// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"github.com/unimac/unimac/internal/proof/machine"
)

// enter calls Setup and builds the state in which execution starts.
func (r *Session) enter() {
	k := r.Kernel
	k.Setup(&r.Case)
	if k.Unit != 0 {
		refuse(k.Unit < 0 || k.Min < 0 || k.Step < 0 || k.Step%k.Unit != 0, "invalid lengths: minimum %d, unit %d, step %d; want none negative and a step that is a multiple of the unit", k.Min, k.Unit, k.Step)
		some := false
		for range r.given(k.Min, k.Max+1) {
			some = true
			break
		}
		refuse(!some, "callers can pass no length from %d to %d", k.Min, k.Max)
	}
	name, impossible := r.Impossible()
	refuse(impossible, "the bounds of %s allow no value", name)
	r.inputs = r.mem.Inputs()
	s := machine.NewState(r.Store, r.layout, r.mem)
	s.SetWord(r.arch.Stack, r.AddConst(r.frame.Base, -r.arch.Below))
	s.Length = r.N
	for at := 0; at < r.layout.Size(); at += 8 {
		s.Assumed[s.Word(at, 8)] = true // no assertion may bind it
	}
	r.entry, r.stop = s, machine.NoStop
	if k.From == "" {
		refuse(r.argsSize != r.Fn.Args, "function has %d bytes of arguments, want %d as in Setup", r.Fn.Args, r.argsSize)
		return
	}
	from, ok1 := r.Fn.Labels[k.From]
	to, ok2 := r.Fn.Labels[k.To]
	refuse(!ok1 || !ok2, "segment from %s to %s: the function lacks a label", k.From, k.To)
	s.PC, s.Next, r.stop = from, from, to
	r.program.Ops[to] = func(*machine.State) { machine.Fail("leaves the segment") }
	r.assume(s, k.Enter(&r.Case), nil)
	r.written = r.newWritten()
}
