// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var on impl.Choice

func init() { impl.Register("salsa20", &on, cpu.NEON) }

// xor is xorGeneric by NEON, if that is on. At least one byte, and at most impl.MaxCall, may be
// given at once, and dst has the length of src.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	if on.Level == cpu.NEON {
		xorNEON(&dst[0], &src[0], len(src), key, nonce, counter)
	} else {
		xorGeneric(dst, src, key, nonce, counter)
	}
}

// Worthwhile returns for how many bytes of n, from the first on, XORKeyStream takes less time than
// x/crypto, which has no assembly here.
func Worthwhile(n int) int {
	if on.Level == cpu.NEON {
		return n
	}
	return 0
}

// xorNEON is xorGeneric for NEON, and at most 64 KiB.
//
//go:noescape
func xorNEON(dst *byte, src *byte, n int, key *[32]byte, nonce *[8]byte, counter uint64)
