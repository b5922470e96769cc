// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/proof/asm"
)

const root = "../.."

// TestKernels proves every kernel: for all lengths, in short mode for some.
func TestKernels(t *testing.T) {
	for i := range Kernels {
		k := &Kernels[i]
		t.Run(k.File+"/"+k.Func, func(t *testing.T) {
			t.Parallel()
			which := Lengths(All)
			if testing.Short() {
				which = Some
			}
			begin := time.Now()
			f, fn, err := k.Read(root)
			if err != nil {
				t.Fatal(err)
			}
			r, err := k.ProveFunc(f, fn, which)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d runs, %v", r.Runs, time.Since(begin).Round(time.Millisecond))
			if lines := r.Unreached(fn); !testing.Short() && (len(lines) > 0) != (k.Unreached != "") {
				t.Errorf("no run reaches the lines %v, because: %q", lines, k.Unreached)
			}
		})
	}
}

// TestComplete fails for a function of an .s file that is neither proven nor in
// the table of those that are not.
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
		f, err := asm.Read(path)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(root, path)
		for _, fn := range f.Funcs {
			name := filepath.ToSlash(file) + " " + fn.Name
			if proven[name] != 1 {
				t.Errorf("%s is %d times in Kernels and Unproven together", name, proven[name])
			}
			delete(proven, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range proven {
		t.Errorf("%s is no function", name)
	}
}
