// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var (
	choice dispatch.Choice

	worthwhilePath dispatch.Operation[cpu.Level]
)

func init() {
	dispatch.Register("salsa20", &choice, cpu.AVX2, cpu.AVX512)
	dispatch.Bind("salsa20", &worthwhilePath, worthwhilePaths)
}

// xor is like xorGeneric but uses the fastest enabled kernel. dst and src must have the
// same length, between 1 and dispatch.MaxCall bytes.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	dispatch.CheckCall(len(src))
	switch choice.Level {
	case cpu.AVX512:
		xorAVX512(&dst[0], &src[0], len(src), key, nonce, counter)
	case cpu.AVX2:
		xorAVX2(&dst[0], &src[0], len(src), key, nonce, counter)
	default:
		xorGeneric(dst, src, key, nonce, counter)
	}
}

// Worthwhile returns how many leading bytes of an n-byte text to encrypt with
// XORKeyStream. x/crypto's assembly encrypts the rest faster.
func Worthwhile(n int) int {
	if n <= BlockSize {
		return 0 // without calling Choose: a short secretbox calls Worthwhile twice
	}
	p := worthwhilePath.Choose(n)
	if p == cpu.Generic {
		return 0
	}
	// The kernels compute 8 or 16 blocks at a time, so leave a short tail to x/crypto.
	if tail := n & (stepBytes[p] - 1); tail <= BlockSize {
		n -= tail
	}
	return n
}
