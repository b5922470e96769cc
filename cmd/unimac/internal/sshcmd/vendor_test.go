// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestVendor(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "crypto")
	vendor := func(dir string) result {
		// A process, because Vendor prints to the standard output of the process.
		cmd := program(t, "ssh", "vendor", copied)
		var stdout, stderr bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
		cmd.Run()
		return result{Status: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
	}
	vendor(t.TempDir()).Want(t, 1, "", "unimac ssh vendor: sshpatch: no go.mod in this folder or above it\n")
	r := vendor(here)
	if r.Status != 0 || r.Stderr != "" || !strings.Contains(r.Stdout, "replace golang.org/x/crypto => ") {
		t.Fatalf("status %d, %q, %q", r.Status, r.Stdout, r.Stderr)
	}
	for _, file := range []string{"go.mod", "ssh/mac.go", "ssh/unimac_umac.go"} {
		if _, err := os.Stat(filepath.Join(copied, filepath.FromSlash(file))); err != nil {
			t.Error(err)
		}
	}
	vendor(here).Want(t, 1, "", "unimac ssh vendor: sshpatch: ")
}
