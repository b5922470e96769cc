// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/spec"
)

// TestDirect proves a length of at least three iterations without the loop invariant.
// Each proof by invariant trusts that Advance describes the remaining work; this test
// compares it with what Spec states for the whole length.
func TestDirect(t *testing.T) {
	nothing := func(*engine.Case, engine.View, int64) error { return nil }
	for i := range Kernels {
		k := Kernels[i].Sample().Own()
		switch k.Func {
		case "nhPolyAVX2", "nhPolyAVX512", "nhPolyNEON", "nhPolySSE41", "tagLanesAVX512IFMA":
			continue // their statements describe one iteration, and Advance moves only the message
		case "cryptAVX512IFMA", "cryptHalvedAVX512IFMA":
			k.Left, k.After = nothing, nil // their checks describe one iteration, too
		case "sumAVX2AES", "sumAVX512AES", "sumSSE41AES":
			k.Left, k.At = nothing, engine.Assertions{"encrypt": k.At["encrypt"]}
		}
		if k.Step == 0 || testing.Short() && (k.Step > spec.BLAKE2bBlock || k.Invariant != nil) {
			continue // proofs about polynomials and long steps take most of the time
		}
		t.Run(k.Func, func(t *testing.T) {
			t.Parallel()
			f, fn := read(t, &Kernels[i])
			for _, part := range k.Parts() {
				if part.Kernel.Step == 0 {
					continue
				}
				one := *part.Kernel
				one.Max = min(max(one.Reached, one.Step)+2*one.Step, one.Max)
				one.Min, one.Step, one.StepOf = one.Max, 0, nil
				s, err := engine.NewSession(&one, f, fn, part.Variant)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Prove(engine.All); err != nil {
					t.Error(err)
				}
				s.Store.Drop()
			}
		})
	}
}
