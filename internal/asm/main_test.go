// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestDrift regenerates every file in memory and compares.
func TestDrift(t *testing.T) {
	for _, f := range files {
		t.Run(f.path, func(t *testing.T) {
			old, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.path)))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(old, f.generate()) {
				t.Error("the file is not what its generator writes: run go generate ./... at the module's root")
			}
		})
	}
}
