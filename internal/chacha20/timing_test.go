// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

func TestTimingSecrets(t *testing.T) {
	const n = 1024
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 31)), [NonceSize]byte(mactest.Random(NonceSize, 32))
	long := [NonceSizeX]byte(mactest.Random(NonceSizeX, 33))
	src, dst := mactest.Random(n, 34), make([]byte, n)
	timing.Run(t, []timing.Test{
		timing.Fixed("ChaCha20, 1024 bytes, key", KeySize, func(key []byte) {
			XORKeyStream(dst, src, (*[KeySize]byte)(key), &nonce, 0)
		}),
		timing.Fixed("ChaCha20, 1024 bytes, message", n, func(src []byte) { XORKeyStream(dst, src, &key, &nonce, 0) }),
		timing.Fixed("XChaCha20, 1000 bytes, key", KeySize, func(key []byte) {
			s := StreamX((*[KeySize]byte)(key), &long)
			s.XORKeyStream(dst, src[:1000], 0)
		}),
	}, "chacha20")
}
