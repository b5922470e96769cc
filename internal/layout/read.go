// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/unimac/unimac/"

// A number is an offset, a size or the value of a constant.
type number struct {
	name  string
	value int64
}

// A reader type-checks the declarations of this module's packages for one architecture.
// It substitutes an empty package for every import outside the module except unsafe,
// and ignores the type errors that result.
type reader struct {
	root     string
	build    build.Context
	types    types.Config
	packages map[string]*types.Package
}

func newReader(root, arch string) *reader {
	r := &reader{root: root, build: build.Default, packages: map[string]*types.Package{"unsafe": types.Unsafe}}
	r.build.GOOS, r.build.GOARCH, r.build.Compiler, r.build.CgoEnabled, r.build.BuildTags = "linux", arch, "gc", false, nil
	r.types = types.Config{Importer: r, Sizes: types.SizesFor("gc", arch), IgnoreFuncBodies: true, Error: func(error) {}}
	return r
}

// Import returns the declarations of a package. It implements [types.Importer].
func (r *reader) Import(name string) (*types.Package, error) {
	if p := r.packages[name]; p != nil {
		return p, nil
	}
	folder, ours := strings.CutPrefix(name, module)
	if !ours {
		p := types.NewPackage(name, path.Base(name))
		p.MarkComplete()
		return p, nil
	}
	folder = filepath.Join(r.root, filepath.FromSlash(folder))
	source, err := r.build.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	set := token.NewFileSet()
	for _, file := range source.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(folder, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	r.packages[name], _ = r.types.Check(name, set, files, nil) // see the reader's comment
	return r.packages[name], nil
}

// read returns the value of a constant, the offset of a field, or the layout of a
// struct.
func read(root, folder, name string) (numbers []number, err error) {
	for _, arch := range []string{"amd64", "arm64"} {
		r := newReader(root, arch)
		p, err := r.Import(module + folder)
		if err != nil {
			return nil, err
		}
		got, err := r.numbers(p.Scope(), name)
		if err != nil {
			return nil, fmt.Errorf("%s: %s for %s: %w", folder, name, arch, err)
		}
		// The declaration may exist for only one architecture. Otherwise, its numbers for
		// both architectures must agree.
		switch {
		case numbers == nil:
			numbers = got
		case got != nil && !slices.Equal(got, numbers):
			return nil, fmt.Errorf("%s: %s is %v for amd64 but %v for %s", folder, name, numbers, got, arch)
		}
	}
	if numbers == nil {
		return nil, fmt.Errorf("%s: no declaration of %s", folder, name)
	}
	return numbers, nil
}

// numbers implements read for one architecture. It returns nil if name is not declared.
func (r *reader) numbers(declared *types.Scope, name string) ([]number, error) {
	name, field, single := strings.Cut(name, ".")
	switch object := declared.Lookup(name).(type) {
	case nil:
		return nil, nil
	case *types.Const:
		value, exact := constant.Int64Val(constant.ToInt(object.Val()))
		if !exact {
			return nil, fmt.Errorf("the value %s is not a 64-bit integer", object.Val())
		}
		return []number{{exported(name), value}}, nil
	case *types.TypeName:
		if !isKnown(object.Type()) {
			return nil, fmt.Errorf("the size depends on another module")
		}
		fields := r.fields(exported(name), object.Type(), 0)
		if !single {
			return append(fields, number{"Sizeof" + exported(name), r.types.Sizes.Sizeof(object.Type())}), nil
		}
		for _, n := range fields {
			if n.name == exported(name)+exported(field) {
				return []number{n}, nil
			}
		}
	}
	return nil, nil
}

// fields returns the offsets of all fields of t, including those of nested structs.
func (r *reader) fields(name string, t types.Type, at int64) (numbers []number) {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	fields := slices.Collect(s.Fields())
	for i, offset := range r.types.Sizes.Offsetsof(fields) {
		n := number{name + exported(fields[i].Name()), at + offset}
		numbers = append(append(numbers, n), r.fields(n.name, fields[i].Type(), n.value)...)
	}
	return numbers
}

// isKnown reports whether the size of t is known.
func isKnown(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.Invalid
	case *types.Array:
		return t.Len() >= 0 && isKnown(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !isKnown(f.Type()) {
				return false
			}
		}
	}
	return true
}

// exported returns a name with an upper-case first letter.
func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
