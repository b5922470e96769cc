// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20blake2b

import (
	"unsafe"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useAVX512 = cpu.AVX512()
	useAVX2   = cpu.AVX2()
)

func init() {
	if cpu.SlowVectors() {
		// BLAKE2b is in general registers with AVX2, which takes less: 16 KiB 12.8 µs, against 21.7.
		impl.RegisterIdle("chacha20blake2b", "avx512", &useAVX512)
	} else {
		impl.Register("chacha20blake2b", "avx512", &useAVX512)
	}
	impl.Register("chacha20blake2b", "avx2", &useAVX2)
}

// Available reports whether there is a kernel that is on.
func Available() bool { return useAVX512 || useAVX2 }

// derives reports whether there is one for derive.
func derives() bool { return useAVX512 }

// hashed is how many bytes of blocks beside takes for n bytes of dst.
func hashed(n int) int {
	if useAVX512 {
		return n + blake2b.BlockSize
	}
	return n / 2
}

// MinMessage is the length of messages from which the kernel saves time in XORAndWrite and
// WriteAndXOR. With AVX2, on a Zen 5, it takes 2.36 µs to seal 2 KiB, and 2.31 without the
// kernel; for 4 KiB 3.87 and 4.20.
func MinMessage() int {
	if useAVX512 {
		return 0
	}
	return 4 << 10
}

// lead is how far the encryption must be ahead of BLAKE2b when beside is called, if
// BLAKE2b reads what was encrypted: the kernel reads so far before it writes.
func lead() int {
	if useAVX512 {
		return Group + 2*blake2b.BlockSize
	}
	return 2 * blake2b.BlockSize
}

// beside compresses the blocks, as many bytes as hashed says, into h, and sets
// dst, whole groups up to MaxXOR bytes and at least one, to src XOR the key stream
// from the block with number counter on. Before the blocks come t bytes. If the
// blocks overlap dst, they must begin at least lead bytes before it.
func beside(h *[8]uint64, blocks []byte, t uint64, dst, src []byte, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte, counter uint64) {
	if useAVX512 {
		besideAVX512(h, unsafe.SliceData(blocks), t, unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), key, nonce, counter)
		return
	}
	besideAVX2(h, unsafe.SliceData(blocks), t, unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), key, nonce, counter)
}

// derive does the two compressions of a derivation, and sets dst, a group, to src
// XOR the key stream.
func derive(d blake2b.Derivation, dst, src []byte, s *chacha20.Stream) {
	deriveAVX512(d.MAC, d.KDF, d.Block, d.T, unsafe.SliceData(dst), unsafe.SliceData(src), &s.Key, &s.Nonce)
}
