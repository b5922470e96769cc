// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package modcopy_test

import (
	"os"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/internal/modcopy"
	"github.com/unimac/unimac/sshpatch"
	"github.com/unimac/unimac/xcrypto"
)

func TestMain(m *testing.M) { gocommand.Main(m) }

// TestFork checks that a copy of a fork, and a second copy made in a module that uses
// the first, contain the fork's patch, for copies by xcrypto and sshpatch in any
// combination. The second copy must contain the patch even if the first copy was
// removed or is no longer used.
func TestFork(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	vendors := map[string]func(dir string) error{"xcrypto": xcrypto.Vendor, "sshpatch": sshpatch.Vendor}
	for first := range vendors {
		for second := range vendors {
			t.Run(second+" after "+first, func(t *testing.T) {
				gocommand.NewModule(t, gocommand.Requirements(t)...)
				gocommand.CopyTree(t, "fork", gocommand.CryptoFolder(t))
				if err := os.WriteFile("fork/ssh/patch.go", []byte("package ssh\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				use := func(dir string) {
					t.Helper()
					gocommand.Run(t, ".", "mod", "edit", "-replace="+gocommand.Crypto+"="+dir)
				}
				patched := func(vendor, dir string) {
					t.Helper()
					if err := vendors[vendor](dir); err != nil {
						t.Fatal(err)
					}
					if _, err := os.Stat(dir + "/ssh/patch.go"); err != nil {
						t.Error(err)
					}
				}
				remove := func(dir string) {
					t.Helper()
					if err := os.RemoveAll(dir); err != nil {
						t.Fatal(err)
					}
				}
				use("./fork")
				patched(first, "copy")
				use("./copy")
				patched(second, "other")
				remove("copy")
				patched(second, "copy")
				remove("copy")
				gocommand.Run(t, ".", "mod", "edit", "-dropreplace="+gocommand.Crypto)
				patched(second, "copy")
				use("./missing")
				if err := vendors[second]("third"); err == nil {
					t.Error("made a copy although the fork is missing")
				}
			})
		}
	}
}

// TestWriteFails checks that WriteCopy leaves no files behind if a file of the tree
// cannot be written.
func TestWriteFails(t *testing.T) {
	for name, tree := range map[string]modcopy.Tree{
		"file name too long":        {"first": nil, "folder/" + strings.Repeat("x", 400): nil, "last": nil},
		"file in place of a folder": {"first": nil, "first/second": nil},
	} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("copy.origin", []byte("./before\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := tree.WriteCopy("copy", modcopy.Origin{Fork: "./fork"}); err == nil {
			t.Errorf("%s: WriteCopy returned no error", name)
		}
		entries, err := os.ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		origin, err := os.ReadFile("copy.origin")
		if len(entries) != 1 || err != nil || string(origin) != "./before\n" {
			t.Errorf("%s: found %v, origin %q, %v, want only the old origin", name, entries, origin, err)
		}
	}
}

// TestOriginFails checks that WriteCopy leaves no copy behind if it cannot write the
// file that names the fork. Without this file, the copy would seem to be a copy of a
// release.
func TestOriginFails(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("nowhere/file", "copy.origin"); err != nil {
		t.Skip(err)
	}
	if err := (modcopy.Tree{"first": nil}).WriteCopy("copy", modcopy.Origin{Fork: "./fork"}); err == nil {
		t.Error("WriteCopy returned no error")
	}
	if _, err := os.Lstat("copy"); err == nil {
		t.Error("WriteCopy left a copy behind")
	}
}
