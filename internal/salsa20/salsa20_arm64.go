// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var choice dispatch.Choice

func init() { dispatch.Register("salsa20", &choice, cpu.NEON) }

// xor is like xorGeneric but uses NEON if it is enabled. dst and src must have the same
// length, between 1 and dispatch.MaxCall bytes.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	dispatch.CheckCall(len(src))
	if choice.Level == cpu.NEON {
		xorNEON(&dst[0], &src[0], len(src), key, nonce, counter)
	} else {
		xorGeneric(dst, src, key, nonce, counter)
	}
}

// Worthwhile returns n, the number of bytes to encrypt with XORKeyStream, or 0.
func Worthwhile(n int) int {
	if choice.Level == cpu.NEON {
		return n // x/crypto has no assembly for arm64
	}
	return 0
}

//go:noescape
func xorNEON(dst *byte, src *byte, n int, key *[32]byte, nonce *[8]byte, counter uint64)
