// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestKDFWiped checks that the derivation of keys leaves none of them on the stack.
func TestKDFWiped(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		var derivation kdf
		if err := derivation.set(rfcKey); err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, 100)
		secret := bytes.Clone(derivation.derive(dst, 3))
		mactest.StackWiped(t, "derive", func() { derivation.derive(dst, 3) }, secret)

		padKey := bytes.Clone(derivation.derive(dst[:len(rfcKey)], 0))
		hashKeys := bytes.Clone(derivation.derive(dst[:64], 3))
		mactest.StackWiped(t, "NewKey", func() {
			if _, err := NewKey(rfcKey, 16); err != nil {
				t.Error(err)
			}
		}, padKey, hashKeys)
	})
}
