// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

// TestFormat checks that package fmt prints no secret.
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

func TestTimingSecrets(t *testing.T) {
	key, nonce := mactest.Random(KeySize, 31), mactest.Random(NonceSize, 32)
	var tests []timing.Test
	for _, n := range []int{100, 1024} {
		text, out := mactest.Random(n, 33), make([]byte, n)
		encrypt := func(key, text []byte) {
			c, err := NewUnauthenticatedCipher(key, nonce)
			if err != nil {
				t.Fatal(err)
			}
			c.XORKeyStream(out[:n/3], text[:n/3])
			c.XORKeyStream(out[n/3:], text[n/3:])
		}
		tests = append(tests,
			timing.Fixed(fmt.Sprintf("chacha20.Cipher, %d bytes, key", n), KeySize, func(key []byte) { encrypt(key, text) }),
			timing.Fixed(fmt.Sprintf("chacha20.Cipher, %d bytes, text", n), n, func(text []byte) { encrypt(key, text) }))
	}
	timing.Run(t, tests, "chacha20")
}
