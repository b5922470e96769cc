// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/internal/modcopy"
)

// acceleratedFile makes the test program of a package of x/crypto call Register and
// Accelerate.
const acceleratedFile = `package %s

import (
	"fmt"

	"github.com/unimac/unimac/sshpatch"
)

func init() {
	if err := sshpatch.Register(); err != nil {
		panic(err)
	}
	if err := sshpatch.Accelerate(); err != nil {
		panic(err)
	}
	fmt.Println("accelerated")
}
`

// TestUpstream checks that programs that call Register and Accelerate pass the tests of
// x/crypto/ssh and of x/crypto/ssh/test, which connect to OpenSSH's sshd. Unless
// UNIMAC_TEST is "whole", it runs only the tests of ciphers and MACs in the first
// package.
func TestUpstream(t *testing.T) {
	gocommand.Need(t)
	crypto := gocommand.CryptoCopy(t)
	dir := gocommand.NewModule(t, required(t)...)
	// The examples need modules that may not be available.
	if err := os.Remove(filepath.Join(crypto, "ssh", "example_test.go")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	gocommand.Run(t, dir, "mod", "edit", "-replace="+modcopy.Crypto+"="+crypto)
	for folder, pkg := range map[string]string{"ssh": "ssh_test", "ssh/test": "test_test"} {
		writeFile(t, filepath.Join(crypto, filepath.FromSlash(folder), "zz_accelerated_test.go"), fmt.Appendf(nil, acceleratedFile, pkg))
	}
	for _, folder := range []string{"ssh", "ssh/test"} {
		t.Run(folder, func(t *testing.T) {
			if folder == "ssh/test" {
				mactest.NeedWhole(t)
			}
			args := []string{"test", "-v", "-vet=off", "-ldflags=-s -w", "-exec=" + strings.Join(mactest.Emulator(t), " "), modcopy.Crypto + "/" + folder}
			// This test uses x/crypto/ssh's own cipher type. Package xcrypto runs it in
			// copies.
			args = append(args, "-skip=^TestCVE202143565$")
			if !mactest.Whole() {
				args = append(args, "-run=Cipher|MAC")
			}
			out := gocommand.Run(t, dir, args...)
			if !strings.HasPrefix(out, "accelerated\n") {
				t.Errorf("the output begins with %.100q, want \"accelerated\"", out)
			}
			want := "--- PASS: TestPacketCiphers/cipher=" + chacha20Poly1305 + " "
			if folder == "ssh/test" {
				want = "--- PASS: TestRunCommandSuccess"
			}
			if !strings.Contains(out, want) {
				t.Errorf("the output does not contain %q:\n%s", want, out)
			}
		})
	}
}

// TestBuilds checks that Register and Accelerate work in programs built with other
// flags.
func TestBuilds(t *testing.T) {
	gocommand.Need(t)
	mactest.NeedWhole(t)
	repository := gocommand.Repository(t)
	for _, flags := range [][]string{
		{"-ldflags=-s -w", "-trimpath"},
		{"-ldflags=-checklinkname=1", "-buildmode=pie"},
		{"-gcflags=all=-l"},
		{"-race"},
	} {
		name := strings.Join(flags, " ")
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "application.exe")
			args := append([]string{"build", "-o", program}, flags...)
			gocommand.Run(t, repository, append(args, "./sshpatch/testdata/application")...)
			r := runApplication(t, program)
			r.check(t, true)
			if r.Register != "" || r.Accelerate != "" {
				t.Errorf("Register: %q; Accelerate: %q", r.Reason, r.AccelerateSays)
			}
		})
	}
}

// TestNoConnection checks that Register and Accelerate work in a program that makes no
// connection, from which the linker removes unused functions.
func TestNoConnection(t *testing.T) {
	gocommand.Need(t)
	repository := gocommand.Repository(t)
	for _, flags := range []string{"-gcflags=", "-gcflags=all=-l", "-ldflags=-s -w"} {
		t.Run(flags, func(t *testing.T) {
			if flags == "-gcflags=all=-l" { // rebuilds the standard library
				mactest.NeedWhole(t)
			}
			program := filepath.Join(t.TempDir(), "noconnection.exe")
			gocommand.Run(t, repository, "build", flags, "-o", program, "./sshpatch/testdata/noconnection")
			command := append(mactest.Emulator(t), program)
			if got, want := gocommand.Program(t, ".", nil, command[0], command[1:]...), "<nil> <nil>\n"; got != want {
				t.Errorf("output %q, want %q", got, want)
			}
		})
	}
}
