// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var choice dispatch.Choice

func init() { dispatch.Register("chacha20", &choice, cpu.NEON) }

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

func block(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) { blockOfStream(out, key, x) }

func hChaCha20(out, key *[KeySize]byte, nonce *[16]byte) {
	if choice.Level == cpu.NEON {
		hChaCha20NEON(out, key, nonce)
	} else {
		hChaCha20Generic(out, key, nonce)
	}
}

//go:noescape
func xorNEON(dst *byte, src *byte, n int, key *[32]byte, nonce *[8]byte, counter uint64)

//go:noescape
func hChaCha20NEON(out *[32]byte, key *[32]byte, nonce *[16]byte)
