// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestChart compares the chart with the README's table: "go run . -draw" draws it anew.
func TestChart(t *testing.T) {
	bars, err := readTable()
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile("programs.svg")
	if err != nil {
		t.Fatal(err)
	}
	if chart(bars) != string(drawn) {
		t.Error("programs.svg is not the chart of the table in README.md")
	}
	for _, p := range programs {
		if !slices.ContainsFunc(bars, func(b bar) bool { return strings.HasPrefix(b.what, p.name+": ") }) {
			t.Errorf("no row for %s in the table", p.name)
		}
	}
}
