// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"path/filepath"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// TestNoConnection has a program that makes no connection: the linker leaves out what
// nothing calls.
func TestNoConnection(t *testing.T) {
	gocommand.Need(t)
	repository := gocommand.Repository(t)
	for _, flags := range []string{"-gcflags=", "-gcflags=all=-l", "-ldflags=-s -w"} {
		t.Run(flags, func(t *testing.T) {
			if flags == "-gcflags=all=-l" { // builds the standard library
				mactest.NeedWhole(t)
			}
			program := filepath.Join(t.TempDir(), "noconnection.exe")
			gocommand.Run(t, repository, "build", flags, "-o", program, "./sshpatch/testdata/noconnection")
			command := append(mactest.Emulator(t), program)
			if got, want := gocommand.Program(t, ".", nil, command[0], command[1:]...), "<nil> <nil>\n"; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
