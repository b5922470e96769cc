// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestDrift regenerates every file in memory and compares. The files are outside
// this module, so go test does not see that one was edited and may show an older
// result: run it with -count=1.
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
