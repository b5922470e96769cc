// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package modcopy_test

import (
	"os"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/modcopy"
)

// TestWriteFails writes trees of which a part cannot be written: there is nothing of them then.
func TestWriteFails(t *testing.T) {
	for name, tree := range map[string]modcopy.Tree{
		"a file with too long a name": {"first": nil, "folder/" + strings.Repeat("x", 400): nil, "last": nil},
		"a folder in a file's place":  {"first": nil, "first/second": nil},
	} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("copy.origin", []byte("./before\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := tree.WriteCopy("copy", modcopy.Origin{Fork: "./fork"}); err == nil {
			t.Errorf("%s is written", name)
		}
		entries, err := os.ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		origin, err := os.ReadFile("copy.origin")
		if len(entries) != 1 || err != nil || string(origin) != "./before\n" {
			t.Errorf("%s: there are %v, %q, %v", name, entries, origin, err)
		}
	}
}

// TestOriginFails writes a copy of a fork next to which the name of the fork cannot be written:
// there is no copy then, which would be taken for one of a release.
func TestOriginFails(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("nowhere/file", "copy.origin"); err != nil {
		t.Skip(err)
	}
	if err := (modcopy.Tree{"first": nil}).WriteCopy("copy", modcopy.Origin{Fork: "./fork"}); err == nil {
		t.Error("it is written")
	}
	if _, err := os.Lstat("copy"); err == nil {
		t.Error("there is a copy")
	}
}
