// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package unimac_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumented has every package say what it is, and every exported name of it
// have a comment, its own or that of its group.
func TestDocumented(t *testing.T) {
	for _, dir := range publicPackages {
		names, err := filepath.Glob(filepath.FromSlash(dir + "/*.go"))
		if err != nil {
			t.Fatal(err)
		}
		documented := false
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			documented = documented || strings.HasPrefix(file.Doc.Text(), "Package "+file.Name.Name+" ")
			for _, d := range file.Decls {
				for _, name := range undocumented(d) {
					t.Errorf("%s: %s has no comment", dir, name)
				}
			}
		}
		if !documented {
			t.Errorf("%s: no comment says what the package is", dir)
		}
	}
}

// undocumented returns the exported names that a declaration has no comment for.
func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
					names = append(names, spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && d.Doc == nil && spec.Doc == nil {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// exportedReceiver reports whether a function is no method of a type that is not
// exported.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	name, ok := receiver.(*ast.Ident)
	return ok && name.IsExported()
}
