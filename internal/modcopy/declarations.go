// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package modcopy

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"
)

// Declared lists the declarations of source files in two forms.
type Declared struct {
	Brief []string // in source order: names of constants, variables and types, signatures of functions
	Full  []string // also fields of structs, methods of interfaces, values and types
}

// Declarations lists the declarations of a source file.
func Declarations(source []byte) (d Declared, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return d, err
	}
	for _, decl := range parsed.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			signature := *decl
			signature.Body, signature.Doc = nil, nil
			d.both(spelled(&signature))
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					d.both("type " + spec.Name.Name)
					d.addType(spec)
				case *ast.ValueSpec:
					d.addValues(decl.Tok.String(), spec)
				}
			}
		}
	}
	return d, nil
}

func (d *Declared) both(text string) {
	d.Brief = append(d.Brief, text)
	d.Full = append(d.Full, text)
}

func (d *Declared) addType(spec *ast.TypeSpec) {
	switch t := spec.Type.(type) {
	case *ast.StructType:
		for _, field := range t.Fields.List {
			if len(field.Names) == 0 {
				d.Full = append(d.Full, "field "+spec.Name.Name+".embedded "+spelled(field.Type))
			}
			for _, name := range field.Names {
				d.Full = append(d.Full, "field "+spec.Name.Name+"."+name.Name+" "+spelled(field.Type))
			}
		}
	case *ast.InterfaceType:
		for _, method := range t.Methods.List {
			for _, name := range method.Names {
				d.Full = append(d.Full, "method "+spec.Name.Name+"."+name.Name+strings.TrimPrefix(spelled(method.Type), "func"))
			}
		}
	}
}

// addValues adds constants or variables to d, with types or values in d.Full.
func (d *Declared) addValues(kind string, spec *ast.ValueSpec) {
	for i, name := range spec.Names {
		d.both(kind + " " + name.Name)
		var value ast.Expr
		if i < len(spec.Values) {
			value = spec.Values[i]
		}
		literal, isLiteral := value.(*ast.CompositeLit)
		switch {
		case spec.Type != nil:
			d.Full = append(d.Full, kind+" "+name.Name+" "+spelled(spec.Type))
		case isLiteral && literal.Type != nil:
			d.Full = append(d.Full, kind+" "+name.Name+" "+spelled(literal.Type))
		case kind == "const" && value != nil:
			d.Full = append(d.Full, kind+" "+name.Name+" = "+spelled(value))
		}
	}
}

// spelled formats a node on one line, without comments.
func spelled(node ast.Node) string {
	var b strings.Builder
	// Use an empty file set so that the printer ignores the original line breaks.
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
