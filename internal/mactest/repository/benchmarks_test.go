// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// benchmarkKeys lists the keys that may occur in benchmark names, so that benchstat can
// use each of them for columns: among others, the algorithm, the implementation, the
// peer, and the message length in bytes.
var benchmarkKeys = []string{"alg", "impl", "peer", "size", "sizes", "piece", "key", "messages", "lists", "threads", "buffer"}

// TestBenchmarkNames checks that every part of a benchmark name is a key from
// benchmarkKeys with a value, as in impl=avx2.
func TestBenchmarkNames(t *testing.T) {
	part := regexp.MustCompile(`^([a-z]+)=\S*$`)
	found := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			name, ok := benchmarkName(n)
			if !ok {
				return true
			}
			found++
			for _, p := range strings.Split(name, "/") {
				m := part.FindStringSubmatch(p)
				if m == nil || !slices.Contains(benchmarkKeys, m[1]) || m[1] == "size" && p != "size=%d" && !regexp.MustCompile(`=\d+$`).MatchString(p) {
					t.Errorf("%s: %q in the benchmark name %q: want key=value with a key from %q, and a number as size", path, p, name, benchmarkKeys)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 20 {
		t.Errorf("found %d benchmark names, want at least 20", found)
	}
}

// TestBenchmarkKeys checks that every package with kernels has benchmarks that compare
// its implementations, and benchmarks that compare it with peers.
func TestBenchmarkKeys(t *testing.T) {
	for _, dir := range publicPackages {
		if strings.HasPrefix(dir, "sshpatch") || dir == "xcrypto" {
			continue // has no kernels
		}
		names, err := filepath.Glob(filepath.FromSlash(dir + "/*bench_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var source strings.Builder
		for _, name := range names {
			source.WriteString(read(t, name))
		}
		for key, text := range map[string]string{"impl": "mactest.BenchmarkImplementations(b, ", "peer": "/peer="} {
			if !strings.Contains(strings.ReplaceAll(source.String(), `"peer=`, "/peer="), text) {
				t.Errorf("%s: no benchmark has the key %s", dir, key)
			}
		}
	}
}

// benchmarkName returns the name, or its format, in a call of b.Run.
func benchmarkName(n ast.Node) (string, bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return "", false
	}
	run, ok := call.Fun.(*ast.SelectorExpr)
	if b, is := run, ok; !is || b.Sel.Name != "Run" {
		return "", false
	}
	if b, ok := run.X.(*ast.Ident); !ok || b.Name != "b" {
		return "", false
	}
	var text *ast.BasicLit
	ast.Inspect(call.Args[0], func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && text == nil {
			text = lit
		}
		return true
	})
	if text == nil {
		return "", false
	}
	name, err := strconv.Unquote(text.Value)
	return name, err == nil
}
