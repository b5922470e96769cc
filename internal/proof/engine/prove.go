// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/arm64"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Result is what was proven.
type Result struct {
	Invariant string // in words
	Runs      int
	Reached   []bool // the instructions that a run has executed
	Digest    string // of the code; see Kernel.Digest
}

// ran notes what a run has executed.
func (r *Result) ran(visits []int32) {
	for i, n := range visits {
		r.Reached[i] = r.Reached[i] || n > 0
	}
}

// Find returns a function of a file.
func Find(f *asm.File, name string) *asm.Func {
	for _, fn := range f.Funcs {
		if fn.Name == name {
			return fn
		}
	}
	return nil
}

// Read reads the kernel's file below the module root and returns the file and the
// function.
func (k *Kernel) Read(root string) (*asm.File, *asm.Func, error) {
	f, err := asm.Read(filepath.Join(root, filepath.FromSlash(k.File)))
	if err != nil {
		return nil, nil, err
	}
	fn := Find(f, k.Func)
	if fn == nil {
		return nil, nil, fmt.Errorf("%s: no function %s", k.File, k.Func)
	}
	return f, fn, nil
}

// ProveFunc proves the claim for all variants of a function that has already been read.
func (k *Kernel) ProveFunc(f *asm.File, fn *asm.Func, which Lengths) (Result, error) {
	return k.proveParts(f, fn, which, func(*Session) func() { return func() {} })
}

// proveParts proves the kernel's parts. It calls begun with the session of each part
// before the proof, and the function that begun returns after it.
func (k *Kernel) proveParts(f *asm.File, fn *asm.Func, which Lengths, begun func(*Session) func()) (total Result, err error) {
	segments, code := Segments{}, sha256.Sum256([]byte(f.Canonical(fn)))
	total.Digest = fmt.Sprintf("%x", code[:4])
	total.Reached = make([]bool, len(fn.Code))
	for _, part := range k.Parts() {
		s, err := NewSession(part.Kernel, f, fn, part.Variant)
		if err != nil {
			return total, err
		}
		s.segments = segments
		end := begun(s)
		r, err := s.proveAndDrop(which)
		end()
		if err != nil {
			return total, err
		}
		if part.Kernel.From == "" && total.Invariant == "" {
			total.Invariant = r.Invariant
		}
		total.Runs += r.Runs
		for i, reached := range r.Reached {
			total.Reached[i] = total.Reached[i] || reached
		}
	}
	return total, nil
}

// proveAndDrop calls Prove and then ends the session.
func (r *Session) proveAndDrop(which Lengths) (Result, error) {
	defer r.Store.Drop()
	return r.Prove(which)
}

// Constructed returns the kernels that list constructs. Each session constructs its own
// copy of the statement, so that variants and segments share no state.
func Constructed(list func() []Kernel) []Kernel {
	kernels := list()
	for i := range kernels {
		kernels[i].constructedBy(func() *Kernel { return &list()[i] })
	}
	return kernels
}

// constructedBy records the functions that construct new copies of a statement and of
// each of its segments.
func (k *Kernel) constructedBy(construct func() *Kernel) {
	k.construct = construct
	for i := range k.Segments {
		k.Segments[i].constructedBy(func() *Kernel { return &construct().Segments[i] })
	}
}

// Own replaces k by a newly constructed statement that the caller may change. Sessions
// then use k itself instead of constructing their own copy, but they still construct
// its segments.
func (k *Kernel) Own() *Kernel {
	if k.construct != nil {
		n := *k.construct()
		n.constructedBy(k.construct)
		n.Variants, n.construct = k.Variants, nil
		*k = n
	}
	return k
}

// anew constructs the statement again, independently of k, with the same variants to
// prove.
func (k *Kernel) anew(variant string) *Kernel {
	n := k
	if k.construct != nil {
		n = k.construct()
		n.constructedBy(k.construct)
		n.Variants = k.Variants
	}
	if n.Turn != nil {
		n.Step = n.Turn(variant)
	}
	return n
}

// Sample returns a copy of a kernel's statement with only the first variant. Its
// segments keep all variants, because the first variant may enter several of them.
func (k *Kernel) Sample() *Kernel {
	sample := *k
	sample.Variants = k.Variants[:min(1, len(k.Variants))]
	sample.Segments = slices.Clone(k.Segments)
	for i := range sample.Segments {
		if sample.Segments[i].From == "" {
			sample.Segments[i] = *k.Segments[i].Sample()
		}
	}
	return &sample
}

// A Part is a kernel or a segment of it, in one variant.
type Part struct {
	Kernel  *Kernel
	Variant string
}

// First returns the kernel in its first variant.
func (k *Kernel) First() Part { return k.Parts()[len(k.Parts())-max(1, len(k.Variants))] }

// Parts returns the parts of the proof in order: first the segments and then the
// variants.
func (k *Kernel) Parts() (parts []Part) {
	for i := range k.Segments {
		parts = append(parts, k.Segments[i].Parts()...)
	}
	variants := k.Variants
	if len(variants) == 0 {
		variants = []string{""}
	}
	for _, variant := range variants {
		of := k
		if k.Turn != nil {
			one := *k
			one.Step, of = k.Turn(variant), &one
		}
		parts = append(parts, Part{of, variant})
	}
	return parts
}

// Unreached returns the lines that no run executed.
func (r *Result) Unreached(fn *asm.Func) (lines []int) {
	for i, reached := range r.Reached {
		if !reached {
			lines = append(lines, fn.Code[i].Line)
		}
	}
	return lines
}

// A Session proves one variant of a kernel and can then prove changed versions of the
// kernel with the same terms. Only one Session of a kernel and its segments may exist
// at a time, because a statement keeps what Setup declares. Call Store.Drop to end the
// Session.
type Session struct {
	Case
	arch    *isa.Architecture
	env     *machine.Env
	program *machine.Program
	entry   *machine.State
	stop    int                // where a segment ends
	start   *machine.State     // of the last segment of a function with cuts
	hint    *loop              // of the proof before
	given   *term.Substitution // of the parameter
	result  Result
	written *Written // of a segment

	parameter term.Term // for whose values a segment is proven: the length, if Cut.Parameter is not another
}

// sessions holds the sessions not yet dropped whose statements are not constructed
// anew.
var sessions sync.Map

var archs = map[string]*isa.Architecture{"arm64": arm64.Architecture, "amd64": amd64.Architecture}

// NewSession prepares the proof of a function that was read.
func NewSession(k *Kernel, f *asm.File, fn *asm.Func, variant string) (r *Session, err error) {
	k = k.anew(variant)
	as := any(k) // what the session keeps for itself
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
		return nil, errors.New("there is another Session of this kernel, which must be dropped first: its statement keeps what Setup declares")
	}
	c.OnDrop(func() { sessions.Delete(as) })
	a := archs[k.arch()]
	if a == nil {
		return nil, fmt.Errorf("no architecture %s", k.arch())
	}
	if err := features(a, fn); err != nil {
		return nil, err
	}
	r = &Session{Case: *c, arch: a}
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
		return nil, fmt.Errorf("%s has bounds between which there is no value", name)
	}
	r.inputs = r.mem.Inputs()
	if k.From == "" && r.argsSize != fn.Args {
		return nil, fmt.Errorf("takes %d bytes of arguments, the claim has %d", fn.Args, r.argsSize)
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

// data declares an object with known contents. The linker aligns objects of 16 bytes or
// more to at least 16 bytes.
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

// prove proves short lengths individually and all longer lengths together, by the
// loop's invariant.
func (r *Session) prove() error {
	k := r.Kernel
	if err := r.cuts(); err != nil {
		return err
	}
	if k.Unit == 0 {
		return r.ways(r.entry, nil, r.stop, func(s *machine.State) error { return r.ends(s, 0) })
	}
	if r.parameter != r.N {
		return r.lengths(r.values(), r.start)
	}
	below := k.Max + 1
	if k.Step > 0 {
		l, err := r.findLoop()
		if err != nil {
			return err
		}
		r.result.Invariant = r.words()
		r.hint = l
		r.begins(l)
		left := k.left(&r.Case, l.from, l.from+k.Step)
		if len(left) == 0 {
			return errors.New("no length is left at the loop's head")
		}
		if err := r.lengths(left, l.head); err != nil {
			return fmt.Errorf("from the loop's head: %w", err)
		}
		below = l.from
	}
	r.begins(nil)
	return r.lengths(slices.Collect(k.given(&r.Case, k.Min, below)), r.start)
}

// choose begins a proof for some lengths.
func (r *Session) choose(which Lengths) {
	r.Lengths, r.result = which, Result{Reached: make([]bool, len(r.Fn.Code))}
}

// begins records whether paths begin at a loop's head or at the start of the function.
func (r *Session) begins(l *loop) { r.Looped, r.head = l != nil, l }

// ends checks the state at the end of a run for length n.
func (r *Session) ends(s *machine.State, n int64) error {
	r.result.Runs++
	r.given = r.lengthIs(n)
	r.result.ran(s.Visits())
	end := r.leaves
	if r.Kernel.From == "" {
		end = func(s *machine.State) error { return r.arch.End(s, r.entry, r.Fn) }
	}
	err := end(s)
	if err == nil {
		err = r.expect(n, true)
	}
	if err == nil {
		err = r.compare(s)
	}
	if err == nil {
		err = r.remains(s, n)
	}
	if err == nil {
		err = r.observe(s)
	}
	return err
}

// remains checks the bytes that Spec leaves open.
func (r *Session) remains(s *machine.State, n int64) error {
	if r.Kernel.Left == nil {
		return nil
	}
	return algebra.Safely(func() error { return r.Kernel.Left(&r.Case, r.view(s), n) })
}

// begin returns a copy of a state from which a path can be run.
func (r *Session) begin(start *machine.State) *machine.State {
	s := start.Begin()
	s.Mem.Watch = r.watch()
	if cut := r.Kernel.Cut; cut != nil {
		s.After = func(s *machine.State) { r.made(s, "within", cut) }
	}
	s.Before = r.before()
	return s
}

// features returns an error if a function uses an instruction that its name does not
// permit. The name ends with the level of internal/cpu that guards the function.
// Functions without a level must run on every processor of their architecture.
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
				return fmt.Errorf("line %d: %s needs %s, which the function's name does not stand for", in.Line, in.String(), set)
			}
		}
	}
	return nil
}

// arch returns the architecture that the kernel's file is for.
func (k *Kernel) arch() string {
	return strings.TrimSuffix(k.File[strings.LastIndex(k.File, "_")+1:], ".s")
}
