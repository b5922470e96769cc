// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestFormat checks that fmt prints no secret.
func TestFormat(t *testing.T) {
	for _, newAEAD := range []func(key []byte) (cipher.AEAD, error){New, NewX, NewXWithRandomNonce, NewSIV} {
		a, b := mustAEAD(t, newAEAD, mactest.Random(KeySize, 57)), mustAEAD(t, newAEAD, mactest.Random(KeySize, 58))
		mactest.NothingPrinted(t, false, a, b)
	}
}
