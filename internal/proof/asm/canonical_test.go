// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package asm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const function = `DATA x<>+0(SB)/8, $7
GLOBL x<>(SB), RODATA|NOPTR, $8
TEXT ·f(SB), NOSPLIT, $16-8
	MOVQ n+0(FP), AX
loop:
	ADDQ x<>+0(SB), AX
	MOVQ AX, 8(SP)
	JNZ  loop
	RET
`

// TestCanonical checks that the text changes with the function and with nothing else.
func TestCanonical(t *testing.T) {
	canonical := func(old, changed string) string {
		t.Helper()
		text := strings.ReplaceAll(function, old, changed)
		if old != changed && text == function {
			t.Fatalf("the function does not contain %q", old)
		}
		name := filepath.Join(t.TempDir(), "x.s")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		return f.Canonical(f.Funcs[0])
	}
	want := canonical("", "")
	for old, changed := range map[string]string{
		"ADDQ ":  "// a comment\n\tADDQ   ",
		"loop":   "again",
		"x<>":    "y<>",
		"DATA x": "\n\nDATA x",
	} {
		if canonical(old, changed) != want {
			t.Errorf("replacing %[2]q with %[1]q changes the canonical text", changed, old)
		}
	}
	for old, changed := range map[string]string{
		"ADDQ ":       "SUBQ ",
		"8(SP)":       "(SP)",
		"n+0":         "n+8",
		"$16-8":       "$24-8",
		"NOSPLIT, ":   "",
		"/8, $7":      "/8, $8",
		"AX, 8(SP)":   "BX, 8(SP)",
		"loop:\n":     "NOP\nloop:\n",
		"JNZ  loop\n": "JNZ  end\nend:\n",
		"\tRET":       "\tNOP\n\tRET",
	} {
		if canonical(old, changed) == want {
			t.Errorf("replacing %[2]q with %[1]q does not change the canonical text", changed, old)
		}
	}
}
