// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"hash"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestFormat checks that fmt prints no secret.
func TestFormat(t *testing.T) {
	var hashes [2]hash.Hash
	var xofs [2]XOF
	for i := range hashes {
		hashes[i] = must(New512(mactest.Random(32, uint64(i))))
		xofs[i] = must(NewXOF(100, mactest.Random(32, uint64(i))))
		hashes[i].Write(mactest.Random(100, uint64(i)))
		xofs[i].Read(make([]byte, 1))
	}
	mactest.NothingPrinted(t, false, hashes[0], hashes[1])
	mactest.NothingPrinted(t, false, xofs[0], xofs[1])
}
