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

// TestFork makes copies of a fork and, in modules that use those, copies of either kind. All
// have the fork's patch, also if the first copy was removed or is not in use.
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
					t.Error("a copy of the release in place of a fork that is missing")
				}
			})
		}
	}
}

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
