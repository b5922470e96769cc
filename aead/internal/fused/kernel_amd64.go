// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package fused

import (
	"unsafe"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var useAVX512 = cpu.AVX512()

func init() {
	if cpu.SlowVectors() {
		// Scalar BLAKE2b, and ChaCha20 after it, take less: 16 KiB 15.1 µs, against 21.7.
		impl.RegisterIdle("fused", "avx512", &useAVX512)
		return
	}
	impl.Register("fused", "avx512", &useAVX512)
}

// Available reports whether there is a kernel that is on.
func Available() bool { return useAVX512 }

// beside compresses the blocks, len(dst) bytes and one block more, into h, and sets
// dst, whole groups up to MaxXOR bytes and at least one, to src XOR the key stream
// from the block with number counter on. Before the blocks come t bytes. If the
// blocks overlap dst, they must begin at least lead bytes before it.
func beside(h *[8]uint64, blocks []byte, t uint64, dst, src []byte, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte, counter uint64) {
	besideAVX512(h, unsafe.SliceData(blocks), t, unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), key, nonce, counter)
}

// derive does the two compressions of a derivation, and sets dst, a group, to src
// XOR the key stream.
func derive(d blake2b.Derivation, dst, src []byte, s *chacha20.Stream) {
	deriveAVX512(d.MAC, d.KDF, d.Block, d.T, unsafe.SliceData(dst), unsafe.SliceData(src), &s.Key, &s.Nonce)
}
