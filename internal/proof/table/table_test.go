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
	write(before + "| gone | 1 | 2 | 3 | 4 | 5 |\n| p c | old | 2 | 3 | 4 | 5 |\n| p a | old | 2 | 3 | 4 | 5 |\n")
	table, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	table.Find("p a").Claim = "new"
	table.Set(Row{"p b", "added", "x", NotTried, "7", "8-9"})
	if err := table.Write(root, []string{"p a", "p b", "p c", "p d"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file(root))
	if want := before + "| p a | new | 2 | 3 | 4 | 5 |\n| p b | added | x | not yet | 7 | 8-9 |\n| p c | old | 2 | 3 | 4 | 5 |\n"; err != nil || string(got) != want {
		t.Errorf("got %q, want %q (error %v)", err, got, want)
	}
	for _, wrong := range []string{"# Title\n", before + "| p a | 1 | 2 |\n"} {
		write(wrong)
		if _, err := Read(root); err == nil {
			t.Errorf("Read accepted %q", wrong)
		}
	}
}

// TestTable reads the module's own table.
func TestTable(t *testing.T) {
	table, err := Read("../../..")
	if err != nil || len(table.rows) == 0 {
		t.Fatalf("got %d rows and error %v, want rows", len(table.rows), err)
	}
}

// TestSince checks the suffix that Since adds if the row's digest is of another
// statement or of other code.
func TestSince(t *testing.T) {
	for _, test := range []struct{ mutants, digest, want string }{
		{"5 caught", "1-2", "5 caught"},
		{"5 caught", "1-3", "5 caught" + EarlierStatement},
		{"5 caught", "2-2", "5 caught" + EarlierCode},
		{"5 caught" + EarlierStatement, "1-2", "5 caught" + EarlierStatement},
		{"5 caught" + EarlierStatement, "1-4", "5 caught" + EarlierStatement},
		{"5 caught" + EarlierStatement, "2-2", "5 caught" + EarlierCode},
		{"5 caught" + EarlierCode, "1-3", "5 caught" + EarlierCode},
		{NotTried, "2-3", NotTried},
	} {
		if got := (&Row{Mutants: test.mutants, Digest: "1-2"}).Since(test.digest); got != test.want {
			t.Errorf("row %q, digest %s: got %q, want %q", test.mutants, test.digest, got, test.want)
		}
	}
}
