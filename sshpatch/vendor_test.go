// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/internal/modcopy"
)

// required returns the requirements of an application.
func required(t *testing.T) []string {
	t.Helper()
	return append(gocommand.Requirements(t), modcopy.Unimac+" v0.0.0")
}

// checkNothing checks that a folder contains only the names in but.
func checkNothing(t *testing.T, dir string, but ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains(but, entry.Name()) {
			t.Errorf("Vendor left %s", entry.Name())
		}
	}
}

// TestVendor checks that a copy differs from the original only as documented, that
// applications built with it can use UMAC with and without a call of Register, and that
// the copy passes x/crypto's own tests.
func TestVendor(t *testing.T) {
	gocommand.Need(t)
	if !mactest.Whole() {
		gocommand.Small(t)
	}
	crypto, repository, requirements := gocommand.CryptoFolder(t), gocommand.Repository(t), required(t)
	dir := gocommand.NewModule(t, requirements...)
	directives, err := vendor("xcrypto")
	if err != nil {
		t.Fatal(err)
	}
	if want := "replace golang.org/x/crypto => ./xcrypto\n"; !strings.HasPrefix(directives, "// a copy of golang.org/x/crypto v0.") || !strings.HasSuffix(directives, "\n"+want) {
		t.Errorf("Vendor returned %q, want %q", directives, want)
	}
	checkNothing(t, dir, "go.mod", "go.sum", "xcrypto")
	checkCopy(t, filepath.Join(dir, "xcrypto"), crypto)

	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, "go.mod", append(mod, directives...))
	gocommand.CopyFile(t, "main.go", filepath.Join(repository, "sshpatch", "testdata", "application", "main.go"))
	program := filepath.Join(dir, "application.exe")
	gocommand.Run(t, dir, "build", "-ldflags=-s -w", "-o", program, ".")
	r := runApplication(t, program)
	r.check(t, true)
	if r.Register != "not called" {
		t.Errorf("Register: %s", r.Register)
	}
	runApplication(t, program, "GODEBUG=fips140=on").check(t, false)

	// The application may also call Register.
	gocommand.CopyFile(t, "register.go", filepath.Join(repository, "sshpatch", "testdata", "application", "register.go"))
	gocommand.Run(t, dir, "build", "-ldflags=-s -w", "-o", program, ".")
	r = runApplication(t, program)
	r.check(t, true)
	if r.Register != "" {
		t.Errorf("Register in the copy: %s: %s", r.Register, r.Reason)
	}

	t.Run("tests of x/crypto", func(t *testing.T) {
		mactest.NeedWhole(t)
		testCopy(t, dir)
	})
	t.Run("again", func(t *testing.T) {
		// The current module now uses a copy of x/crypto.
		if _, err := vendor("second"); err != nil {
			t.Fatal(err)
		}
		checkCopy(t, filepath.Join(dir, "second"), crypto)
	})
}

// checkCopy checks that a copy differs from the original only by an additional file and
// requirement.
func checkCopy(t *testing.T, dir, crypto string) {
	t.Helper()
	files := func(dir string) map[string]string {
		content := map[string]string{}
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			b, err := os.ReadFile(filepath.Join(dir, path))
			content[path] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	got, want := files(dir), files(crypto)
	if _, ok := got[modcopy.PatchFile]; !ok {
		t.Errorf("%s is missing", modcopy.PatchFile)
	}
	for path, content := range want {
		if path != "go.mod" && path != "go.sum" && got[path] != content {
			t.Errorf("%s differs from the release", path)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok && path != modcopy.PatchFile && path != "go.sum" {
			t.Errorf("%s is not in the release", path)
		}
	}
	wanted := append(requirementsIn(want["go.mod"]), modcopy.Unimac+" v0.0.0")
	slices.Sort(wanted)
	if mod := requirementsIn(got["go.mod"]); !slices.Equal(mod, wanted) {
		t.Errorf("go.mod requires %q, want %q", mod, wanted)
	}
	if !strings.HasPrefix(got["go.sum"], want["go.sum"]) {
		t.Error("go.sum does not begin with the go.sum of the release")
	}
}

// requirementsIn returns the requirements in a go.mod, with comments.
func requirementsIn(mod string) []string {
	requirements := regexp.MustCompile(`[^\s]+ v\d.*`).FindAllString(mod, -1)
	slices.Sort(requirements)
	return requirements
}

// testCopy runs the tests of x/crypto/ssh in the copy that the module in dir uses.
func testCopy(t *testing.T, dir string) {
	// The examples need modules that may not be available.
	if err := os.Remove(filepath.Join(dir, "xcrypto", "ssh", "example_test.go")); err != nil {
		t.Fatal(err)
	}
	out := gocommand.Run(t, dir, "test", "-v", "-exec="+strings.Join(mactest.Emulator(t), " "), "golang.org/x/crypto/ssh")
	for _, mac := range append(Algorithms(), "hmac-sha2-256") {
		if n := strings.Count(out, "--- PASS: TestPacketCiphers/mac="+mac+" "); n != 1 {
			t.Errorf("TestPacketCiphers passed %d times with %s", n, mac)
		}
	}
}

// TestVendorErrors checks the errors of Vendor, and that Vendor leaves no files behind
// when it fails.
func TestVendorErrors(t *testing.T) {
	gocommand.Need(t)
	requirements := required(t)
	for _, tt := range []struct {
		name    string
		dir     string
		prepare func(t *testing.T)
		want    string
	}{
		{"a file with the name of the copy", "here", func(t *testing.T) { writeFile(t, "here", nil) }, "not a directory"},
		{"folder not empty", ".", func(t *testing.T) {}, "is not empty"},
		{"no go.mod", "copy", func(t *testing.T) { os.Remove("go.mod") }, "no go.mod in this folder or above it"},
		{"no go command", "copy", func(t *testing.T) { t.Setenv("PATH", t.TempDir()) }, "no go command"},
		{"x/crypto not required", "copy", func(t *testing.T) {
			writeFile(t, "go.mod", []byte("module m\ngo 1.26.0\n"))
		}, "does not require golang.org/x/crypto"},
		{"x/crypto itself", "copy", func(t *testing.T) {
			writeFile(t, "go.mod", []byte("module golang.org/x/crypto\ngo 1.26.0\n"))
		}, "is the go.mod of golang.org/x/crypto itself"},
		{"an unavailable version", "copy", func(t *testing.T) {
			writeFile(t, "go.mod", []byte("module m\ngo 1.26.0\nrequire golang.org/x/crypto v0.999.0\n"))
		}, "golang.org/x/crypto@v0.999.0"},
		{"a broken go.mod", "copy", func(t *testing.T) { writeFile(t, "go.mod", []byte("nonsense\n")) }, "unknown directive: nonsense"},
		{"another layout", "copy", func(t *testing.T) {
			replaceCrypto(t, "type macMode struct { keySize int; etm bool; new func(key []byte) hash.Hash }\nvar macModes []*macMode")
		}, "macModes is declared as"},
		{"other fields", "copy", func(t *testing.T) {
			replaceCrypto(t, "type macMode struct { keySize, tagSize int; etm bool; new func(key []byte) hash.Hash }\nvar macModes = map[string]*macMode{}")
		}, "macMode has the fields"},
		{"an embedded field", "copy", func(t *testing.T) {
			replaceCrypto(t, "type macMode struct { keySize int; etm bool; new func(key []byte) hash.Hash; hash.Hash }\nvar macModes = map[string]*macMode{}")
		}, "macMode has the fields"},
		{"a symbolic link in the source", "copy", func(t *testing.T) {
			replaceCrypto(t, "type macMode struct { keySize int; etm bool; new func(key []byte) hash.Hash }\nvar macModes = map[string]*macMode{}")
			if err := os.Symlink("mac.go", "fork/ssh/other.go"); err != nil {
				t.Fatal(err)
			}
		}, "other.go is not a regular file"},
		{"no MACs", "copy", func(t *testing.T) { replaceCrypto(t, "") }, "no struct macMode"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := gocommand.NewModule(t, requirements...)
			tt.prepare(t)
			before, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			err = Vendor(tt.dir)
			if err == nil || !strings.HasPrefix(err.Error(), "sshpatch: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Vendor = %v, want %q", err, tt.want)
			}
			if got := errors.Is(err, ErrIncompatible); got != slices.Contains([]string{"another layout", "other fields", "an embedded field", "no MACs"}, tt.name) {
				t.Errorf("is ErrIncompatible = %v", got)
			}
			names := []string{}
			for _, entry := range before {
				names = append(names, entry.Name())
			}
			checkNothing(t, dir, names...)
		})
	}
}

// replaceCrypto makes the module in the working directory replace x/crypto with a
// folder whose package ssh contains declarations.
func replaceCrypto(t *testing.T, declarations string) {
	t.Helper()
	if err := os.MkdirAll("fork/ssh", 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "fork/go.mod", []byte("module golang.org/x/crypto\ngo 1.26.0\n"))
	writeFile(t, "fork/ssh/mac.go", []byte("package ssh\nimport \"hash\"\nvar _ hash.Hash\n"+declarations))
	gocommand.Run(t, ".", "mod", "edit", "-replace=golang.org/x/crypto=./fork")
}

// TestVendorFork checks that Vendor copies a fork that replaces x/crypto, including
// into an existing empty folder, and for a module that already uses a copy of the fork.
func TestVendorFork(t *testing.T) {
	gocommand.Need(t)
	dir := gocommand.NewModule(t, required(t)...)
	replaceCrypto(t, "type macMode struct {\n\tkeySize int\n\tetm bool\n\tnew func(key []byte) hash.Hash\n}\nvar macModes = map[string]*macMode{}")
	if err := os.MkdirAll("a b/empty", 0o755); err != nil {
		t.Fatal(err)
	}
	directives, err := vendor("a b/empty")
	if err != nil {
		t.Fatal(err)
	}
	if want := "// a copy of the fork ./fork\nreplace golang.org/x/crypto => \"./a b/empty\"\n"; directives != want {
		t.Errorf("Vendor returned %q, want %q", directives, want)
	}
	checkNothing(t, "a b", "empty", "empty.origin")
	checkCopy(t, filepath.Join(dir, "a b", "empty"), filepath.Join(dir, "fork"))
	gocommand.Run(t, ".", "mod", "edit", "-replace=golang.org/x/crypto=./a b/empty")
	if _, err := vendor("again"); err != nil {
		t.Fatal(err)
	}
	checkCopy(t, filepath.Join(dir, "again"), filepath.Join(dir, "fork"))
}

// TestVendorAlone checks a copy for a module that does not require this module. The
// copy must require the version of the running program. If the program has no version,
// the directives must say that unimac must be replaced, too.
func TestVendorAlone(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	dir := gocommand.NewModule(t, gocommand.Requirements(t)...)
	directives, err := vendor("copy")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "copy", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), modcopy.Unimac+" v") {
		t.Errorf("go.mod does not require this module:\n%s", mod)
	}
	if got := strings.Contains(directives, "Replace it as well"); got != strings.Contains(string(mod), modcopy.Unimac+" v0.0.0\n") {
		t.Errorf("Vendor returned %q, go.mod is\n%s", directives, mod)
	}
}

// TestVendorTooOld checks that the error about an old x/crypto names the oldest
// supported release and the command that upgrades x/crypto.
func TestVendorTooOld(t *testing.T) {
	_, err := patch(modcopy.Source{Origin: modcopy.Origin{Version: "v0.0.0-20220525230936-793ad666bf5e"}})
	const want = "version v0.0.0-20220525230936-793ad666bf5e is too old; supported releases begin with v0.1.0; if yours is older, run: go get golang.org/x/crypto@latest"
	if !errors.Is(err, ErrIncompatible) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
