// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestFormat checks that fmt prints no secret.
func TestFormat(t *testing.T) {
	var macs [2]*MAC
	for i := range macs {
		macs[i] = New((*[KeySize]byte)(mactest.Random(KeySize, uint64(i))))
		macs[i].Write(mactest.Random(100, uint64(i)))
	}
	mactest.NothingPrinted(t, false, macs[0], macs[1])
}
