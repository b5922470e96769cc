// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
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

// TestStackWiped checks that the kernels leave no key, message or keystream on the
// stack, for any tail length, at each level and with each kind of processor.
func TestStackWiped(t *testing.T) {
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 50)), [NonceSize]byte(mactest.Random(NonceSize, 51))
	long, subkey := [16]byte(mactest.Random(16, 52)), [KeySize]byte{}
	t.Cleanup(func() { dispatch.Reset("chacha20") })
	for _, level := range dispatch.List("chacha20") {
		for _, kind := range append(cpu.Kinds(), cpu.Forced) {
			if level == dispatch.Generic || !dispatch.SelectFor("chacha20", level, kind) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", level, kind), func(t *testing.T) {
				for _, n := range []int{33, 64, 100, 300, 512, 700, 1024, 1500, 3000} {
					src, dst, stream := mactest.Random(n, 53), make([]byte, n), make([]byte, n)
					xor(stream, stream, &key, &nonce, 0)
					mactest.StackWiped(t, "xor", func() { xor(dst, src, &key, &nonce, 0) }, key[:], src, stream)
					mactest.StackWiped(t, "xor", func() { xor(dst, src, &key, &nonce, 0) }, dst)
				}
				hChaCha20(&subkey, &key, &long)
				mactest.StackWiped(t, "hChaCha20", func() { hChaCha20(&subkey, &key, &long) }, key[:], subkey[:])
			})
		}
	}
}
