// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"crypto/cipher"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestFormat checks that fmt prints no secret.
func TestFormat(t *testing.T) {
	for _, newAEAD := range []func(key []byte) (cipher.AEAD, error){New, NewX, NewSIV, NewXWithRandomNonce} {
		var aeads [2]cipher.AEAD
		for i := range aeads {
			a, err := newAEAD(mactest.Random(KeySize, uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			aeads[i] = a
		}
		mactest.NothingPrinted(t, false, aeads[0], aeads[1])
	}
}
