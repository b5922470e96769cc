// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package gocommand runs the go command for tests that build programs and modules, for
// example against a copy of x/crypto.
package gocommand

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/modcopy"
)

// Crypto is the module path of x/crypto.
const Crypto = "golang.org/x/crypto"

// Need skips a test in short mode or if programs cannot be built.
func Need(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		if os.Getenv("CI") != "" && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// Run runs the go command in dir, without network access, and returns its standard
// output.
func Run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return Program(t, dir, []string{"GOPROXY=off", "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local"}, "go", args...)
}

// Program runs a program in dir with extra environment variables and returns its
// standard output.
func Program(t testing.TB, dir string, env []string, program string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), env...)
	out, err := command.Output()
	if err != nil {
		var stderr string
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			stderr = string(exit.Stderr)
		}
		t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, stderr)
	}
	return string(out)
}

// Repository returns the root directory of this module.
func Repository(t testing.TB) string {
	t.Helper()
	return filepath.Dir(strings.TrimSpace(Run(t, ".", "env", "GOMOD")))
}

// CryptoFolder returns the module cache directory of the required x/crypto version.
func CryptoFolder(t testing.TB) string {
	t.Helper()
	dir := strings.TrimSpace(Run(t, ".", "list", "-m", "-f", "{{.Dir}}", Crypto))
	if dir == "" {
		t.Fatalf("%s is not in the module cache", Crypto)
	}
	return dir
}

// Sources returns the files of the x/crypto tree in the directory crypto. To speed up
// copying, it omits tests and packages that this repository never modifies.
func Sources(crypto string) (modcopy.Tree, error) {
	tree, err := modcopy.Read(crypto)
	maps.DeleteFunc(tree, func(name string, _ []byte) bool {
		folder, _, _ := strings.Cut(name, "/")
		return strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/test") || slices.Contains(unmodified, folder)
	})
	return tree, err
}

// CryptoCopy returns a directory with a copy of x/crypto, for use in a replace
// directive. Tests may add files to it. All tests share the copy so that its packages
// are built only once.
func CryptoCopy(t testing.TB) string {
	t.Helper()
	if copyDir == "" {
		dir, err := os.MkdirTemp("", "unimac-test-")
		if err != nil {
			t.Fatal(err)
		}
		copyDir = dir
		CopyTree(t, filepath.Join(copyDir, "crypto"), CryptoFolder(t))
	}
	return filepath.Join(copyDir, "crypto")
}

// copyDir contains the copy that CryptoCopy returns.
var copyDir string

// Small gives a test a module cache with only the files of x/crypto that Sources
// returns.
func Small(t testing.TB) {
	t.Helper()
	if small.cache == "" && !small.noSymlinks {
		whole := CryptoFolder(t)
		small.cache, small.err = os.MkdirTemp("", "unimac-test-")
		if small.err == nil {
			small.noSymlinks, small.err = link(small.cache, whole)
		}
	}
	if small.err != nil {
		t.Fatal(small.err)
	}
	if !small.noSymlinks { // otherwise, use the complete module cache
		t.Setenv("GOMODCACHE", small.cache)
	}
}

// small is the module cache set up by Small, which all tests share.
var small struct {
	cache      string
	noSymlinks bool
	err        error
}

// Main implements TestMain for packages whose tests call Small or CryptoCopy.
func Main(m *testing.M) {
	code := m.Run()
	os.RemoveAll(small.cache)
	os.RemoveAll(copyDir)
	os.Exit(code)
}

// link creates a module cache with the files of x/crypto that Sources returns.
// noSymlinks is true if the platform does not support symbolic links.
func link(cache, crypto string) (noSymlinks bool, err error) {
	others := filepath.Dir(crypto)
	tree, err := Sources(crypto)
	if err == nil {
		err = os.MkdirAll(filepath.Join(cache, "golang.org", "x"), 0o755)
	}
	if err != nil {
		return false, err
	}
	entries, err := os.ReadDir(others)
	if err != nil {
		return false, err
	}
	links := map[string]string{filepath.Join(others, "..", "..", "cache"): "cache"}
	for _, entry := range entries {
		if entry.Name() != filepath.Base(crypto) {
			links[filepath.Join(others, entry.Name())] = filepath.Join("golang.org", "x", entry.Name())
		}
	}
	// All other golang.org/x modules are symbolic links to the original cache.
	for to, name := range links {
		if err := os.Symlink(to, filepath.Join(cache, name)); err != nil {
			return true, nil
		}
	}
	return false, tree.Write(filepath.Join(cache, "golang.org", "x", filepath.Base(crypto)))
}

var unmodified = []string{"acme", "argon2", "bcrypt", "bn256", "cast5", "md4", "nacl", "ocsp", "openpgp", "otr", "pkcs12", "ripemd160", "scrypt", "sha3", "tea", "twofish", "x509roots", "xtea", "xts"}

// Release returns the module cache directory of a release of x/crypto. If the release
// is not there, Release downloads it in CI and skips the test elsewhere.
func Release(t testing.TB, version string) string {
	t.Helper()
	download := exec.Command("go", "mod", "download", "-json", Crypto+"@"+version)
	download.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if os.Getenv("CI") == "" {
		download.Env = append(download.Env, "GOPROXY=off")
	}
	out, err := download.Output()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v: %s", err, out)
		}
		t.Skipf("not in the module cache; go mod download %s@%s", Crypto, version)
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		t.Fatal(err)
	}
	return downloaded.Dir
}

// Requirements returns the x/crypto, x/sys and x/term requirements of this repository's
// go.mod.
func Requirements(t testing.TB) []string {
	t.Helper()
	out := Run(t, ".", "list", "-m", "-f", "{{.Path}} {{.Version}}", Crypto, "golang.org/x/sys", "golang.org/x/term")
	return strings.Split(strings.TrimSpace(out), "\n")
}

// NewModule creates a module with the given requirements in a temporary directory,
// changes to that directory and returns its path. The module uses this copy of unimac;
// its other dependencies come from the module cache.
func NewModule(t testing.TB, requirements ...string) string {
	t.Helper()
	repository := Repository(t)
	dir := t.TempDir()
	var mod strings.Builder
	mod.WriteString("module example.com/application\n\ngo 1.26.0\n\n")
	for _, r := range requirements {
		mod.WriteString("require " + r + "\n")
	}
	mod.WriteString("replace " + modcopy.Unimac + " => " + repository + "\n")
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	CopyFile(t, filepath.Join(dir, "go.sum"), filepath.Join(repository, "go.sum"))
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOPROXY", "off")
	return dir
}

// CopyTree copies the files in a directory to a new directory.
func CopyTree(t testing.TB, dst, source string) {
	t.Helper()
	tree, err := modcopy.Read(source)
	if err == nil {
		err = tree.Write(dst)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func CopyFile(t testing.TB, dst, source string) {
	t.Helper()
	content, err := os.ReadFile(source)
	if err == nil {
		err = os.WriteFile(dst, content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
