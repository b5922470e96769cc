// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package proven contains the test of all proofs and of PROVEN.md.
package proven

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/table"
)

// Separate lists the packages in internal/proof/kernels that have their own test program.
var Separate = []string{"aegis", "chacha20poly1305", "umac"}

var update = flag.Bool("update", false, "write the rows of PROVEN.md; in short mode, their digests do not change")

// Main implements TestMain. It makes garbage collection rare, because terms stay live.
func Main(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(720 << 20) // above this limit, collect as often as necessary
	os.Exit(m.Run())
}

// Kernels proves the kernels of the named package. If name is empty, it proves those of
// all packages except the ones listed in [Separate]. It reports an error on t for each
// failed proof and for each result that differs from PROVEN.md. root is the module's
// directory.
func Kernels(t *testing.T, root, name string) {
	p := &program{root: root, rows: make([]*table.Row, len(proof.Kernels))}
	var err error
	if p.table, err = table.Read(root); err != nil {
		t.Fatal(err)
	}
	var selected atomic.Int32
	t.Run("all", func(t *testing.T) {
		for i := range proof.Kernels {
			k := &proof.Kernels[i]
			pkg, _, _ := strings.Cut(k.Name(), " ")
			if pkg != name && (name != "" || slices.Contains(Separate, pkg)) {
				continue
			}
			t.Run(k.Name(), func(t *testing.T) {
				selected.Add(1)
				t.Parallel()
				p.rows[i] = p.prove(t, k)
			})
		}
	})
	if selected.Load() == 0 {
		t.Errorf("-run %q selects none of the kernels that are proven here. Names are as in internal/proof/PROVEN.md; the kernels of %q are proven in ./internal/proof/kernels/...",
			flag.Lookup("test.run").Value, Separate)
	}
	if *update && !t.Failed() {
		if err := p.write(); err != nil {
			t.Error(err)
		}
	}
}

type program struct {
	root  string
	table *table.Table
	rows  []*table.Row // in the order of proof.Kernels; nil if not proven in this run
}

func (p *program) prove(t *testing.T, k *engine.Kernel) *table.Row {
	f, fn, err := k.Read(p.root)
	if err != nil {
		t.Fatal(err)
	}
	var r engine.Result
	if testing.Short() {
		r, err = k.Sample().ProveFunc(f, fn, engine.Few)
	} else {
		r, err = k.Digest(f, fn)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs", r.Runs)
	if lines := r.Unreached(fn); !testing.Short() && len(lines) > 0 {
		t.Errorf("no run reaches the lines %v", lines)
	}
	old := p.table.Find(k.Name())
	row := table.Row{
		Kernel: k.Name(), Claim: claim(k), Lengths: lengths(k),
		Mutants: table.NotTried, Instructions: strconv.Itoa(len(fn.Code)), Digest: r.Digest,
	}
	if old != nil && testing.Short() && strings.HasPrefix(old.Digest, row.Digest+"-") { // the same code
		row.Digest = old.Digest
	}
	if err := differs(old, &row); err != nil && !*update {
		t.Error(err)
	}
	if old != nil {
		row.Mutants = old.Since(row.Digest)
	}
	return &row
}

// claim returns what is proven about k, in words.
func claim(k *engine.Kernel) string {
	claim := k.Claim
	if k.Variants != nil && k.Lengths == "" { // otherwise, the variants are lengths
		claim += " (" + strings.Join(k.Variants, "; ") + ")"
	}
	if !k.Unwiped {
		claim += "; no secret is left in the frame"
	}
	return claim
}

// lengths returns the lengths for which k is proven, in words.
func lengths(k *engine.Kernel) string {
	switch {
	case k.Unit == 0:
		return "fixed"
	case k.Lengths != "":
		return k.Lengths
	case k.Unit == 1:
		return fmt.Sprintf("%d to %d bytes", k.Min, k.Max)
	}
	return fmt.Sprintf("multiples of %d to %d bytes", k.Unit, k.Max)
}

func differs(old, row *table.Row) error {
	const hint = "write it with -update"
	if old == nil {
		return fmt.Errorf("proven; the table has no row yet: %s", hint)
	}
	for _, cell := range []struct{ what, got, want string }{
		{"claim", old.Claim, row.Claim}, {"lengths", old.Lengths, row.Lengths}, {"digest", old.Digest, row.Digest},
	} {
		if cell.got != cell.want {
			return fmt.Errorf("proven; the table's %s is %q, want %q: %s", cell.what, cell.got, cell.want, hint)
		}
	}
	return nil
}

// write updates PROVEN.md, rereading it first because other tests may have changed it.
func (p *program) write() error {
	t, err := table.Read(p.root)
	if err != nil {
		return err
	}
	var names []string
	for i, row := range p.rows {
		names = append(names, proof.Kernels[i].Name())
		if row != nil {
			t.Set(*row)
		}
	}
	return t.Write(p.root, names)
}
