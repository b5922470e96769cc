// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/unimac/unimac/internal/speed"
)

// TestDrawn compares the charts with doc/speed.json: "go run . -draw" draws them again.
func TestDrawn(t *testing.T) {
	record, err := speed.Load(rootDir)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeFiles(dir, record, true); err != nil {
		t.Fatal(err)
	}
	drawn, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(chartsDir, "*"))
	if err != nil || len(kept) != len(drawn) {
		t.Errorf("%s has %d files, want %d: %v", chartsDir, len(kept), len(drawn), err)
	}
	for _, name := range drawn {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(chartsDir, filepath.Base(name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what doc/speed.json gives: %v", filepath.Base(name), err)
		}
	}
}
