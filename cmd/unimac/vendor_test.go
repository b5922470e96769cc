// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// TestVendor checks the plan, the creation and the check of a copy, and their errors.
func TestVendor(t *testing.T) {
	gocommand.Need(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "crypto")
	vendor := func(dir string, args ...string) result {
		cmd := program(t, append([]string{"vendor"}, args...)...)
		var stdout, stderr bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
		cmd.Run()
		return result{Status: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
	}
	vendor(t.TempDir(), copied).Want(t, 1, "", "unimac vendor: no go.mod in this folder or above it\n")
	vendor(here, "-check", copied).Want(t, 1, "", "unimac vendor: lstat "+copied+": ")

	release := gocommand.Requirements(t)[0]
	r := vendor(here, "-n", "-ssh-window=8388608", copied)
	if r.Status != 0 || r.Stderr != "" {
		t.Fatalf("-n: got status %d, stderr %q, want 0 and no message", r.Status, r.Stderr)
	}
	for _, line := range []string{"change chacha20/chacha_noasm.go\n", "change ssh/channel.go\n", "add internal/unimac/chacha20/chacha20_amd64.s\n", "replace golang.org/x/crypto => "} {
		if !strings.Contains(r.Stdout, line) {
			t.Errorf("-n: the output lacks %q:\n%s", line, r.Stdout)
		}
	}
	if _, err := os.Lstat(copied); err == nil {
		t.Error("-n created the copy")
	}

	r = vendor(here, "-ssh-window=8388608", copied)
	if r.Status != 0 || r.Stderr != "" || !strings.HasPrefix(r.Stdout, "// a copy of "+release+"\nreplace golang.org/x/crypto => ") || strings.Count(r.Stdout, "\n") != 2 {
		t.Fatalf("got status %d, stdout %q, stderr %q, want 0 and a replace line", r.Status, r.Stdout, r.Stderr)
	}
	_, line, _ := strings.Cut(r.Stdout, "\n")
	vendor(here, "-check", copied).Want(t, 1, "", "unimac vendor: "+filepath.Join(gocommand.Repository(t), "go.mod")+" does not use the copy: it has no "+line)
	user := gocommand.NewModule(t, gocommand.Requirements(t)...)
	gocommand.Run(t, user, "mod", "edit", "-replace="+gocommand.Crypto+"="+copied)
	vendor(user, "-check", copied).Want(t, 0, copied+": OK, a copy of "+release+"\n", "")
	vendor(here, copied).Want(t, 1, "", "unimac vendor: folder "+copied+" is not empty\n")
	if err := os.WriteFile(filepath.Join(copied, "ssh", "mac.go"), []byte("package ssh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	vendor(here, "-check", copied).Want(t, 1, "", "unimac vendor: the copy is not up to date: ssh/mac.go differs; remove "+copied+" and make it again\n")
}
