// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20blake2b

import (
	"testing"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
)

// TestStackWiped checks that the kernels leave no key, message or key stream on the
// stack.
func TestStackWiped(t *testing.T) {
	c := newCall(0)
	src := mactest.Random(2*group, 41)
	dst, stream := make([]byte, 2*group), make([]byte, 2*group)
	chacha20.XORKeyStream(stream, stream, c.key, c.nonce, 0)
	kernels(t, func(t *testing.T) {
		blocks := mactest.Random(hashed(len(src)), 40)
		s := begun()
		h, count := s.HandOver(len(blocks))
		mactest.StackWiped(t, "compressXOR", func() {
			compressXOR(h, blocks, count, dst, src, c.key, c.nonce, 0)
		}, blocks, src, dst, stream, c.key[:])

		if level() != cpu.AVX512 {
			return
		}
		kdf := blake2b.New(64, mactest.Random(32, 42))
		kdf.Write(mactest.Random(100, 43))
		macKey := kdf.Sum(nil)
		var mac blake2b.State
		d := kdf.HandOverDerive(&mac, 32)
		first := dst[:group]
		ks := newStream()
		mactest.StackWiped(t, "derive", func() {
			deriveAVX512(d.MAC, d.KDF, d.Block, d.T, &first[0], &src[0], &ks.Key, &ks.Nonce)
		}, macKey, d.Block[:], src[:group], first, stream[:group], ks.Key[:])
	})
}
