// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestFormat checks that fmt prints no secret, by any verb.
func TestFormat(t *testing.T) {
	var values [3][2]any
	for i := range 2 {
		key := mactest.Random(32, uint64(i))
		m := mustMAC(t, AEGIS256, key, nil, 16)
		m.Write(key)
		values[0][i] = mustAEAD(t, AEGIS256, key, 32)
		values[1][i] = mustRandomNonce(t, AEGIS256X4, key)
		values[2][i] = m
	}
	for _, v := range values {
		mactest.NothingPrinted(t, true, v[0], v[1])
	}
}
