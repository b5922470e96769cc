// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"testing"

	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/mactest"
)

// TestStackWiped checks that the kernels leave no key, message or key stream on the
// stack, whatever is left after the last whole step.
func TestStackWiped(t *testing.T) {
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 50)), [NonceSize]byte(mactest.Random(NonceSize, 51))
	long, subkey := [16]byte(mactest.Random(16, 52)), [KeySize]byte{}
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		if impl.InUse("chacha20") == impl.Generic {
			t.Skip("no kernel")
		}
		for _, n := range []int{64, 100, 300, 512, 700, 1024, 1500, 3000} {
			src, dst, stream := mactest.Random(n, 53), make([]byte, n), make([]byte, n)
			xor(stream, stream, &key, &nonce, 0)
			mactest.StackWiped(t, "xor", func() { xor(dst, src, &key, &nonce, 0) }, key[:], src, stream)
			mactest.StackWiped(t, "xor", func() { xor(dst, src, &key, &nonce, 0) }, dst)
		}
		hChaCha20(&subkey, &key, &long)
		mactest.StackWiped(t, "hChaCha20", func() { hChaCha20(&subkey, &key, &long) }, key[:], subkey[:])
	})
}
