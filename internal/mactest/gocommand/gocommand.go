// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package gocommand lets tests run the go command: they build programs, and make modules
// that use copies of x/crypto.
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

// Crypto is the path of x/crypto.
const Crypto = "golang.org/x/crypto"

// Need skips a test that builds programs where that is not possible, and in a short run.
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

// Run runs the go command in a folder, without network, and returns its standard output.
func Run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return Program(t, dir, []string{"GOPROXY=off", "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local"}, "go", args...)
}

// Program runs a program in a folder, with more in its environment, and returns its
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

// Repository is the folder of this module.
func Repository(t testing.TB) string {
	t.Helper()
	return filepath.Dir(strings.TrimSpace(Run(t, ".", "env", "GOMOD")))
}

// CryptoFolder is the folder in the module cache of the x/crypto that this module requires.
func CryptoFolder(t testing.TB) string {
	t.Helper()
	dir := strings.TrimSpace(Run(t, ".", "list", "-m", "-f", "{{.Dir}}", Crypto))
	if dir == "" {
		t.Fatalf("%s is not in the module cache", Crypto)
	}
	return dir
}

// Sources are the files of an x/crypto without those of tests, and of packages that no copy concerns: a
// quarter of them.
func Sources(crypto string) (modcopy.Tree, error) {
	tree, err := modcopy.Read(crypto)
	maps.DeleteFunc(tree, func(name string, _ []byte) bool {
		folder, _, _ := strings.Cut(name, "/")
		return strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/test") || slices.Contains(unconcerned, folder)
	})
	return tree, err
}

// CryptoCopy is a folder with a copy of x/crypto, to which tests may add files, and which they take
// in the place of the original: all share it, so that its packages are built once.
func CryptoCopy(t testing.TB) string {
	t.Helper()
	if shared == "" {
		dir, err := os.MkdirTemp("", "unimac-test-")
		if err != nil {
			t.Fatal(err)
		}
		shared = dir
		CopyTree(t, filepath.Join(shared, "crypto"), CryptoFolder(t))
	}
	return filepath.Join(shared, "crypto")
}

// shared is the folder of CryptoCopy.
var shared string

// Small gives a test, which builds nothing of it, a module cache in which x/crypto has its Sources alone.
func Small(t testing.TB) {
	t.Helper()
	if small.cache == "" && !small.failed {
		whole := CryptoFolder(t)
		small.cache, small.err = os.MkdirTemp("", "unimac-test-")
		if small.err == nil {
			small.failed, small.err = link(small.cache, whole)
		}
	}
	if small.err != nil {
		t.Fatal(small.err)
	}
	if !small.failed { // the whole does, too
		t.Setenv("GOMODCACHE", small.cache)
	}
}

// small is the module cache of Small, which all tests of a program share.
var small struct {
	cache  string
	failed bool // there are no links
	err    error
}

// Main is for TestMain where tests call Small or CryptoCopy.
func Main(m *testing.M) {
	code := m.Run()
	os.RemoveAll(small.cache)
	os.RemoveAll(shared)
	os.Exit(code)
}

// link makes a module cache of links to another, but for x/crypto.
func link(cache, whole string) (failed bool, err error) {
	others := filepath.Dir(whole)
	tree, err := Sources(whole)
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
		if entry.Name() != filepath.Base(whole) {
			links[filepath.Join(others, entry.Name())] = filepath.Join("golang.org", "x", entry.Name())
		}
	}
	for to, name := range links {
		if err := os.Symlink(to, filepath.Join(cache, name)); err != nil {
			return true, nil
		}
	}
	return false, tree.Write(filepath.Join(cache, "golang.org", "x", filepath.Base(whole)))
}

var unconcerned = []string{"acme", "argon2", "bcrypt", "bn256", "cast5", "md4", "nacl", "ocsp", "openpgp", "otr", "pkcs12", "ripemd160", "scrypt", "sha3", "tea", "twofish", "x509roots", "xtea", "xts"}

// Release is the folder in the module cache of a release of x/crypto. CI downloads it;
// elsewhere the test is skipped where the module cache does not have it.
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

// Requirements are the requirements of a module that uses x/crypto, in the versions of
// ours.
func Requirements(t testing.TB) []string {
	t.Helper()
	out := Run(t, ".", "list", "-m", "-f", "{{.Path}} {{.Version}}", Crypto, "golang.org/x/sys", "golang.org/x/term")
	return strings.Split(strings.TrimSpace(out), "\n")
}

// NewModule makes a module in a new folder, moves there and returns it. It finds this
// module in the repository, and others in the module cache alone.
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

// CopyTree copies the files in a folder to one that is not there yet.
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

// CopyFile copies a file.
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
