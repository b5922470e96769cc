// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestZeroPanics checks that zero values do what the package says.
func TestZeroPanics(t *testing.T) {
	mactest.ZeroPanics(t, new(Key), "multimixer: Key without a key, use NewKey", "Format")
	mactest.ZeroPanics(t, new(MAC), "multimixer: MAC without a key, use Key.New", "Format", "BlockSize")
}

// TestFormat checks that fmt prints no secret.
func TestFormat(t *testing.T) {
	var keys [2]*Key
	var macs [2]*MAC
	for i := range keys {
		keys[i] = mustKey(t, mactest.Random(KeySize, uint64(i)), Size256)
		macs[i] = keys[i].New()
		macs[i].Write(mactest.Random(100, uint64(i)))
	}
	mactest.NothingPrinted(t, true, keys[0], keys[1])
	mactest.NothingPrinted(t, false, macs[0], macs[1])
}
