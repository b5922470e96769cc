// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/speed"
)

// TestRecorded checks that doc/speed.json, and so the table, has every program.
func TestRecorded(t *testing.T) {
	r, err := speed.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if !slices.ContainsFunc(r.Programs, func(row speed.Program) bool { return row.Name == p.name }) {
			t.Errorf("%s has nothing of %s", speed.File, p.name)
		}
	}
}
