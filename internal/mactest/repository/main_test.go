// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package repository

import (
	"fmt"
	"os"
	"testing"
)

// TestMain goes to the module's root: paths in the tests begin there.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
