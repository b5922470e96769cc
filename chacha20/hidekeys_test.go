// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestFormat checks that fmt prints no secret.
func TestFormat(t *testing.T) {
	var ciphers [2]*Cipher
	for i := range ciphers {
		c, err := NewUnauthenticatedCipher(mactest.Random(KeySize, uint64(i)), make([]byte, NonceSize))
		if err != nil {
			t.Fatal(err)
		}
		c.XORKeyStream(make([]byte, 100), make([]byte, 100))
		ciphers[i] = c
	}
	mactest.NothingPrinted(t, false, ciphers[0], ciphers[1])
}
