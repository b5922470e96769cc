// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 generates the kernels of Poly1305. Begin with blocks_scalar.go.
// Comments in blocks_avx2.go, table_ifma.go and blocks_neon.go explain the arithmetic
// of the vector kernels.
//
// For each 16-byte block, a kernel adds the block, with a bit set above it, to an
// accumulator h and then multiplies h by r modulo p = 2^130 - 5. With n lanes, each
// lane adds every n-th block and multiplies by r^n. At the end, the kernel multiplies
// each lane by the lane's power of r and adds the lanes.
//
// A power list contains powers of r in 64-bit words. A table contains them in limbs,
// which have fewer bits, so that carries can be delayed.
package poly1305

import "github.com/unimac/unimac/internal/asm/amd64"

// AMD64 returns internal/poly1305/blocks_amd64.s and its Go declarations.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("poly1305", "State")
	generateScalar(f)
	generateAVX2(f)
	generateIFMA(f)
	return f.Bytes("internal/asm/poly1305")
}
