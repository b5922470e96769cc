// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshmac_test

import (
	"hash"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/sshpatch/sshmac"
)

// TestFormat checks that fmt prints no secret.
func TestFormat(t *testing.T) {
	var macs [2]hash.Hash
	for i := range macs {
		macs[i] = mustNew(t, sshmac.UMAC64, mactest.Random(sshmac.KeySize, uint64(i)))
		macs[i].Write(mactest.Random(100, uint64(i)))
	}
	mactest.NothingPrinted(t, false, macs[0], macs[1])
}
