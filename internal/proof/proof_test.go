// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

const root = "../.."

// TestMain collects garbage seldom, as terms are kept while a kernel is proven.
func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1200 << 20) // then as often as needed
	os.Exit(m.Run())
}

// TestKernels proves every kernel: for all lengths and variants, in short mode for
// some. PROVEN.md must have a line for each, that says what was proven.
func TestKernels(t *testing.T) {
	readme := readTable(t)
	tried := readMutants(t)
	rows := make([]string, len(Kernels))
	t.Run("all", func(t *testing.T) {
		for i := range Kernels {
			k := &Kernels[i]
			t.Run(strings.ReplaceAll(k.Name(), " ", "."), func(t *testing.T) {
				t.Parallel()
				r, instructions, seconds := prove(t, k)
				f, fn := read(t, k)
				row := k.Row(&r) + " " + tried.of(k, f.Digest(fn)) + " |"
				rows[i] = fmt.Sprintf("%s %d | %s |", row, instructions, readme.seconds(row, seconds))
				if !*update && !strings.Contains(readme.text, row) {
					t.Errorf("PROVEN.md has no line that begins with\n%s\n(go test ./internal/proof -run Kernels -update writes it)", row)
				}
			})
		}
	})
	if *update && !t.Failed() {
		readme.write(t, rows)
	}
}

// prove proves a kernel.
func prove(t *testing.T, k *engine.Kernel) (r engine.Result, instructions int, seconds float64) {
	which, statement := engine.Lengths(engine.All), k
	if testing.Short() {
		which, statement = engine.Few, k.Sample()
	}
	f, fn := read(t, k)
	var err error
	seconds = processorTime(func() { r, err = statement.ProveFunc(f, fn, which) }).Seconds()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs, %.2f s", r.Runs, seconds)
	if lines := r.Unreached(fn); !testing.Short() && len(lines) > 0 {
		t.Errorf("no run reaches the lines %v", lines)
	}
	return r, len(fn.Code), seconds
}

// files are those that were read, by path.
var files sync.Map

// readFile returns a file of the module, which is read once.
func readFile(name string) (*asm.File, error) {
	once, _ := files.LoadOrStore(name, sync.OnceValues(func() (*asm.File, error) { return asm.Read(filepath.Join(root, filepath.FromSlash(name))) }))
	return once.(func() (*asm.File, error))()
}

// read returns the function of a kernel and its file.
func read(t *testing.T, k *engine.Kernel) (*asm.File, *asm.Func) {
	t.Helper()
	f, err := readFile(k.File)
	if err != nil {
		t.Fatal(err)
	}
	fn := engine.Find(f, k.Func)
	if fn == nil {
		t.Fatalf("%s: no function %s", k.File, k.Func)
	}
	return f, fn
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
				t.Errorf("%s is %d times in Kernels and Unproven together", name, proven[name])
			}
			delete(proven, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range proven {
		t.Errorf("%s is no function", name)
	}
}
