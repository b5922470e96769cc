// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"testing"

	"github.com/unimac/unimac/internal/proof/isa"
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
