// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var on impl.Choice

func init() { impl.Register("salsa20", &on, cpu.SSE41, cpu.AVX2, cpu.AVX512) }

// mostSSE41 has for each kind of processor up to how many bytes SSE4.1 takes less time than AVX2,
// whose steps have eight blocks and not four.
var mostSSE41 = [...]int{
	cpu.Narrow:     4 * BlockSize,
	cpu.Full:       4 * BlockSize,
	cpu.FullSlow:   4 * BlockSize,
	cpu.Halved:     4 * BlockSize,
	cpu.Unmeasured: 4 * BlockSize,
	cpu.Alone:      0,
}

// xor is xorGeneric by the kernel that pays. At least one byte, and at most impl.MaxCall,
// may be given at once, and dst has the length of src.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	level := on.Level
	if level == cpu.AVX2 && len(src) <= mostSSE41[on.Kind] {
		level = cpu.SSE41
	}
	switch level {
	case cpu.AVX512:
		xorAVX512(&dst[0], &src[0], len(src), key, nonce, counter)
	case cpu.AVX2:
		xorAVX2(&dst[0], &src[0], len(src), key, nonce, counter)
	case cpu.SSE41:
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
	switch on.Level {
	case cpu.AVX512:
		step = 16 * BlockSize
	case cpu.AVX2:
		step = 8 * BlockSize
	case cpu.Generic:
		return 0
	}
	if rest := n & (step - 1); rest <= BlockSize {
		n -= rest
	}
	return n
}
