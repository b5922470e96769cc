// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDrift compares the generated files with the declarations.
func TestDrift(t *testing.T) {
	for _, d := range descriptions {
		want, err := d.generate(root)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(d.file())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the declarations: run go generate ./... in the repository's root", d.file())
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"p/p.go": `
import ("sync"; "unsafe"; "github.com/unimac/unimac/q")
type flag int
const (first flag = 1 << iota; second; bytes = 2*q.Size; text = "x"; broken = sync.N)
type inner struct{ a byte; b uint32 }
type outer struct{ inner; p unsafe.Pointer; in [2]inner; x q.Block; y uint8 }
type locked struct{ a int; m [2]sync.Mutex }`,
		"p/p_amd64.go": "type width struct{ a byte; b uint64 }; const onlyHere = 5; type both struct{ y uint64; x byte }",
		"p/p_arm64.go": "type width struct{ b uint64; a byte }; type both struct{ y uint64; z, x byte }",
		"p/p_test.go":  "const tested = 1",
		"q/q.go":       "const Size = 24; type Block [Size]byte",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("package "+name[:1]+"\n"+content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, want string }{
		{"second", "[{Second 2}]"},
		{"bytes", "[{Bytes 48}]"},
		{"onlyHere", "[{OnlyHere 5}]"},
		{"outer.x", "[{OuterX 32}]"},
		{"outer", "[{OuterInner 0} {OuterInnerA 0} {OuterInnerB 4} {OuterP 8} {OuterIn 16} {OuterX 32} {OuterY 56} {SizeofOuter 64}]"},
		{"both.y", "[{BothY 0}]"},
		{"both.x", "p: both.x is [{BothX 8}] for amd64 but [{BothX 9}] for arm64"},
		{"width", "but [{WidthB 0} {WidthA 8} {SizeofWidth 16}] for arm64"},
		{"locked", "p: locked for amd64: the size depends on another module"},
		{"text", "is not a 64-bit integer"},
		{"broken", "is not a 64-bit integer"},
		{"missing", "p: no declaration of missing"},
		{"outer.missing", "p: no declaration of outer.missing"},
		{"tested", "p: no declaration of tested"},
	} {
		numbers, err := read(dir, "p", tt.name)
		got := fmt.Sprint(numbers)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
