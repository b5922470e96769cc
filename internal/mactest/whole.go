// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"os"
	"testing"
)

// Whole reports whether UNIMAC_TEST=whole is in the environment. Tests that build many
// programs, or change many kernels, try some of them in "go test ./..." and all of them
// then: .ci/run has a step for it, which finds their packages by the calls of Whole and
// NeedWhole.
func Whole() bool { return os.Getenv("UNIMAC_TEST") == "whole" }

// NeedWhole skips a test that runs in that step alone.
func NeedWhole(t testing.TB) {
	t.Helper()
	if !Whole() {
		t.Skip("takes minutes; UNIMAC_TEST=whole asks for it")
	}
}
