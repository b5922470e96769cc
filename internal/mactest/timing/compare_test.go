// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// verifying lists the packages that compare tags.
var verifying = []string{"umac", "poly1305", "multimixer", "multimac", "aead", "aead/stream", "chacha20poly1305", "internal/chacha20poly1305", "internal/chacha20blake2b", "aegis", "internal/aegis"}

// elsewhere lists the packages of verifying whose Open leaves the comparison to another
// of these packages.
var elsewhere = []string{"aead/stream"}

// forbidden lists functions whose time depends on where their arguments differ.
var forbidden = []string{"bytes.Equal", "bytes.Compare", "bytes.HasPrefix", "slices.Equal", "slices.Compare", "strings.Compare", "reflect.DeepEqual"}

// TestComparisons checks that every Verify ends with a comparison by crypto/subtle,
// that every Open and every batch's Run reaches one, and that their packages do not
// compare bytes in another way.
func TestComparisons(t *testing.T) {
	for _, pkg := range verifying {
		calls := map[string][]string{} // names of called functions, by caller
		var opens []string
		for _, file := range parse(t, pkg) {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Body == nil {
					continue
				}
				name := f.Name.Name
				calls[name] = append(calls[name], callsOf(t, pkg, f)...)
				switch {
				case name == "Verify" && !endsInSubtle(f):
					t.Errorf("%s: Verify does not end with subtle.ConstantTimeCompare(…) == 1", pkg)
				case (strings.HasPrefix(name, "Open") || name == "Run") && f.Name.IsExported():
					opens = append(opens, name)
				}
			}
		}
		for _, name := range opens {
			if !slices.Contains(elsewhere, pkg) && !reaches(calls, name, map[string]bool{}) {
				t.Errorf("%s: %s does not reach subtle.ConstantTimeCompare", pkg, name)
			}
		}
	}
}

// TestConstantTime checks that all functions of package constanttime use crypto/subtle
// and do not compare in any other way.
func TestConstantTime(t *testing.T) {
	const pkg = "internal/constanttime"
	for _, file := range parse(t, pkg) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if calls := callsOf(t, pkg, f); !slices.Contains(calls, "subtle.ConstantTimeEq") && !slices.Contains(calls, "Equal") {
				t.Errorf("%s does not use crypto/subtle", f.Name.Name)
			}
		}
	}
}

// parse parses a package's files except tests.
func parse(t *testing.T, pkg string) (files []*ast.File) {
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no files: %v", pkg, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// nameOf returns the name of a called function with its package, or of a called method.
func nameOf(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && slices.Contains([]string{"bytes", "slices", "strings", "reflect", "subtle", "constanttime", "kernel"}, x.Name) {
			return x.Name + "." + f.Sel.Name
		}
		return f.Sel.Name
	}
	return ""
}

// callsOf returns the names of the functions that f calls, and reports comparisons of
// bytes.
func callsOf(t *testing.T, pkg string, f *ast.FuncDecl) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := nameOf(n)
			if slices.Contains(forbidden, name) {
				t.Errorf("%s: %s calls %s", pkg, f.Name.Name, name)
			}
			names = append(names, name)
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (converts(n.X) || converts(n.Y)) {
				t.Errorf("%s: %s compares bytes as strings or arrays", pkg, f.Name.Name)
			}
		}
		return true
	})
	return names
}

// converts reports whether an expression converts to a string or an array, as
// string(tag) and [16]byte(tag) do.
func converts(e ast.Expr) bool {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	fun := call.Fun
	if paren, ok := fun.(*ast.ParenExpr); ok {
		fun = paren.X
	}
	if star, ok := fun.(*ast.StarExpr); ok {
		fun = star.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name == "string"
	case *ast.ArrayType:
		return true
	}
	return false
}

// endsInSubtle reports whether the last statement of f returns whether
// subtle.ConstantTimeCompare is 1, and no other statement returns true.
func endsInSubtle(f *ast.FuncDecl) bool {
	last, ok := f.Body.List[len(f.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(last.Results) != 1 {
		return false
	}
	compare, ok := last.Results[0].(*ast.BinaryExpr)
	if !ok || compare.Op != token.EQL {
		return false
	}
	call, ok := compare.X.(*ast.CallExpr)
	one, isLiteral := compare.Y.(*ast.BasicLit)
	good := ok && isLiteral && one.Value == "1" && nameOf(call) == "subtle.ConstantTimeCompare"
	ast.Inspect(f, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && r != last {
			x, isName := r.Results[0].(*ast.Ident)
			good = good && isName && x.Name == "false"
		}
		return true
	})
	return good
}

// reaches reports whether a function compares with crypto/subtle or package
// constanttime, directly or in a function of its package that it calls, or calls Open,
// Verify or a batch's Run of a kernel package, which is checked separately.
func reaches(calls map[string][]string, name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(calls[name], func(callee string) bool {
		return callee == "subtle.ConstantTimeCompare" || callee == "constanttime.Equal" || callee == "constanttime.Equal32" || callee == "kernel.Open" || callee == "kernel.Verify" || callee == "Run" || reaches(calls, callee, seen)
	})
}
