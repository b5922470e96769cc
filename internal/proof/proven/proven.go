// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package proven contains the test of all proofs and of PROVEN.md.
package proven

import (
	"flag"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
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
	debug.SetGCPercent(1000)
	debug.SetMemoryLimit(700 << 20) // above this limit, collect as often as necessary
	m.Run()
}

// Kernels proves the kernels of the named package. If name is empty, it proves those of
// all packages except the ones listed in [Separate]. It reports an error on t for each
// failed proof and for each result that differs from PROVEN.md. root is the module's
// directory.
func Kernels(t *testing.T, root, name string) {
	before, err := table.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	names, rows := make([]string, len(proof.Kernels)), make([]*table.Row, len(proof.Kernels))
	t.Run("all", func(t *testing.T) {
		for i := range proof.Kernels {
			k := &proof.Kernels[i]
			names[i] = k.Name()
			pkg, _, _ := strings.Cut(names[i], " ")
			if pkg != name && (name != "" || slices.Contains(Separate, pkg)) {
				continue
			}
			t.Run(names[i], func(t *testing.T) {
				t.Parallel()
				rows[i] = prove(t, root, k, before.Find(names[i]))
			})
		}
	})
	rows = slices.DeleteFunc(rows, func(row *table.Row) bool { return row == nil })
	switch {
	case t.Failed():
	case len(rows) == 0:
		t.Errorf("-run %q selects none of the kernels that are proven here. Names are as in internal/proof/PROVEN.md; the kernels of %q are proven in ./internal/proof/kernels/...",
			flag.Lookup("test.run").Value, Separate)
	case *update:
		after, err := table.Read(root) // other tests may have changed it
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			after.Set(*row)
		}
		if err := after.Write(root, names); err != nil {
			t.Error(err)
		}
	}
}

// prove proves k and returns its row in PROVEN.md. old is the present row, or nil.
func prove(t *testing.T, root string, k *engine.Kernel, old *table.Row) *table.Row {
	f, fn, err := k.Read(root)
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
	row := table.Row{
		Kernel: k.Name(), Claim: claim(k), Lengths: lengths(k),
		Mutants: table.NotTried, Instructions: strconv.Itoa(len(fn.Code)), Digest: r.Digest,
	}
	if old != nil {
		if testing.Short() && strings.HasPrefix(old.Digest, row.Digest+"-") { // the same code
			row.Digest = old.Digest
		}
		row.Mutants = old.Since(row.Digest)
	}
	if err := differs(old, &row); err != nil && !*update {
		t.Error(err)
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
	for _, cell := range [][3]string{{"claim", old.Claim, row.Claim}, {"lengths", old.Lengths, row.Lengths}, {"digest", old.Digest, row.Digest}} {
		if what, got, want := cell[0], cell[1], cell[2]; got != want {
			return fmt.Errorf("proven; the table's %s is %q, want %q: %s", what, got, want, hint)
		}
	}
	return nil
}
