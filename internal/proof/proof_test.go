// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

const root = "../.."

// files caches parsed files by path.
var files sync.Map

// readFile parses a file of the module, once for all tests.
func readFile(name string) (*asm.File, error) {
	once, _ := files.LoadOrStore(name, sync.OnceValues(func() (*asm.File, error) { return asm.Read(filepath.Join(root, filepath.FromSlash(name))) }))
	return once.(func() (*asm.File, error))()
}

// read returns a kernel's file and function.
func read(t *testing.T, k *engine.Kernel) (*asm.File, *asm.Func) {
	t.Helper()
	f, err := readFile(k.File)
	if err != nil {
		t.Fatal(err)
	}
	fn := f.Func(k.Func)
	if fn == nil {
		t.Fatalf("%s: no function %s", k.File, k.Func)
	}
	return f, fn
}

// TestComplete checks that each function of each .s file is listed once, either in
// Kernels or in Unproven.
func TestComplete(t *testing.T) {
	proven := map[string]int{}
	for _, k := range Kernels {
		proven[k.File+" "+k.Func]++
	}
	for file, functions := range Unproven {
		for name := range functions {
			proven[file+" "+name]++
		}
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".s") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(name)
		f, err := readFile(file)
		if err != nil {
			return err
		}
		for _, fn := range f.Funcs {
			name := file + " " + fn.Name
			if proven[name] != 1 {
				t.Errorf("%s occurs %d times in Kernels and Unproven, want 1", name, proven[name])
			}
			delete(proven, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range proven {
		t.Errorf("%s is listed but does not exist", name)
	}
}
