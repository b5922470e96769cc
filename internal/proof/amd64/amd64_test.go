// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"testing"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
)

// TestRows checks that each row belongs to an instruction, on words or on vectors. A
// row without an instruction would never be compared with the processor.
func TestRows(t *testing.T) {
	used := map[string]bool{}
	for name := range classes {
		for _, kind := range []byte("wv") {
			for n := range 4 {
				x := &isa.Instr{Name: name}
				for range n {
					x.Args = append(x.Args, isa.Operand{Kind: kind})
				}
				used[family(x)] = true
			}
		}
	}
	for name := range rows {
		if !used[name] {
			t.Errorf("no instruction has the row %s", name)
		}
	}
}

// TestConstants checks which constants are refused because the processor extends their
// sign.
func TestConstants(t *testing.T) {
	for text, ok := range map[string]bool{
		"MOVQ $0x7fffffff, (AX)": true,
		"MOVQ $-1, (AX)":         true,
		"MOVQ $0xffffffff, (AX)": false, // stores 64 bits that are 1
		"MOVQ $0x80000000, (AX)": false,
		"MOVQ $0xffffffff, AX":   true,
		"MOVQ $0x123456789, AX":  true,
		"MOVL $0xffffffff, (AX)": true,
		"ANDQ $0xffffffff, AX":   false,
		"ANDL $0xffffffff, AX":   true,
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
