// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build amd64 || arm64

package contracts

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

const root = "../../.."

// TestStubs checks that each kernel's Go declaration passes arguments of the types, and
// at the offsets, that its statement declares. Addresses must be pointers, because the
// garbage collector would not see an integer.
func TestStubs(t *testing.T) {
	packages := map[string]*types.Scope{}
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		_, fn, err := k.Read(root)
		if err != nil {
			t.Fatal(err)
		}
		if packages[k.File] == nil {
			packages[k.File] = scope(t, k)
		}
		stub, ok := packages[k.File].Lookup(k.Func).(*types.Func)
		if !ok {
			t.Errorf("%s has no Go declaration", k.Name())
			continue
		}
		if err := differs(stub.Signature(), k, fn.Args); err != nil {
			t.Errorf("%s: %v", k.Name(), err)
		}
	}
}

// scope returns the declarations of a kernel's package, without those that depend on
// imports.
func scope(t *testing.T, k *engine.Kernel) *types.Scope {
	context := build.Default
	context.GOOS, context.GOARCH, context.BuildTags = "linux", arch(k), nil
	dir := filepath.Join(root, filepath.FromSlash(path.Dir(k.File)))
	p, err := context.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	set, files := token.NewFileSet(), []*ast.File{}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// Imports are not loaded, so type errors are expected.
	config := types.Config{Error: func(error) {}, IgnoreFuncBodies: true}
	checked, _ := config.Check(p.Name, set, files, nil)
	return checked.Scope()
}

func arch(k *engine.Kernel) string {
	if strings.HasSuffix(k.File, "_arm64.s") {
		return "arm64"
	}
	return "amd64"
}

// differs returns an error if a declaration differs from what a statement takes in any
// variant.
func differs(stub *types.Signature, k *engine.Kernel, args int64) error {
	sizes := types.SizesFor("gc", arch(k))
	addresses := map[string]bool{} // whether a pointer is an object's address in some variant
	for _, part := range k.Parts() {
		if part.Kernel.From != "" {
			continue
		}
		c := k.Declared(part.Variant, k.Setup)
		objects := map[term.Term]*machine.Object{}
		for _, o := range c.Objects() {
			objects[o.Base] = o
		}
		at, said := int64(0), c.Arguments.Fixed()
		for p := range stub.Params().Variables() {
			size := sizes.Sizeof(p.Type())
			at = (at + size - 1) &^ (size - 1)
			of, from := said[at].Of()
			if _, ok := said[at]; !ok || from != 0 || int64(c.Width(of)/8) != size && c.Op(of) != term.Const {
				return fmt.Errorf("%s has %d bytes at offset %d, where the statement declares no such argument", p.Name(), size, at)
			}
			if err := argument(c, p.Type(), objects[of], sizes); err != nil {
				return fmt.Errorf("%s: %w", p.Name(), err)
			}
			if _, ok := p.Type().Underlying().(*types.Pointer); ok {
				addresses[p.Name()] = addresses[p.Name()] || objects[of] != nil
			}
			at += size
		}
		if at = (at + 7) &^ 7; stub.Results().Len() > 0 {
			at += sizes.Sizeof(stub.Results().At(0).Type())
		}
		if at != args && (at+7)&^7 != args {
			return fmt.Errorf("the declaration has %d bytes of arguments and results, want %d as in TEXT", at, args)
		}
	}
	for name, is := range addresses {
		if !is {
			return fmt.Errorf("%s is a pointer, want a number", name)
		}
	}
	return nil
}

// argument returns an error if a parameter's type does not fit the argument: the base
// of o or, if o is nil, a number.
func argument(c *engine.Case, of types.Type, o *machine.Object, sizes types.Sizes) error {
	pointer, isPointer := of.Underlying().(*types.Pointer)
	basic, isBasic := of.Underlying().(*types.Basic)
	switch {
	case o == nil && !isPointer && (!isBasic || basic.Info()&types.IsInteger == 0 || basic.Kind() == types.Uintptr):
		return fmt.Errorf("type %s, want an integer type for a number", of)
	case o == nil:
		return nil
	case !isPointer:
		return fmt.Errorf("type %s, want a pointer for the address of %s", of, o.Name)
	}
	if _, first := pointer.Elem().Underlying().(*types.Basic); first { // an element of an array
		return nil
	}
	least, known := c.IsConst(c.SizeOf(o))
	if has := sizes.Sizeof(pointer.Elem()); known && uint64(has) < least {
		return fmt.Errorf("pointer to %s of %d bytes, want %s of at least %d bytes", of, has, o.Name, least)
	}
	return nil
}
