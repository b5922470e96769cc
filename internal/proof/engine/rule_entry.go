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
	r.someLength()
	if name, ok := r.Impossible(); ok {
		machine.Fail("the bounds of %s allow no value", name)
	}
	r.inputs = r.mem.Inputs()
	s := machine.NewState(r.Store, r.layout, r.mem)
	s.SetWord(r.arch.Stack, r.AddConst(r.frame.Base, -r.arch.Below))
	s.Length = r.N
	r.entry, r.stop = s, machine.NoStop
	if k.From == "" {
		if r.argsSize != r.Fn.Args {
			machine.Fail("function has %d bytes of arguments, want %d as in Setup", r.Fn.Args, r.argsSize)
		}
		return
	}
	from, ok1 := r.Fn.Labels[k.From]
	to, ok2 := r.Fn.Labels[k.To]
	if !ok1 || !ok2 {
		machine.Fail("segment from %s to %s: the function lacks a label", k.From, k.To)
	}
	s.PC, s.Next, r.stop = from, from, to
	r.program.Ops[to] = func(*machine.State) { machine.Fail("leaves the segment") }
	enter := k.Enter(&r.Case)
	for _, h := range enter.Has {
		for _, leaf := range r.leavesOf(h.Term) {
			s.Assumed[leaf] = true
		}
	}
	r.assume(s, enter, nil)
	r.written = r.newWritten()
}

// someLength fails if the kernel's range is invalid or empty.
func (c *Case) someLength() {
	k := c.Kernel
	if k.Unit == 0 {
		return
	}
	if k.Unit < 0 || k.Min < 0 || k.Step < 0 || k.Step%k.Unit != 0 {
		machine.Fail("invalid lengths: minimum %d, unit %d, step %d; want none negative and a step that is a multiple of the unit", k.Min, k.Unit, k.Step)
	}
	for range c.given(k.Min, k.Max+1) {
		return
	}
	machine.Fail("callers can pass no length from %d to %d", k.Min, k.Max)
}

// data declares constant data. Data of at least 16 bytes is 16-byte aligned.
func (r *Session) data(name string, data []byte) *machine.Object {
	align := int64(1)
	if len(data) >= 16 {
		align = 16
	}
	o := r.mem.Add(&machine.Object{Name: name, Align: align, Public: true}, r.Const(64, uint64(len(data))))
	for i, b := range data {
		o.Set(int64(i), r.Const(8, uint64(b)))
	}
	return o
}
