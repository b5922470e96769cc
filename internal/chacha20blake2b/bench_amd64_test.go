// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20blake2b

import (
	"testing"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/cpu"
)

// BenchmarkBLAKE2b is what BenchmarkCompressXOR is to be compared with: the same blocks
// without ChaCha20.
func BenchmarkBLAKE2b(b *testing.B) {
	s, blocks := begun(), make([]byte, 31*group+blake2b.BlockSize)
	b.SetBytes(int64(len(blocks)))
	for b.Loop() {
		s.Write(blocks)
	}
}

func BenchmarkCompressXOR(b *testing.B) {
	if on.Level == cpu.Generic {
		b.Skip("no kernel")
	}
	c, s := newCall(0), begun()
	blocks, dst := make([]byte, hashed(31*group)), make([]byte, 31*group)
	b.SetBytes(int64(len(blocks)))
	for b.Loop() {
		h, t := s.HandOver(len(blocks))
		compressXOR(h, blocks, t, dst, dst, c.key, c.nonce, c.counter)
	}
}
