// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/arm64"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/digest"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Result describes what was proven.
type Result struct {
	Runs    int
	Reached []bool // the instructions that some path has executed
	Digest  string // of the code; see Kernel.Digest
}

func (r *Result) ran(visits []int32) {
	for i, n := range visits {
		r.Reached[i] = r.Reached[i] || n > 0
	}
}

// Read reads the kernel's file. root is the module directory.
func (k *Kernel) Read(root string) (*asm.File, *asm.Func, error) {
	f, err := asm.Read(filepath.Join(root, filepath.FromSlash(k.File)))
	if err != nil {
		return nil, nil, err
	}
	fn := f.Func(k.Func)
	if fn == nil {
		return nil, nil, fmt.Errorf("%s: no function %s", k.File, k.Func)
	}
	return f, fn, nil
}

// ProveFunc proves the claim for all variants of fn, a function of f.
func (k *Kernel) ProveFunc(f *asm.File, fn *asm.Func, which Lengths) (Result, error) {
	return k.proveParts(f, fn, which, nil)
}

// proveParts is like ProveFunc. If said is not nil, it writes what is proven to said.
func (k *Kernel) proveParts(f *asm.File, fn *asm.Func, which Lengths, said io.Writer) (total Result, err error) {
	proven, code := segments{}, sha256.Sum256([]byte(f.Canonical(fn)))
	total.Digest, total.Reached = fmt.Sprintf("%x", code[:4]), make([]bool, len(fn.Code))
	for _, part := range k.Parts() {
		s, err := NewSession(part.Kernel, f, fn, part.Variant)
		if err != nil {
			return total, err
		}
		s.segments = proven
		if said != nil {
			s.record = s.newRecord()
		}
		r, err := s.proveAndDrop(which)
		if err != nil {
			return total, err
		}
		if said != nil {
			binary.Write(said, binary.LittleEndian, s.record.Sorted())
		}
		total.Runs += r.Runs
		for i, reached := range r.Reached {
			total.Reached[i] = total.Reached[i] || reached
		}
	}
	return total, nil
}

// proveAndDrop drops the session even if the statement panics.
func (r *Session) proveAndDrop(which Lengths) (Result, error) {
	defer r.Store.Drop()
	return r.Prove(which)
}

// Unreached returns the lines that no path executed.
func (r *Result) Unreached(fn *asm.Func) (lines []int) {
	for i, reached := range r.Reached {
		if !reached {
			lines = append(lines, fn.Code[i].Line)
		}
	}
	return lines
}

// A Session proves one variant of a kernel. Call Store.Drop when you are done with it.
type Session struct {
	Case
	arch    *isa.Architecture
	env     *machine.Env
	program *machine.Program
	entry   *machine.State
	stop    int   // where a segment ends
	hint    *loop // from the previous proof
	result  Result
	written *Written // of a segment
}

// sessions contains the statements in use, which no two Sessions may share.
var sessions sync.Map

var archs = map[string]*isa.Architecture{"arm64": arm64.Architecture, "amd64": amd64.Architecture}

// NewSession prepares the proof of one variant of fn, a function of f.
func NewSession(k *Kernel, f *asm.File, fn *asm.Func, variant string) (*Session, error) {
	k = k.anew(variant)
	r := &Session{Case: *newCase(term.New(), k, variant, fn.Args), arch: archs[k.arch()]}
	if err := machine.Try(func() { r.prepare(f, fn) }); err != nil {
		r.Store.Drop()
		return nil, k.wrap(variant, err)
	}
	return r, nil
}

// prepare compiles fn and builds the state in which its execution starts.
func (r *Session) prepare(f *asm.File, fn *asm.Func) {
	k, as := r.Kernel, any(r.Kernel) // as identifies the statement, which no other session may use
	if k.construct == nil {
		as = k.Name() + k.From
	}
	_, used := sessions.LoadOrStore(as, r)
	machine.Refuse(used, "another Session uses this statement, which keeps what Setup declares; drop that Session first")
	r.OnDrop(func() { sessions.Delete(as) })
	k.unambiguous()
	machine.Refuse(r.arch == nil, "unsupported architecture %q", k.arch())
	if k.From == "" { // this includes the code of the function's segments
		must(r.arch.CheckLevel(fn))
	}
	r.file, r.segments = f, segments{}
	r.Fn, r.layout, r.Arguments.Align = fn, r.arch.Layout, 8
	r.frame = r.mem.AddFrame(r.Const(64, uint64(fn.Frame)))
	r.env = &machine.Env{Args: r.Arguments, Data: map[string]*machine.Object{}}
	for name, data := range f.Data {
		o := r.mem.Add(&machine.Object{Name: name, Align: 1, Public: true}, r.Const(64, uint64(len(data))))
		if len(data) >= 16 {
			o.Align = 16 // the linker aligns it
		}
		for i, b := range data {
			o.Set(int64(i), r.Const(8, uint64(b)))
		}
		r.env.Data[name] = o
	}
	r.program = r.arch.Program(fn, r.env)
	r.enter()
}

func (r *Session) choose(which Lengths) {
	r.Lengths, r.result = which, Result{Reached: make([]bool, len(r.Fn.Code))}
}

// Prove proves the claim.
func (r *Session) Prove(which Lengths) (Result, error) {
	r.choose(which)
	if err := machine.Try(r.prove); err != nil {
		return r.result, r.Kernel.wrap(r.Variant, err)
	}
	if r.Kernel.From != "" {
		r.written.reached = r.result.Reached
		r.segments[[2]string{r.Kernel.From, r.Variant}] = r.written
	}
	return r.result, nil
}

// ErrForm reports that a changed instruction has no meaning.
var ErrForm = errors.New("unsupported instruction")

// Try proves fn, which may differ from r.Fn in instructions i and i+1.
func (r *Session) Try(i int, fn *asm.Func, which Lengths) error {
	ops, changed := slices.Clone(r.program.Ops), r.arch.Program(fn, r.env)
	for j := i; j < min(i+2, len(ops)); j++ {
		var err error
		if ops[j], err = changed.Compile(j); err != nil {
			return ErrForm
		}
	}
	defer r.mem.ForgetUse()
	defer func(ops []machine.Op, fn *asm.Func, proven segments) {
		r.program.Ops, r.Fn, r.segments = ops, fn, proven
	}(r.program.Ops, r.Fn, r.segments)
	r.program.Ops, r.Fn, r.segments = ops, fn, r.segments.without(i)
	_, err := r.Prove(which)
	return err
}

// segments contains the proven segments, by first label and variant.
type segments map[[2]string]*Written

// unambiguous fails if segments could confuse two parts of the kernel.
func (k *Kernel) unambiguous() {
	seen := map[[2]string]bool{}
	for _, part := range k.Parts() {
		key := [2]string{part.Kernel.From, part.Variant}
		machine.Refuse(seen[key], "two segments begin at %q and have the variant %q", part.Kernel.From, part.Variant)
		seen[key] = true
	}
}

// proven returns what a segment writes, and proves the segment first if necessary.
func (c *Case) proven(segment *Kernel, variant string) *Written {
	key := [2]string{segment.From, variant}
	machine.Refuse(!slices.Contains(segment.Variants, variant) && (variant != "" || len(segment.Variants) > 0), "the segment from %s to %s has no variant %q", segment.From, segment.To, variant)
	if c.segments[key] == nil {
		s, err := NewSession(segment, c.file, c.Fn, variant)
		must(err)
		s.segments = c.segments
		_, err = s.proveAndDrop(c.Lengths)
		must(err)
	}
	return c.segments[key]
}

// without drops segments whose proofs executed instruction i or i + 1.
func (all segments) without(i int) segments {
	rest := maps.Clone(all)
	maps.DeleteFunc(rest, func(_ [2]string, w *Written) bool {
		return slices.Contains(w.reached[i:min(i+2, len(w.reached))], true)
	})
	return rest
}

func (k *Kernel) arch() string {
	return strings.TrimSuffix(k.File[strings.LastIndex(k.File, "_")+1:], ".s")
}

// Digest proves k and returns hashes of its code and its statement.
func (k *Kernel) Digest(f *asm.File, fn *asm.Func) (Result, error) {
	said := sha256.New()
	total, err := k.proveParts(f, fn, All, said)
	total.Digest += fmt.Sprintf("-%x", said.Sum(nil)[:4])
	return total, err
}

func (r *Session) newRecord() *digest.Set {
	n, k := digest.NewSet(r.Store), r.Kernel
	n.Add("statement", digest.Text(fmt.Sprintf("%q %q %d %d %d %d %d %t %q %q", k.Claim, r.Variant, k.Unit, k.Min, k.Max, k.Step, k.Reached, k.wipes(), k.From, k.To)))
	for _, o := range r.mem.Objects() {
		if r.env.Data[o.Name] == o {
			continue // it is part of the code
		}
		n.Add("object", digest.Text(fmt.Sprintln(o.Name, o.Align, o.Writable, o.Public)), n.Term(r.mem.Size(o)))
		for at, b := range o.Fixed() {
			n.Add("contents", digest.Text(o.Name), uint64(at), n.Byte(b))
		}
	}
	n.Add("overlaps", n.Value(nil, reflect.ValueOf(r.Overlaps)))
	for _, ring := range r.Rings {
		n.Add("modulo", digest.Text(ring.Prime.String()))
	}
	if k.Step > 0 {
		r.advanceInputs()
		n.Add("rest", n.Value(nil, reflect.ValueOf(r.moves)), n.Value(nil, reflect.ValueOf(r.become)))
	}
	return n
}

func (c *Case) recordWant(n int64, last bool) {
	r := c.record
	if r == nil {
		return
	}
	for o, want := range c.want {
		hashes := append(make([]uint64, 0, 2+2*len(want)), digest.Text(o.Name), uint64(n))
		for at, b := range want.All() {
			hash := uint64(b)
			if b < secret {
				hash = r.Byte(b)
			}
			hashes = append(hashes, uint64(at), hash)
		}
		r.Add(fmt.Sprintf("want, %t", last), hashes...)
	}
}

func (c *Case) recordClaim(a *Assertion) {
	r := c.record
	if r != nil && !a.NextInstruction { // Note, which later assertions record, shows its purpose
		r.Add("claim", r.Value(a.Algebra, reflect.ValueOf(a)))
	}
}
