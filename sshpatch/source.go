// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/modcopy"
)

// checkSource checks that the added file will compile in package ssh of a copy, and
// mean what it says: that macMode and macModes are declared as known.
func checkSource(tree modcopy.Tree) error {
	var decls declarations
	files := tree.Below("ssh")
	for _, name := range files.Paths() {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			if err := decls.read(name, files[name]); err != nil {
				return err
			}
		}
	}
	if decls.fields == nil {
		return incompatible(errors.New("no struct macMode"))
	}
	want := []string{"keySize int", "etm bool", "new func(key []byte) hash.Hash"}
	if !slices.Equal(decls.fields, want) {
		return incompatible(fmt.Errorf("macMode has the fields %q, want %q", decls.fields, want))
	}
	if decls.modes != "map[string]*macMode" {
		return incompatible(fmt.Errorf("macModes is declared as %q", decls.modes))
	}
	return nil
}

// declarations are the two declarations that matter, as they are spelled.
type declarations struct {
	fields []string // of macMode
	modes  string   // the type of macModes
}

func (d *declarations) read(file string, source []byte) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	spelled := func(node ast.Node) string {
		return string(source[node.Pos()-parsed.FileStart : node.End()-parsed.FileStart])
	}
	for _, decl := range parsed.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if s, ok := spec.Type.(*ast.StructType); ok && spec.Name.Name == "macMode" {
					for _, field := range s.Fields.List {
						name := make([]string, len(field.Names))
						for i, ident := range field.Names {
							name[i] = ident.Name
						}
						d.fields = append(d.fields, strings.Join(name, ", ")+" "+spelled(field.Type))
					}
				}
			case *ast.ValueSpec:
				if len(spec.Names) == 1 && spec.Names[0].Name == "macModes" {
					if t := declaredType(spec); t != nil {
						d.modes = spelled(t)
					}
				}
			}
		}
	}
	return nil
}

// declaredType returns the type that a variable's declaration shows, by itself
// or by the composite literal that it assigns, or nil.
func declaredType(spec *ast.ValueSpec) ast.Expr {
	if spec.Type != nil || len(spec.Values) != 1 {
		return spec.Type
	}
	if literal, ok := spec.Values[0].(*ast.CompositeLit); ok {
		return literal.Type
	}
	return nil
}
