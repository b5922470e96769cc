// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package salsa20 encrypts with Salsa20 (D. J. Bernstein, "The Salsa20 family of stream ciphers",
// 2008), for existing programs: a copy of x/crypto that package xcrypto makes has it below
// salsa20, nacl/secretbox and nacl/box. Nothing new needs it.
package salsa20

import "github.com/unimac/unimac/internal/impl"

//go:generate go -C ../asm run . internal/salsa20

const (
	KeySize   = 32
	NonceSize = 8
	BlockSize = 64
)

// XORKeyStream sets dst to src XOR the key stream from the block with number counter on. Dst has
// the length of src; they are the same memory or apart. After block 2^64 - 1 comes block 0.
func XORKeyStream(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	for len(src) > impl.MaxCall {
		xor(dst[:impl.MaxCall], src[:impl.MaxCall], key, nonce, counter)
		dst, src = dst[impl.MaxCall:], src[impl.MaxCall:]
		counter += impl.MaxCall / BlockSize
	}
	if len(src) > 0 {
		xor(dst, src, key, nonce, counter)
	}
}
