// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVariable reads variables of packages, and refuses those that may be something else when a kernel
// reads them.
func TestVariable(t *testing.T) {
	for _, test := range []struct {
		name, err string
		files     map[string]string
	}{
		{"an array", "", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}"}},
		{"an array of as many as there are", "", map[string]string{"t.go": "var table = [...]uint64{1, 0x20}"}},
		{"read", "", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}", "u.go": "func f() uint64 { x := table; x[0] = table[1]; return x[0] }"}},
		{"written by a test", "", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}", "t_test.go": "func f() { table[0] = 1 }"}},
		{"built for the architecture", "", map[string]string{"t_arm64.go": "var table = [2]uint64{1, 0x20}"}},
		{"a slice", "is no array", map[string]string{"t.go": "var table = []uint64{1, 0x20}"}},
		{"a longer array", "as many elements", map[string]string{"t.go": "var table = [3]uint64{1, 0x20}"}},
		{"numbered elements", "no number", map[string]string{"t.go": "var table = [...]uint64{1: 1, 0: 0x20}"}},
		{"an interface", "value alone", map[string]string{"t.go": "var table any = [2]uint64{1, 0x20}"}},
		{"another type", "no array of uint64", map[string]string{"t.go": "var table = [2]uint32{1, 0x20}"}},
		{"another uint64", "another uint64", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}", "u.go": "type uint64 = uint32"}},
		{"a function's", "declares no variable", map[string]string{"t.go": "func f() { var table = [2]uint64{1, 0x20} }"}},
		{"not built", "not built for arm64", map[string]string{"t.go": "//go:build ignore\n\npackage x\nvar table = [2]uint64{1, 0x20}"}},
		{"built elsewhere", "not built for arm64", map[string]string{"t_amd64.go": "var table = [2]uint64{1, 0x20}"}},
		{"built without assembly", "not built for arm64", map[string]string{"t.go": "//go:build purego\n\npackage x\nvar table = [2]uint64{1, 0x20}"}},
		{"two of them", "t.go and ", map[string]string{"t.go": "//go:build ignore\n\npackage x\nvar table = [2]uint64{1, 0x20}", "u.go": "var table = [2]uint64{2, 0x20}"}},
		{"written by init", "assigns to", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}\nfunc init() { table[0] = 1 }"}},
		{"replaced", "assigns to", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}", "u.go": "func f() { table = [2]uint64{} }"}},
		{"one of several", "assigns to", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}", "u.go": "func f(x uint64) { x, (table[1]) = 1, 2 }"}},
		{"counted", "assigns to", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}", "u.go": "func f() { table[1]++ }"}},
		{"ranged over", "assigns to", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}", "u.go": "func f(s []uint64) { for _, table[0] = range s {\n}\n}"}},
		{"an address", "takes the address", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}\nvar p = &table[1]"}},
		{"sliced", "takes a slice", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}", "u.go": "func init() { clear(table[:]) }"}},
		{"linked", "links to", map[string]string{"t.go": "var table = [2]uint64{1, 0x20}", "u.go": "//go:linkname table other.table"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range test.files {
				if !strings.Contains(text, "package x") {
					text = "package x\n\n" + text
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			data, err := variable(dir, "table", "arm64")
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%v, want %q", err, test.err)
			}
			if want := []byte{1, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0}; err == nil && !bytes.Equal(data, want) {
				t.Errorf("%x", data)
			}
		})
	}
	if _, err := variable(t.TempDir(), "Table", "arm64"); err == nil {
		t.Error("an exported variable")
	}
}
