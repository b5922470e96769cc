// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Result describes what was proven.
type Result struct {
	Invariant string // in words
	Runs      int
	Reached   []bool // the instructions that some path has executed
	Digest    string // of the code; see Kernel.Digest
}

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

// Read reads the kernel's file. root is the module directory.
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

// ProveFunc proves the claim for all variants of fn, a function of f.
func (k *Kernel) ProveFunc(f *asm.File, fn *asm.Func, which Lengths) (Result, error) {
	return k.proveParts(f, fn, which, func(*Session) func() { return func() {} })
}

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

// A Session proves one variant of a kernel. It keeps the terms that it computes, so
// that it can quickly prove changed versions of the kernel's function. Call Store.Drop
// to release the Session. Until then, no other Session may use the same Kernel, unless
// the Kernel was returned by Constructed.
type Session struct {
	Case
	arch    *isa.Architecture
	env     *machine.Env
	program *machine.Program
	entry   *machine.State
	stop    int                // where a segment ends
	start   *machine.State     // the start of the last segment of a function with cuts
	hint    *loop              // from the previous proof
	given   *term.Substitution // of the parameter
	result  Result
	written *Written // of a segment

	// unwritten holds unknowns for frame bytes that some path to a cut has not stored.
	unwritten map[term.Byte]Place

	parameter term.Term // the input whose values a segment is proven for; usually the length
}

// sessions contains the statements in use, which no two Sessions may share.
var sessions sync.Map

func (r *Session) choose(which Lengths) {
	r.Lengths, r.result = which, Result{Reached: make([]bool, len(r.Fn.Code))}
}

// Prove proves the claim.
func (r *Session) Prove(which Lengths) (Result, error) {
	r.choose(which)
	if err := r.prove(); err != nil {
		return r.result, r.Kernel.wrap(r.Variant, err)
	}
	if r.Kernel.From != "" {
		r.written.reached = r.result.Reached
		r.segments[[2]string{r.Kernel.From, r.Variant}] = r.written
	}
	return r.result, nil
}

// Direct proves one length without the loop's invariant.
func (r *Session) Direct(n int64) error {
	r.choose(All)
	if err := r.cuts(); err != nil {
		return err
	}
	return r.lengths([]int64{n}, r.start)
}

// ErrForm reports that a changed instruction has no meaning.
var ErrForm = errors.New("unsupported instruction")

// Try proves fn, which may differ from the Session's function in instructions i and
// i+1.
func (r *Session) Try(i int, fn *asm.Func, which Lengths) error {
	ops := slices.Clone(r.program.Ops)
	for j := i; j < min(i+2, len(ops)); j++ {
		one := *fn
		one.Code = fn.Code[j : j+1]
		p, err := r.arch.Compile(&one, r.env)
		if err != nil {
			return ErrForm
		}
		ops[j] = p.Ops[0]
	}
	defer r.mem.Forget()()
	defer func(ops []machine.Op, fn *asm.Func, segments Segments) {
		r.program.Ops, r.Fn, r.segments = ops, fn, segments
	}(r.program.Ops, r.Fn, r.segments)
	r.program.Ops, r.Fn, r.segments = ops, fn, r.segments.without(i)
	_, err := r.Prove(which)
	return err
}
