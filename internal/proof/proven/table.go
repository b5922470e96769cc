// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proven

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
)

var update = flag.Bool("update", false, "write PROVEN.md's table; in short mode, the seconds that it has stay")

const tableHead = `| kernel | what is proven | lengths | at the loop's head, registers and frame are | mutants | instructions | seconds |
|---|---|---|---|---|---|---|
`

// A table is PROVEN.md, by its parts.
type table struct{ text, before, rows string }

func readTable(t *testing.T, root string) (r table) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "internal", "proof", "PROVEN.md"))
	if err != nil {
		t.Fatal(err)
	}
	r.text = string(data)
	var rest string
	var ok bool
	r.before, rest, ok = strings.Cut(r.text, tableHead)
	r.rows = strings.TrimSuffix(rest, "\n")
	if !ok {
		t.Fatal("PROVEN.md has no table")
	}
	return r
}

// seconds returns what a row that begins so has last: in short mode, what it had before.
func (r *table) seconds(row string, now float64) string {
	cells := strings.SplitN(row, "|", 3)
	for old := range strings.Lines(r.rows) {
		if fields := strings.Split(old, "|"); testing.Short() && fields[1] == cells[1] {
			return strings.TrimSpace(fields[len(fields)-2])
		}
	}
	return fmt.Sprintf("%.1f", now)
}

// Keep replaces the rows of kernels that were not run, which are empty, by those that a table
// has; names are the kernels of the rows.
func Keep(table string, rows, names []string) (kept []string) {
	old := map[string]string{}
	for row := range strings.Lines(table) {
		old[strings.TrimSpace(strings.Split(row, "|")[1])] = strings.TrimSpace(row)
	}
	for i, row := range rows {
		if row == "" {
			row = old[names[i]]
		}
		if row != "" {
			kept = append(kept, row)
		}
	}
	return kept
}

// write writes the table, which another of the programs may have changed.
func (p *program) write(t *testing.T, rows []string) {
	t.Helper()
	var names []string
	for i := range proof.Kernels {
		names = append(names, proof.Kernels[i].Name())
	}
	r := readTable(t, p.root)
	text := r.before + tableHead + strings.Join(Keep(r.rows, rows, names), "\n") + "\n"
	if err := os.WriteFile(filepath.Join(p.root, "internal", "proof", "PROVEN.md"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// mutants are how many changes of kernels were caught, and how many survive, by Kernel.Name.
type mutants struct {
	caught    map[string]string
	digest    map[string]string // of the function that was changed
	surviving map[string]int
}

// readMutants reads the list that the command in mutate writes.
func readMutants(t *testing.T, root string) mutants {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "internal", "proof", "mutate", "survivors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	m := mutants{map[string]string{}, map[string]string{}, map[string]int{}}
	for line := range strings.Lines(string(data)) {
		if whole, ok := strings.CutPrefix(line, "@ "); ok {
			kernel, count, _ := strings.Cut(strings.TrimSpace(whole), "\t")
			caught, digest, _ := strings.Cut(count, "\t")
			m.caught[kernel] = caught
			m.digest[kernel], _, _ = strings.Cut(digest, "\t")
		} else if fields := strings.Fields(line); len(fields) > 2 {
			m.surviving[fields[0]+" "+fields[1]]++
		}
	}
	return m
}

// of says it of a kernel, whose function has a digest.
func (m *mutants) of(k *engine.Kernel, digest string) string {
	name := k.Name()
	if m.caught[name] == "" {
		return "not yet"
	}
	if m.digest[name] != digest {
		return "not yet, as it is now"
	}
	return fmt.Sprintf("%s caught, %d survive", m.caught[name], m.surviving[name])
}
