// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/modcopy"
)

// needGo skips a test that builds programs where that is not possible.
func needGo(t *testing.T) {
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

// goCommand runs the go command in a folder, without network, and returns its
// standard output.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return run(t, dir, []string{"GOPROXY=off", "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local"}, "go", args...)
}

// run runs a program and returns its standard output.
func run(t *testing.T, dir string, env []string, program string, args ...string) string {
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

// repository is the folder of this module.
func repository(t *testing.T) string {
	t.Helper()
	return filepath.Dir(strings.TrimSpace(goCommand(t, ".", "env", "GOMOD")))
}

// cryptoFolder is the folder in the module cache of the x/crypto that this
// module requires.
func cryptoFolder(t *testing.T) string {
	t.Helper()
	dir := strings.TrimSpace(goCommand(t, ".", "list", "-m", "-f", "{{.Dir}}", cryptoPath))
	if dir == "" {
		t.Fatalf("%s is not in the module cache", cryptoPath)
	}
	return dir
}

// report is what testdata/application prints.
type report struct {
	Register, Reason           string
	Accelerate, AccelerateSays string
	SameDefault, FIPS          bool
	Connections                map[string]string
}

// runApplication runs a build of testdata/application.
func runApplication(t *testing.T, program string, env ...string) (r report) {
	t.Helper()
	// If this test runs in an emulator, so must what was built for its machine.
	command := append(strings.Fields(os.Getenv("UNIMAC_TEST_EMULATOR")), program)
	out := run(t, ".", env, command[0], command[1:]...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	return r
}

// check checks a report for what must hold with UMAC or without it.
func (r report) check(t *testing.T, withUMAC bool) {
	t.Helper()
	if !r.SameDefault {
		t.Error("the default MACs have changed")
	}
	always := []string{"hmac-sha2-256"}
	if !r.FIPS {
		always = append(always, chacha20Poly1305)
	}
	for _, name := range always {
		if problem, tried := r.Connections[name]; problem != "" || !tried {
			t.Errorf("no connection with %s: %s", name, problem)
		}
	}
	for _, name := range Algorithms() {
		problem, tried := r.Connections[name]
		switch {
		case !tried:
			t.Errorf("%s was not tried", name)
		case withUMAC && problem != "":
			t.Errorf("no connection with %s: %s", name, problem)
		case !withUMAC && !strings.Contains(problem, "no common algorithm"):
			t.Errorf("a connection with %s: error %q, want that of an unknown algorithm", name, problem)
		}
	}
}

// copyTree copies the files in a folder to one that is not there yet.
func copyTree(dst, source string) error {
	tree, err := modcopy.Read(source)
	if err != nil {
		return err
	}
	return tree.Write(dst)
}

// copyFile copies a file.
func copyFile(dst, source string) error {
	content, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	return os.WriteFile(dst, content, 0o644)
}
