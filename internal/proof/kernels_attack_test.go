// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/attacks"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

// prove proves every variant of k for the lengths and returns the first error.
func prove(k *engine.Kernel, f *asm.File, fn *asm.Func, lengths engine.Lengths) error {
	variants := k.Variants
	if len(variants) == 0 {
		variants = []string{""}
	}
	for _, variant := range variants {
		s, err := engine.NewSession(k, f, fn, variant)
		if err == nil {
			_, err = s.Prove(lengths)
			s.Store.Drop()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestWrongKernels checks that the proof of each wrong kernel in testdata/attacks.txt
// fails with the listed error. The ordinary test takes every fourth kernel, and the
// whole test all.
func TestWrongKernels(t *testing.T) {
	list, err := attacks.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range list {
		if !mactest.Whole() && (i%4 > 0 || testing.Short() && i%8 > 0) {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			k := kernel(t, a.Kernel).Sample()
			if a.Variants != nil {
				k.Variants = a.Variants
			}
			f, fn, err := a.Function(root, k)
			if err != nil {
				t.Fatal(err)
			}
			// Most proofs fail at one of a few lengths, which take less time than all
			// lengths.
			err = prove(k, f, fn, engine.Some)
			if err == nil {
				err = prove(k, f, fn, engine.All)
			}
			if err == nil || !strings.Contains(err.Error(), a.Reason) {
				t.Errorf("proof: got error %v, want %q", err, a.Reason)
			} else {
				t.Log(err)
			}
		})
	}
}
