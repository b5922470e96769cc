// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useAVX512 = cpu.AVX512()
	useAVX2   = cpu.AVX2()
	useSSE41  = cpu.SSE41()

	// slowVectors: on a Zen 5, a single block takes 94 ns with AVX-512, 78 in plain Go, and
	// 71 with AVX2, whose kernel has general registers for it. Tests of the kernels set it
	// to false.
	slowVectors = cpu.SlowVectors()
)

func init() {
	impl.Register("chacha20", "avx512", &useAVX512)
	impl.Register("chacha20", "avx2", &useAVX2)
	impl.Register("chacha20", "sse41", &useSSE41)
}

// xor is xorGeneric by the best kernel that is on. At least one byte, and at
// most impl.MaxCall, may be given at once, and dst has the length of src.
// Where vectors are not slow, xorSSE41 has one block before the general registers of xorAVX2.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	switch {
	case useAVX512 && !(slowVectors && useAVX2 && len(src) <= BlockSize):
		xorAVX512(&dst[0], &src[0], len(src), key, nonce, counter)
	case useAVX2 && !(useSSE41 && !slowVectors && len(src) <= BlockSize):
		xorAVX2(&dst[0], &src[0], len(src), key, nonce, counter)
	case useSSE41:
		xorSSE41(&dst[0], &src[0], len(src), key, nonce, counter)
	default:
		xorGeneric(dst, src, key, nonce, counter)
	}
}

// block is Block. General registers take the shortest time where vectors are slow. On an Intel
// processor blockAMD64 takes 82 ns, xorAVX512 62, xorSSE41 73, and xorAVX2, which has general
// registers for one block, 88.
func block(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) {
	if useAVX512 && slowVectors || useAVX2 && !useAVX512 && (slowVectors || !useSSE41) {
		blockAMD64(out, key, x)
	} else {
		blockOfStream(out, key, x)
	}
}

// hChaCha20 is hChaCha20Generic by the best kernel that is on.
func hChaCha20(out, key *[KeySize]byte, nonce *[16]byte) {
	switch {
	case slowVectors:
		hChaCha20Generic(out, key, nonce)
	case useAVX512:
		hChaCha20AVX512(out, key, nonce)
	case useAVX2:
		hChaCha20AVX2(out, key, nonce)
	case useSSE41:
		hChaCha20SSE41(out, key, nonce)
	default:
		hChaCha20Generic(out, key, nonce)
	}
}

// BlocksAVX2 puts blocks of key stream in the place of their n initial states, a multiple of 8.
func BlocksAVX2(states *[BlockSize]byte, n int) { statesAVX2(states, n) }
