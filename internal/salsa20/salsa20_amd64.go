// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useAVX512 = cpu.AVX512()
	useAVX2   = cpu.AVX2()
	useSSE41  = cpu.SSE41()
)

func init() {
	impl.Register("salsa20", "avx512", &useAVX512)
	impl.Register("salsa20", "avx2", &useAVX2)
	impl.Register("salsa20", "sse41", &useSSE41)
}

// xor is xorGeneric by the best kernel that is on. At least one byte, and at most impl.MaxCall,
// may be given at once, and dst has the length of src.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	switch {
	case useAVX512:
		xorAVX512(&dst[0], &src[0], len(src), key, nonce, counter)
	case useAVX2 && (len(src) > 4*BlockSize || !useSSE41): // a step of four blocks takes a little less time
		xorAVX2(&dst[0], &src[0], len(src), key, nonce, counter)
	case useSSE41:
		xorSSE41(&dst[0], &src[0], len(src), key, nonce, counter)
	default:
		xorGeneric(dst, src, key, nonce, counter)
	}
}

// Worthwhile returns for how many bytes of n, from the first on, XORKeyStream takes less time than
// x/crypto's assembly, which has SSE2 for four blocks and is faster for a single one. Kernels take a
// step even for fewer blocks.
func Worthwhile(n int) int {
	if n <= BlockSize {
		return 0 // what the rest of it finds, too: a short secretbox asks twice
	}
	step := 4 * BlockSize
	switch {
	case useAVX512:
		step = 16 * BlockSize
	case useAVX2:
		step = 8 * BlockSize
	case !useSSE41:
		return 0
	}
	if rest := n & (step - 1); rest <= BlockSize {
		n -= rest
	}
	return n
}
