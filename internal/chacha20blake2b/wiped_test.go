// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20blake2b

import (
	"testing"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/mactest"
)

// TestUnauthenticWiped checks that Open leaves no plaintext in the memory that it decrypts
// ahead to, whether the tag is right or not.
func TestUnauthenticWiped(t *testing.T) {
	mactest.Implementations(t, "chacha20blake2b", func(t *testing.T) {
		plain := new(unauthentic)
		mactest.Pooled(t, &unauthenticPool, plain)
		for _, n := range []int{group, 2 * group, 5000, maxXOR + 5000} {
			text, sealed, tag := mactest.Random(n, 1), make([]byte, n), make([]byte, 32)
			derivation := func() *blake2b.State {
				kdf := blake2b.New(64, mactest.Random(32, 2))
				kdf.Write(mactest.Random(100, 3))
				return &kdf
			}
			s := chacha20.Stream{Key: [32]byte(mactest.Random(32, 4))}
			Seal(tag, sealed, text, nil, derivation(), &s)
			for _, flip := range []byte{0, 1} {
				tag[5] ^= flip
				if ok := Open(tag, make([]byte, n), sealed, nil, derivation(), &s); ok != (flip == 0) {
					t.Fatalf("%d bytes: Open reports %v", n, ok)
				}
				if *plain != (unauthentic{}) {
					t.Errorf("%d bytes, %d: plaintext is left", n, flip)
				}
			}
		}
	})
}
