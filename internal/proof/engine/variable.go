// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
)

// variables declares the variables of Go that a function takes the addresses of, with
// the contents that the package next to the file gives them.
func (r *run) variables(f *asm.File) error {
	for _, in := range r.Fn.Code {
		for _, o := range in.Args {
			if o.Kind != asm.AddressOf || o.Static || o.Local || r.env.Vars[o.Name] != nil {
				continue
			}
			data, err := variable(filepath.Dir(f.Name), o.Name, r.Kernel.arch())
			if err != nil {
				return err
			}
			r.env.Vars[o.Name] = r.data(o.Name, data)
		}
	}
	return nil
}

// data declares known data. The linker aligns what has 16 bytes or more to 16 at least.
func (r *run) data(name string, data []byte) *machine.Object {
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

// variable returns the memory of a variable that a package declares as an array of 64-bit numbers, all of
// them written out. The package declares it once, in a file that is built for the architecture, and no
// statement may change it.
func variable(dir, name, arch string) (data []byte, err error) {
	if ast.IsExported(name) {
		return nil, fmt.Errorf("other packages may change %s", name)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	declared := ""
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if err := unchanged(parsed, name); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		value := declaration(parsed, name)
		if value == nil {
			continue
		}
		if declared != "" {
			return nil, fmt.Errorf("%s and %s declare %s", declared, file, name)
		}
		declared = file
		if data, err = array(value); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, name, err)
		}
	}
	if declared == "" {
		return nil, fmt.Errorf("%s declares no variable %s", dir, name)
	}
	built := build.Context{GOARCH: arch, GOOS: "linux", Compiler: "gc"}
	if ok, err := built.MatchFile(dir, filepath.Base(declared)); err != nil || !ok {
		return nil, fmt.Errorf("%s is not built for %s: %v", declared, arch, err)
	}
	return data, nil
}

// declaration returns what a file declares by a name at its top level.
func declaration(file *ast.File, name string) *ast.ValueSpec {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Names, func(id *ast.Ident) bool { return id.Name == name }) {
				return v
			}
		}
	}
	return nil
}

// array returns the memory of the variable that v declares.
func array(v *ast.ValueSpec) (data []byte, err error) {
	if len(v.Names) != 1 || len(v.Values) != 1 || v.Type != nil {
		return nil, errors.New("is not declared by its value alone")
	}
	lit, ok := v.Values[0].(*ast.CompositeLit)
	if !ok {
		return nil, errors.New("is no array")
	}
	kind, ok := lit.Type.(*ast.ArrayType)
	if !ok || kind.Len == nil {
		return nil, errors.New("is no array")
	}
	if element, ok := kind.Elt.(*ast.Ident); !ok || element.Name != "uint64" {
		return nil, errors.New("is no array of uint64")
	}
	if _, open := kind.Len.(*ast.Ellipsis); !open {
		length, ok := kind.Len.(*ast.BasicLit)
		if !ok || length.Value != strconv.Itoa(len(lit.Elts)) {
			return nil, errors.New("has not as many elements as are written out")
		}
	}
	for _, x := range lit.Elts {
		number, ok := x.(*ast.BasicLit)
		if !ok {
			return nil, errors.New("has an element that is no number")
		}
		v, err := strconv.ParseUint(number.Value, 0, 64)
		if err != nil {
			return nil, err
		}
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	return data, nil
}

// unchanged fails if a file assigns to what has the name of a variable, takes an address or a slice of it,
// links another name to it, or has another uint64.
func unchanged(file *ast.File, name string) (err error) {
	refuse := func(x ast.Expr, what string) {
		if root(x) == name {
			err = fmt.Errorf("%s %s", what, name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				refuse(x, "assigns to")
			}
		case *ast.IncDecStmt:
			refuse(n.X, "assigns to")
		case *ast.RangeStmt:
			refuse(n.Key, "assigns to")
			refuse(n.Value, "assigns to")
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				refuse(n.X, "takes the address of")
			}
		case *ast.SliceExpr:
			refuse(n.X, "takes a slice of")
		case *ast.TypeSpec:
			if n.Name.Name == "uint64" {
				err = errors.New("declares another uint64")
			}
		}
		return err == nil
	})
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:linkname ") && slices.Contains(strings.Fields(c.Text), name) {
				err = fmt.Errorf("links to %s", name)
			}
		}
	}
	return err
}

// root returns the name of what an expression is a part of.
func root(x ast.Expr) string {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return e.Name
		case *ast.IndexExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		default:
			return ""
		}
	}
}
