// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package table

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWrite replaces one row of a table and adds another. The others keep their contents, in the order of the kernels'
// names, and a row without a kernel is dropped.
func TestWrite(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "internal", "proof"), 0o777); err != nil {
		t.Fatal(err)
	}
	const before = "# Title\n\n" + head
	write := func(text string) {
		if err := os.WriteFile(file(root), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(before + "| gone | 1 | 2 | 3 | 4 | 5 | 6 |\n| p c | old | 2 | 3 | 4 | 5 | 6 |\n| p a | old | 2 | 3 | 4 | 5 | 6 |\n")
	table, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	table.Find("p a").Claim = "new"
	table.Set(Row{"p b", "added", "x", "y", NotTried, "7", "0.1"})
	if err := table.Write(root, []string{"p a", "p b", "p c", "p d"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file(root))
	if want := before + "| p a | new | 2 | 3 | 4 | 5 | 6 |\n| p b | added | x | y | not yet | 7 | 0.1 |\n| p c | old | 2 | 3 | 4 | 5 | 6 |\n"; err != nil || string(got) != want {
		t.Errorf("%v, got %q, want %q", err, got, want)
	}
	for _, wrong := range []string{"# Title\n", before + "| p a | 1 | 2 |\n"} {
		write(wrong)
		if _, err := Read(root); err == nil {
			t.Errorf("read %q", wrong)
		}
	}
}

// TestTable reads the module's own table.
func TestTable(t *testing.T) {
	table, err := Read("../../..")
	if err != nil || len(table.rows) == 0 {
		t.Fatalf("%d rows: %v", len(table.rows), err)
	}
}
