// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 generates the kernels that compute ChaCha20 and Poly1305 in
// one pass. Begin with onepass.go. See steps.go for long messages with AVX-512 IFMA,
// lanes.go for batches, short.go for texts of up to one block, and onepass_neon.go for
// arm64.
//
// In a one-pass kernel, scalar instructions compute Poly1305 while vector instructions
// compute keystream. When sealing, they hash the ciphertext of the previous step, and
// when opening, the ciphertext that the current step decrypts. The first step also
// computes block 0, so that a short message waits only once for the rounds.
//
// Block 0 of the keystream contains the Poly1305 key. The text is encrypted from block
// 1 on. A step computes a fixed number of blocks. A set is a group of blocks whose
// words share registers. A table contains the limbs of powers of r, by which Poly1305
// multiplies its accumulator h.
package chacha20poly1305

import "github.com/unimac/unimac/internal/asm/amd64"

// AMD64 returns the assembly of internal/chacha20poly1305 and its Go declarations.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("chacha20poly1305", "message", "lanes")
	c := generateAVX512(f)
	generateOnePassAVX512(f, c, generateAVX2(f, c))
	generateSSE41(f)
	return f.Bytes("internal/asm/chacha20poly1305")
}
