// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var on dispatch.Choice

func init() { dispatch.Register("salsa20", &on, cpu.NEON) }

// xor is like xorGeneric but uses NEON if it is enabled. dst and src must have the same
// length, between 1 and dispatch.MaxCall bytes.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	dispatch.CheckCall(len(src))
	if on.Level == cpu.NEON {
		xorNEON(&dst[0], &src[0], len(src), key, nonce, counter)
	} else {
		xorGeneric(dst, src, key, nonce, counter)
	}
}

// Worthwhile returns the length of the prefix of an n-byte text for which XORKeyStream
// is faster than x/crypto. This is n if the kernel is enabled, because x/crypto has no
// assembly for arm64, and 0 otherwise.
func Worthwhile(n int) int {
	if on.Level == cpu.NEON {
		return n
	}
	return 0
}

//go:noescape
func xorNEON(dst *byte, src *byte, n int, key *[32]byte, nonce *[8]byte, counter uint64)
