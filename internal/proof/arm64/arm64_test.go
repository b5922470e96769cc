// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"testing"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
)

// TestRefused checks that a vector size is refused if the instruction does not exist in this
// size, or has another meaning.
func TestRefused(t *testing.T) {
	for text, ok := range map[string]bool{
		"VTBL V0.B16, [V1.B16], V2.B16": true,
		"VTBL V0.B8, [V1.B8], V2.B8":    false, // the table has 16 bytes
		"AESE V0.B16, V1.B16":           true,
		"AESE V0.B8, V1.B8":             false,
		"AESMC V0.B8, V1.B8":            false,
		"VLD2 (R0), [V1.S2, V2.S2]":     true,
		"VLD2 (R0), [V1.D1, V2.D1]":     false, // no processor has this instruction
	} {
		f, err := asm.Parse("form", "TEXT ·form(SB), NOSPLIT, $0-0\n"+text+"\n")
		if err == nil {
			_, err = Architecture.Program(f.Funcs[0], &machine.Env{}).Compile(0)
		}
		if (err == nil) != ok {
			t.Errorf("%s: got error %v, want accepted: %t", text, err, ok)
		}
	}
}
