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
	impl.Register("fused", "avx512", &useAVX512)
}

// Available reports whether there is a kernel that is on.
func Available() bool { return useAVX512 }

// beside takes the blocks, len(dst) bytes and one block more, into h by BLAKE2b, and
// sets dst, whole groups up to MaxBeside bytes and at least one, to src XOR the key
// stream from the block with number counter on. Before the blocks come t bytes. If the
// blocks overlap dst, they must begin at least lead bytes before.
func beside(h *[8]uint64, blocks []byte, t uint64, dst, src []byte, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte, counter uint64) {
	besideAVX512(h, unsafe.SliceData(blocks), t, unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), key, nonce, counter)
}

// derive takes a last block, t bytes with it, into kdf by BLAKE2b, which leaves kdf as it was,
// and then the block of the key that results into h. It sets dst, a group, to src XOR the
// key stream.
func derive(h, kdf *[8]uint64, block *[blake2b.BlockSize]byte, t uint64, dst, src []byte, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte) {
	deriveAVX512(h, kdf, block, t, unsafe.SliceData(dst), unsafe.SliceData(src), key, nonce)
}
