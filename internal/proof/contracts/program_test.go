// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build amd64 || arm64

package contracts

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
)

const module = "github.com/unimac/unimac"

// A program contains all packages of the module for one architecture. Outside the
// module, it knows only sync.Pool, so some expressions have no type.
type program struct {
	arch      string
	set       *token.FileSet
	info      *types.Info
	packages  map[string]*types.Package
	functions []*function
	of        map[*types.Func]*function
	called    map[*types.Func]bool // functions that are mentioned by name
}

// A function is a Go function with a body.
type function struct {
	object *types.Func
	decl   *ast.FuncDecl
	need   cpu.Level // level that callers must know

	through string // callee that needs this level
}

func (f *function) name() string { return strings.ReplaceAll(f.object.FullName(), module+"/", "") }

// path returns the chain of functions through which f reaches a kernel.
func (p *program) path(f *function) (names string) {
	for f != nil && !strings.Contains(names, f.through) {
		names += " → " + f.through
		next := slices.IndexFunc(p.functions, func(g *function) bool { return g.object.Name() == f.through && g.need == f.need })
		if next < 0 {
			break
		}
		f = p.functions[next]
	}
	return strings.TrimPrefix(names, " → ")
}

// pool replaces the source of package sync. Other packages outside the module are
// empty.
const pool = "package sync\n\ntype Pool struct{ New func() any }\n\nfunc (*Pool) Get() any { return nil }\n\nfunc (*Pool) Put(any) {}\n"

var loaded = map[string]*program{}

// load type-checks the packages that may contain or use kernels.
func load(t *testing.T, arch string) *program {
	if loaded[arch] != nil {
		return loaded[arch]
	}
	p := &program{
		arch: arch, set: token.NewFileSet(), packages: map[string]*types.Package{},
		info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}},
		of:   map[*types.Func]*function{}, called: map[*types.Func]bool{},
	}
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		switch rel = filepath.ToSlash(rel); {
		case rel == ".":
			return nil
		case strings.HasPrefix(d.Name(), "."), d.Name() == "testdata", rel == "internal/asm", rel == "internal/bench", rel == "internal/tools", rel == "internal/proof":
			return fs.SkipDir
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(found) > 0 {
			_, err = p.Import(module + "/" + rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.functions {
		p.walk(f.decl, func(n ast.Node, callee *types.Func, _ cpu.Level) {
			if _, ok := n.(*ast.Ident); ok {
				p.called[callee] = true
			}
		})
	}
	loaded[arch] = p
	return p
}

// Import implements [types.Importer].
func (p *program) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	if found := p.packages[name]; found != nil {
		return found, nil
	}
	var files []*ast.File
	rel, ours := strings.CutPrefix(name, module+"/")
	switch {
	case ours:
		context := build.Default
		context.GOOS, context.GOARCH, context.BuildTags, context.CgoEnabled = "linux", p.arch, nil, false
		dir := filepath.Join(root, filepath.FromSlash(rel))
		listed, err := context.ImportDir(dir, 0)
		if err != nil {
			if _, none := err.(*build.NoGoError); !none {
				return nil, err
			}
			listed = new(build.Package)
		}
		for _, file := range listed.GoFiles {
			f, err := parser.ParseFile(p.set, filepath.Join(dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	case name == "sync":
		f, err := parser.ParseFile(p.set, "sync.go", pool, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{Error: func(error) {}, Importer: p}
	checked, _ := config.Check(name, p.set, files, p.info)
	if checked == nil {
		checked = types.NewPackage(name, path.Base(name))
	}
	if len(files) == 0 {
		checked.SetName(path.Base(name))
		checked.MarkComplete()
	}
	p.packages[name] = checked
	if !ours {
		return checked, nil
	}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if object, ok := p.info.Defs[fn.Name].(*types.Func); ok {
				p.of[object] = &function{object: object, decl: fn}
				p.functions = append(p.functions, p.of[object])
			}
		}
	}
	return checked, nil
}

// assembly reports whether f is a function of the module without a body.
func (p *program) assembly(f *types.Func) bool {
	return f.Pkg() != nil && strings.HasPrefix(f.Pkg().Path(), module+"/") && p.of[f] == nil && f.Signature().Recv() == nil
}

// need returns the level that callers of f must know.
func (p *program) need(f *types.Func) cpu.Level {
	if known := p.of[f]; known != nil {
		return known.need
	}
	return kernelLevel(p, f)
}

// methods returns the methods of a type that are called only through an interface.
func (p *program) methods(of types.Type) (methods []*types.Func) {
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if n, ok := of.(*types.Named); ok {
		for m := range n.Methods() {
			if !p.called[m] {
				methods = append(methods, m)
			}
		}
	}
	return methods
}

// dynamic reports whether some function contains a type assertion to a method's
// receiver. The level that the method needs is checked there.
func (p *program) dynamic(f *types.Func) (found bool) {
	if f.Signature().Recv() == nil {
		return false
	}
	for _, other := range p.functions {
		p.walk(other.decl, func(n ast.Node, callee *types.Func, _ cpu.Level) {
			_, assertion := n.(*ast.TypeAssertExpr)
			found = found || assertion && callee == f
		})
	}
	return found
}
