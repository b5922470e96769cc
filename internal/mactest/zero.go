// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import "testing"

// NeverTrue checks that verify, of a value that no constructor made, accepts
// nothing: it returns false or panics.
func NeverTrue(t *testing.T, name string, verify func() bool) {
	t.Helper()
	defer func() { recover() }()
	if verify() {
		t.Errorf("%s of the zero value is true", name)
	}
}
