// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// FuzzCipher has each implementation and x/crypto do the same with a stream: texts of
// any lengths, and SetCounter. The first choice is the size of the nonce.
func FuzzCipher(f *testing.F) {
	f.Add([]byte(nil), []byte(nil))
	f.Add([]byte{0, 1, 0, 63, 0, 1, 0, 64, 0, 65, 0}, []byte("key"))
	f.Add([]byte{1, 32, 0, 5, 0, 100, 0, 4, 1, 1, 4}, mactest.Random(56, 1))
	f.Add([]byte{1, 1, 1, 255, 3, 10, 0, 12, 0, 50, 0, 7, 0}, mactest.Random(56, 2))
	memory := mactest.NewFuzzMemory(f, 1100)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce []byte) {
		k := mactest.NewChoices(keyAndNonce)
		key, nonce := k.Bytes(KeySize), k.Bytes(NonceSizeX)
		c := mactest.NewChoices(choices)
		if c.Below(2) == 0 {
			nonce = nonce[:NonceSize]
		}
		text := memory.Place(c, memory.Most(), keyAndNonce)
		mactest.EachImplementation("chacha20", func(name string) {
			ours, theirs := pair(t, key, nonce)
			same := *c
			steps(t, &same, ours, theirs, text)
		})
	})
}
