// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cargo

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// TestNoCargo checks that a machine without cargo gets an error that says so.
func TestNoCargo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Build(fstest.MapFS{}); !errors.Is(err, ErrBuild) || !strings.Contains(err.Error(), "cargo is not installed") {
		t.Error(err)
	}
}
