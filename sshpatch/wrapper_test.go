// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/modcopy"
)

// wrap moves package ssh of an x/crypto to another folder, and has one in its place that gives
// each exported name what that has.
func wrap(t *testing.T, crypto string) {
	t.Helper()
	wrapped := filepath.Join(crypto, "internal", "wrapped")
	if err := os.Rename(filepath.Join(crypto, "ssh"), wrapped); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(wrapped, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var wrapper strings.Builder
	fmt.Fprintf(&wrapper, "package ssh\n\nimport wrapped %q\n\n", modcopy.Crypto+"/internal/wrapped")
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		moved := strings.ReplaceAll(string(source), modcopy.Crypto+"/ssh/internal/", modcopy.Crypto+"/internal/wrapped/internal/")
		writeFile(t, name, []byte(moved))
		parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			for kind, name := range exported(decl) {
				fmt.Fprintf(&wrapper, "%s %s = wrapped.%s\n", kind, name, name)
			}
		}
	}
	if err := os.Mkdir(filepath.Join(crypto, "ssh"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(crypto, "ssh", "ssh.go"), []byte(wrapper.String()))
}

// exported yields what a declaration exports: how a package declares the same, and the name.
func exported(decl ast.Decl) func(yield func(kind, name string) bool) {
	return func(yield func(kind, name string) bool) {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.IsExported() {
				yield("var", decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				var names []*ast.Ident
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = []*ast.Ident{spec.Name}
				case *ast.ValueSpec:
					names = spec.Names
				}
				for _, name := range names {
					if name.IsExported() && !yield(decl.Tok.String(), name.Name) {
						return
					}
				}
			}
		}
	}
}
