// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package repository

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/api.txt instead of comparing with it")

const apiFile = "testdata/api.txt"

// TestAPI compares the exported API of the public packages with testdata/api.txt, so
// that no change goes unnoticed. After an intended change, run
//
//	go test -run TestAPI ./internal/mactest/repository -update
//
// and describe the change in CHANGELOG.md.
func TestAPI(t *testing.T) {
	var lines []string
	for _, dir := range append([]string{"."}, publicPackages...) {
		lines = append(lines, exported(t, dir)...)
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(filepath.FromSlash(apiFile), []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.Split(read(t, apiFile), "\n")
	for _, line := range lines {
		if !slices.Contains(want, line) {
			t.Errorf("not in %s: %s", apiFile, line)
		}
	}
	for _, line := range want {
		if line != "" && !slices.Contains(lines, line) {
			t.Errorf("only in %s: %s", apiFile, line)
		}
	}
	if !t.Failed() && got != read(t, apiFile) {
		t.Errorf("%s lists the API in a different order", apiFile)
	}
}

// exported lists the exported declarations of a package, one per line, each preceded by
// the package's folder.
func exported(t *testing.T, dir string) []string {
	t.Helper()
	files := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no package (%v)", dir, err)
	}
	var lines []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if !exportedReceiver(decl) {
					continue
				}
				decl.Body, decl.Doc = nil, nil
				lines = append(lines, dir+": "+onOneLine(t, decl))
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if _, ok := spec.(*ast.ImportSpec); !ok {
						lines = append(lines, dir+": "+decl.Tok.String()+" "+onOneLine(t, spec))
					}
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// onOneLine formats a node independently of its position.
func onOneLine(t *testing.T, node ast.Node) string {
	t.Helper()
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
