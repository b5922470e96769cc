// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumented checks that every public package has a package comment, and that every
// exported name or its group has a doc comment.
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
			t.Errorf("%s: no package comment", dir)
		}
	}
}

// undocumented returns the exported names in a declaration that have no comment.
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

// exportedReceiver reports whether f is a function or a method of an exported type.
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

// TestClaims checks the documentation for sentences that were once wrong or easily
// misread.
func TestClaims(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		// Join lines, because sentences continue in the next line of a comment.
		return strings.Join(strings.Fields(strings.ReplaceAll(string(b), "\n//", "\n")), " ")
	}
	files := []string{"README.md", "SECURITY.md"}
	for _, dir := range publicPackages {
		names, err := filepath.Glob(filepath.FromSlash(dir + "/*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, names...)
	}
	for _, name := range files {
		text := read(name)
		for _, rules := range regexp.MustCompile(`# (Rules for the caller|What the caller must never do) [^#]*`).FindAllString(text, -1) {
			for _, item := range regexp.MustCompile(` - \w+`).FindAllString(rules, -1) {
				if item != " - Never" {
					t.Errorf("%s: prohibition begins with %q, want Never", name, item)
				}
			}
		}
		for _, wrong := range []struct{ pattern, why string }{
			{`(?i)others are unrelated`, "UMAC's tags of all sizes are related"},
			{`2\^-103 for each 16 bytes (of the message|begun, )`, "Poly1305's bound is about the longer of two messages"},
			{`forger can only guess`, "collisions are possible, too"},
		} {
			if found := regexp.MustCompile(wrong.pattern).FindString(text); found != "" {
				t.Errorf("%s: %q: %s", name, found, wrong.why)
			}
		}
	}
	for _, needed := range []struct{ file, pattern string }{
		{"poly1305/poly1305.go", `2\^-103 for each 16 bytes begun of the longer of the two`},
		{"README.md", `n·2\^-103, where n is the number of 16-byte blocks of the\s+authentic or the forged message, whichever is longer`},
		{"SECURITY.md", `2\^-103 for each 16 bytes of the longer`},
		{"umac/umac.go", `a key must not be used for more than 2\^48 messages`},
		{"umac/umac.go", `two keys for the two directions of a connection, or divide the nonces`},
		{"umac/umac.go", `Use Size32 only in protocols that close the connection`},
		{"multimac/multimac.go", `q² / 2\^\(8n\+1\)`},
		{"multimac/mac.go", `If the inputs come from \[io.Copy\], call Next after every input, including the last`},
		{"multimixer/multimixer.go", `this project's own\. It is young`},
		{"multimixer/key.go", `young construction of this project, which few people have reviewed`},
		{"aegis/aegis.go", `Where an attacker chooses the additional data, a tag commits to nothing`},
		{"aegis/aegis.go", `Never use a nonce for two messages under one key, not even with different additional data`},
	} {
		if !regexp.MustCompile(needed.pattern).MatchString(read(needed.file)) {
			t.Errorf("%s does not say %s", needed.file, needed.pattern)
		}
	}
	// Every package must say what its zero values do.
	for _, pkg := range []string{"umac", "poly1305", "multimixer", "multimac", "aegis"} {
		if !regexp.MustCompile(`The zero values? of \[[^.]*panic`).MatchString(read(pkg + "/" + pkg + ".go")) {
			t.Errorf("%s does not say what zero values do", pkg)
		}
	}
}
