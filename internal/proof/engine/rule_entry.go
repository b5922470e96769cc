// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/arm64"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

var archs = map[string]*isa.Architecture{"arm64": arm64.Architecture, "amd64": amd64.Architecture}

// NewSession prepares the proof of one variant of fn, a function of f.
func NewSession(k *Kernel, f *asm.File, fn *asm.Func, variant string) (r *Session, err error) {
	k = k.anew(variant)
	as := any(k) // identifies the statement, which no other session may use
	if k.construct == nil {
		as = k.Name() + k.From
	}
	c, begun := newCase(k, variant, fn.Args, -1), false
	defer func() {
		if !begun { // a statement may panic, too
			c.Store.Drop()
		}
		if err != nil {
			err = k.wrap(variant, err)
		}
	}()
	if _, other := sessions.LoadOrStore(as, c); other {
		return nil, errors.New("another Session uses this statement, which keeps what Setup declares; drop that Session first")
	}
	c.OnDrop(func() { sessions.Delete(as) })
	a := archs[k.arch()]
	if a == nil {
		return nil, fmt.Errorf("unsupported architecture %q", k.arch())
	}
	if err := features(a, fn); err != nil {
		return nil, err
	}
	r = &Session{Case: *c, arch: a, unwritten: map[term.Byte]Place{}}
	r.file, r.segments = f, Segments{}
	r.Fn, r.layout, r.Arguments.Align = fn, a.Layout, 8
	r.frame = r.mem.AddFrame(r.Const(64, uint64(fn.Frame)))
	r.env = &machine.Env{Args: r.Arguments, Data: map[string]*machine.Object{}}
	for name, data := range f.Data {
		r.env.Data[name] = r.data(name, data)
	}
	k.Setup(&r.Case)
	if err := k.someLength(&r.Case); err != nil {
		return nil, err
	}
	if name, ok := r.Impossible(); ok {
		return nil, fmt.Errorf("the bounds of %s allow no value", name)
	}
	r.inputs = r.mem.Inputs()
	if k.From == "" && r.argsSize != fn.Args {
		return nil, fmt.Errorf("function has %d bytes of arguments, want %d as in Setup", fn.Args, r.argsSize)
	}
	if r.program, err = a.Compile(fn, r.env); err != nil {
		return nil, err
	}
	r.entry = machine.NewState(r.Store, a.Layout, r.mem)
	r.entry.SetWord(a.Stack, r.AddConst(r.frame.Base, -a.Below))
	r.entry.Length = r.N
	r.stop = machine.NoStop
	if k.From != "" {
		err = r.segment()
	}
	begun = err == nil
	return r, err
}

// data declares constant data. The linker aligns data of 16 or more bytes to 16.
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

// features rejects instructions that the level in the function's name does not include.
func features(a *isa.Architecture, fn *asm.Func) error {
	level := cpu.LevelOf(fn.Name)
	if level == cpu.Generic {
		level = cpu.LevelOf(a.Baseline)
	}
	has := level.Sets()
	for i := range fn.Code {
		in := &fn.Code[i]
		var sets []string
		if err := machine.Try(func() { sets = a.Sets(in) }); err != nil {
			return fmt.Errorf("line %d: %s: %w", in.Line, in.Op, err)
		}
		for _, set := range sets {
			if !slices.Contains(has, set) {
				return fmt.Errorf("line %d: %s needs %s, which the level in the function's name does not include", in.Line, in.String(), set)
			}
		}
	}
	return nil
}

func (k *Kernel) arch() string {
	return strings.TrimSuffix(k.File[strings.LastIndex(k.File, "_")+1:], ".s")
}

func (r *Session) segment() error {
	from, ok1 := r.Fn.Labels[r.Kernel.From]
	to, ok2 := r.Fn.Labels[r.Kernel.To]
	if !ok1 || !ok2 {
		return fmt.Errorf("segment from %s to %s: the function lacks a label", r.Kernel.From, r.Kernel.To)
	}
	r.entry.PC, r.entry.Next, r.stop = from, from, to
	r.program.Ops[to] = func(*machine.State) { machine.Fail("leaves the segment") }
	r.assume(r.entry, r.Kernel.Enter(&r.Case), nil)
	r.written = r.newWritten()
	return nil
}
