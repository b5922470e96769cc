// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package asm

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRead parses every .s file of the module.
func TestRead(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_amd64.s") && !strings.HasSuffix(path, "_arm64.s") {
			return err
		}
		f, err := Read(path)
		if err != nil {
			t.Error(err)
			return nil
		}
		files++
		for _, fn := range f.Funcs {
			if len(fn.Code) == 0 {
				t.Errorf("%s: %s has no instructions", path, fn.Name)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatal(files, err)
	}
}

// TestRefused checks that Parse rejects unsupported lines.
func TestRefused(t *testing.T) {
	for _, line := range []string{
		"\tMOVQ AX, foo(BX)",
		"\tMOVQ AX, 8(AX)(BX*3)",
		"\tMOVQ $x+0(FP), AX",
		"\tMOVQ AX, x-8(SP)",
		"\tMOVD $·x(SB), R0",
		"\tMOVQ ·x(SB), AX",
		"\tMOVQ AX, BX; RET",
		"\tVADD V0.D3, V0.D2, V0.D2",
		"\tVMOV V0.B16[1], V1.B16",
		"#define X",
		"a:\na:",
		"DATA x<>+8(SB)/8, $1",
		"DATA x<>+0(SB)/8, $1",
		"GLOBL x<>(SB), RODATA|NOPTR, $8",
		"GLOBL x<>(SB), NOPTR, $0",
		"TEXT ·g(SB), NOSPLIT, $0",
		"TEXT ·g(SB), WRAPPER, $0-0",
	} {
		name := filepath.Join(t.TempDir(), "x.s")
		if err := os.WriteFile(name, []byte("TEXT ·f(SB), NOSPLIT, $0-8\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(name); err == nil {
			t.Errorf("Read accepted %q", line)
		}
	}
}
