// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/proven"
)

func TestMain(m *testing.M) { proven.Main(m) }

func TestKernels(t *testing.T) { proven.Kernels(t, "../..", "") }

// TestSeparate checks that each package of proven.Separate has a test program that proves its kernels.
func TestSeparate(t *testing.T) {
	for _, name := range proven.Separate {
		program, err := os.ReadFile("kernels/" + name + "/kernels_test.go")
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(program), `{ proven.Kernels(t, "../../../..", "`+name+`") }`) {
			t.Errorf("kernels/%s/kernels_test.go does not prove the package's kernels", name)
		}
		if !slices.ContainsFunc(proof.Kernels, func(k engine.Kernel) bool { return strings.HasPrefix(k.Name(), name+" ") }) {
			t.Errorf("%s has no kernels", name)
		}
	}
}
