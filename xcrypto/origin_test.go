// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/internal/modcopy"
)

// wantCheck calls Check, whose error must contain want. If want is empty, Check must
// succeed.
func wantCheck(t *testing.T, dir, want string) {
	t.Helper()
	if err := Check(dir); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("Check(%q) = %v, want %q", dir, err, want)
	}
}

// replaceBy makes the current module replace x/crypto with another version or a folder.
func replaceBy(t *testing.T, by string) {
	t.Helper()
	gocommand.Run(t, ".", "mod", "edit", "-replace="+gocommand.Crypto+"="+by)
}

// write makes a copy and checks the origin that Write reports and records.
func write(t *testing.T, dir, origin string) {
	t.Helper()
	line, err := Options{}.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := "// a copy of " + origin + "\nreplace "; !strings.HasPrefix(line, want) {
		t.Errorf("Write(%q) = %q, want prefix %q", dir, line, want)
	}
	if made, _ := modcopy.OriginOf(dir); made.String() != origin {
		t.Errorf("%s records the origin %v, want %s", dir, made, origin)
	}
}

// required returns the version of x/crypto that the tests require.
func required(t *testing.T) string {
	t.Helper()
	return strings.Fields(gocommand.Requirements(t)[0])[1]
}

// TestPinned checks copies for a go.mod that replaces x/crypto with another version of
// itself. Such a replacement is not a fork. When it is removed, Check must compare the
// copy with the required version.
func TestPinned(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	version := required(t)
	release := gocommand.Crypto + " " + version
	gocommand.NewModule(t, gocommand.Requirements(t)...)
	replaceBy(t, gocommand.Crypto+"@"+version)
	gocommand.Run(t, ".", "mod", "edit", "-require="+gocommand.Crypto+"@v0.31.0")
	// An earlier copy of a fork left this file behind.
	if err := os.WriteFile("xcrypto.origin", []byte("./fork\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, "xcrypto", release)
	if _, err := os.Stat("xcrypto.origin"); err == nil {
		t.Error("Write kept a file that names a fork")
	}
	wantCheck(t, "xcrypto", "does not use the copy")
	replaceBy(t, "./xcrypto")
	wantCheck(t, "xcrypto", "it is a copy of "+release+", and not of "+gocommand.Crypto+" v0.31.0 as go.mod")
	if err := Check("xcrypto"); !errors.Is(err, ErrOutdated) {
		t.Errorf("Check = %v, want ErrOutdated", err)
	}
	gocommand.Run(t, ".", "mod", "edit", "-require="+gocommand.Crypto+"@"+version)
	wantCheck(t, "xcrypto", "")
}

// TestStaleOrigin checks copies next to .origin files that name a wrong release or a
// wrong fork, and the copy of a fork without an .origin file.
func TestStaleOrigin(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	release := gocommand.Crypto + " " + required(t)
	gocommand.NewModule(t, gocommand.Requirements(t)...)
	if err := os.WriteFile("xcrypto.origin", []byte(gocommand.Crypto+" v0.31.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, "xcrypto", release)
	replaceBy(t, "./xcrypto")
	wantCheck(t, "xcrypto", "")
	if err := os.WriteFile("xcrypto.origin", []byte("./fork\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantCheck(t, "xcrypto", "it is a copy of "+release+", and not of the fork ./fork")
	// Without the .origin file, only the copy names the fork.
	fork(t)
	write(t, "forked", "the fork ./fork")
	replaceBy(t, "./forked")
	wantCheck(t, "forked", "")
	if err := os.WriteFile("forked.origin", []byte("./other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantCheck(t, "forked", "it is a copy of the fork ./fork, and not of the fork ./other")
	if err := os.Remove("forked.origin"); err != nil {
		t.Fatal(err)
	}
	wantCheck(t, "forked", "it is a copy of the fork ./fork, and not of "+release)
}

// TestSameName checks two copies with the same name in different folders, of which the
// module uses one.
func TestSameName(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	gocommand.NewModule(t, gocommand.Requirements(t)...)
	if err := Vendor("xcrypto/"); err != nil {
		t.Fatal(err)
	}
	gocommand.CopyTree(t, "sub/xcrypto/", "xcrypto")
	replaceBy(t, "./xcrypto")
	wantCheck(t, "xcrypto/", "")
	wantCheck(t, "sub/xcrypto", "does not use the copy")
}

// TestWorkspace checks copies in a module of a workspace. For the copy of a release,
// go.mod contains the replace directive. For the copy of a fork, go.work contains it,
// so paths are relative to go.work.
func TestWorkspace(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	version := required(t)
	for _, place := range []string{"go.mod", "go.work"} {
		t.Run(place, func(t *testing.T) {
			gocommand.NewModule(t, gocommand.Requirements(t)...)
			if err := os.MkdirAll("work/app", 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"go.mod", "go.sum"} {
				if err := os.Rename(name, "work/app/"+name); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile("work/go.work", []byte("go 1.26.0\nuse ./app\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Chdir("work/app")
			t.Setenv("GOWORK", "")
			origin := gocommand.Crypto + " " + version
			if place == "go.work" {
				origin = "the fork ./fork"
				fork(t)
			}
			use := func(dir string) {
				t.Helper()
				replaceBy(t, "./"+dir)
				if place == "go.work" {
					gocommand.Run(t, ".", "mod", "edit", "-dropreplace="+gocommand.Crypto)
					gocommand.Program(t, "..", nil, "go", "work", "edit", "-replace="+gocommand.Crypto+"=./app/"+dir)
				}
			}
			write(t, "xcrypto", origin)
			use("xcrypto")
			wantCheck(t, "xcrypto", "")
			write(t, "second", origin)
			wantCheck(t, "second", "does not use the copy")
		})
	}
}

// TestRecord checks that recordText states the number of renamed functions.
func TestRecord(t *testing.T) {
	functions := map[string]bool{}
	for _, s := range seams {
		for _, names := range s.renames {
			for _, name := range names {
				functions[name] = true
			}
		}
	}
	numbers := []string{"no", "one", "two", "three", "four", "five", "six"}
	if want := "in the names of " + numbers[len(functions)] + " functions"; !strings.Contains(recordText, want) {
		t.Errorf("recordText does not contain %q", want)
	}
}
