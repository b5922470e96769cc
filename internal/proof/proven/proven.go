// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package proven proves the kernels in test programs and compares PROVEN.md with them. There
// are four programs: a folder of statements that takes long has its own, and internal/proof
// proves the rest.
package proven

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

// Apart are the folders in internal/proof/kernels that have their own test program.
var Apart = []string{"aegis", "chacha20poly1305", "umac"}

// Main is for TestMain. It collects garbage seldom, as terms are kept while a kernel is proven.
func Main(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(800 << 20) // then as often as needed
	os.Exit(m.Run())
}

// Kernels proves the kernels of one of [Apart], or with "" all others: for all lengths and
// variants, in short mode for some. PROVEN.md must have a line for each, that says what was
// proven. The root is the module's folder.
func Kernels(t *testing.T, root, apart string) {
	p := &program{root: root, table: readTable(t, root), tried: readMutants(t, root), files: map[string]func() (*asm.File, error){}}
	for i := range proof.Kernels {
		file := filepath.Join(root, filepath.FromSlash(proof.Kernels[i].File))
		p.files[proof.Kernels[i].File] = sync.OnceValues(func() (*asm.File, error) { return asm.Read(file) })
	}
	rows := make([]string, len(proof.Kernels))
	t.Run("all", func(t *testing.T) {
		for i := range proof.Kernels {
			k := &proof.Kernels[i]
			pkg, _, _ := strings.Cut(k.Name(), " ")
			if pkg != apart && (apart != "" || slices.Contains(Apart, pkg)) {
				continue
			}
			t.Run(strings.ReplaceAll(k.Name(), " ", "."), func(t *testing.T) {
				t.Parallel()
				rows[i] = p.prove(t, k)
			})
		}
	})
	if *update && !t.Failed() && slices.ContainsFunc(rows, func(row string) bool { return row != "" }) {
		p.write(t, rows)
	}
}

// A program is what a test program has read.
type program struct {
	root  string
	table table
	tried mutants
	files map[string]func() (*asm.File, error) // of the kernels, each read when it is asked for, and once
}

// prove proves a kernel and returns its row of the table.
func (p *program) prove(t *testing.T, k *engine.Kernel) string {
	which, statement := engine.Lengths(engine.All), k
	if testing.Short() {
		which, statement = engine.Few, k.Sample()
	}
	f, err := p.files[k.File]()
	if err != nil {
		t.Fatal(err)
	}
	fn := engine.Find(f, k.Func)
	if fn == nil {
		t.Fatalf("%s: no function %s", k.File, k.Func)
	}
	var r engine.Result
	seconds := processorTime(func() { r, err = statement.ProveFunc(f, fn, which) }).Seconds()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs, %.2f s", r.Runs, seconds)
	if lines := r.Unreached(fn); !testing.Short() && len(lines) > 0 {
		t.Errorf("no run reaches the lines %v", lines)
	}
	row := k.Row(&r) + " " + p.tried.of(k, f.Digest(fn)) + " |"
	if !*update && !strings.Contains(p.table.text, row) {
		t.Errorf("PROVEN.md has no line that begins with\n%s\n(internal/proof/README.md says how to write it)", row)
	}
	return fmt.Sprintf("%s %d | %s |", row, len(fn.Code), p.table.seconds(row, seconds))
}
