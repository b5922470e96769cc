// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
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
			data, err := variable(filepath.Dir(f.Name), o.Name)
			if err != nil {
				return err
			}
			r.env.Vars[o.Name] = r.data(o.Name, data)
		}
	}
	return nil
}

// data declares known data.
func (r *run) data(name string, data []byte) *machine.Object {
	o := r.Mem.Add(&machine.Object{Name: name, Align: 1, Public: true}, r.Const(64, uint64(len(data))))
	for i, b := range data {
		o.Set(int64(i), r.Const(8, uint64(b)))
	}
	return o
}

// variable returns the memory of a variable that a package declares as an array of
// 64-bit numbers, all of them written out.
func variable(dir, name string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && len(v.Names) == 1 && v.Names[0].Name == name && len(v.Values) == 1 {
						return array(v.Values[0])
					}
				}
			}
		}
	}
	return nil, fmt.Errorf("%s declares no variable %s", dir, name)
}

func array(e ast.Expr) (data []byte, err error) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil, fmt.Errorf("a variable that is no array")
	}
	kind, ok := lit.Type.(*ast.ArrayType)
	if !ok || kind.Len == nil {
		return nil, fmt.Errorf("a variable that is no array")
	}
	if element, ok := kind.Elt.(*ast.Ident); !ok || element.Name != "uint64" {
		return nil, fmt.Errorf("a variable that is no array of uint64")
	}
	for _, x := range lit.Elts {
		number, ok := x.(*ast.BasicLit)
		if !ok {
			return nil, fmt.Errorf("an array with an element that is no number")
		}
		v, err := strconv.ParseUint(number.Value, 0, 64)
		if err != nil {
			return nil, err
		}
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	return data, nil
}
