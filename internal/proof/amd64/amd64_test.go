// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"testing"

	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
)

// TestRows has each row be that of an instruction, with words or with vectors: those that no instruction has
// would be compared by nobody.
func TestRows(t *testing.T) {
	used := map[string]bool{}
	for name := range needs {
		for _, kind := range []byte("wv") {
			for n := range 4 {
				x := &isa.Instr{Name: name}
				for range n {
					x.Args = append(x.Args, isa.Operand{Kind: kind})
				}
				machine.Try(func() { used[family(x)] = true }) // some have no such operands
			}
		}
	}
	for name := range table {
		if !used[name] {
			t.Errorf("no instruction has the row %s", name)
		}
	}
}
