// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"os"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/speed"
)

// TestChart compares the chart with doc/speed.json: "go run . -draw" draws it again.
func TestChart(t *testing.T) {
	r, err := speed.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile("programs.svg")
	if err != nil {
		t.Fatal(err)
	}
	if chart(r.Programs) != string(drawn) {
		t.Error("programs.svg is not the chart of doc/speed.json")
	}
	for _, p := range programs {
		if !slices.ContainsFunc(r.Programs, func(row speed.Program) bool { return row.Name == p.name }) {
			t.Errorf("no row for %s in the table", p.name)
		}
	}
}
