// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/bench/record"
)

// TestRecorded checks that the records, and so the table, have every program, and no other.
func TestRecorded(t *testing.T) {
	all, err := record.All("../" + root)
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, r := range all {
		for _, p := range r.Programs {
			has[p.Name] = true
			if !slices.ContainsFunc(programs, func(known program) bool { return known.name == p.Name }) {
				t.Errorf("%s: nothing measures %s", r.Name, p.Name)
			}
		}
	}
	for _, p := range programs {
		if !has[p.name] {
			t.Errorf("%s has nothing of %s", record.Dir, p.name)
		}
	}
}
