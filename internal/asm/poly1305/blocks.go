// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 generates the kernels of Poly1305.
//
// For each 16-byte block, a kernel adds the block, with an additional bit set above it,
// to an accumulator h. It then multiplies h by r modulo p = 2^130 - 5. The vector
// kernels process n blocks in n lanes. Each lane has its own accumulator, adds every
// n-th block and multiplies by the n-th power of r. At the end, a vector kernel
// multiplies each lane by the power of r for that lane and adds the lanes.
package poly1305

import (
	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/layout"
)

// stateH and stateR are the offsets, in bytes, of the fields h (three words) and r (two words) of State.
const stateH, stateR = 0, 24

// Layout lists the struct fields whose offsets the kernels contain.
var Layout = []layout.Field{{Name: "State.h", Offset: stateH}, {Name: "State.r", Offset: stateR}}

// AMD64 returns internal/poly1305/blocks_amd64.s and its Go declarations.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("poly1305", "State")
	generateScalar(f)
	generateAVX2(f)
	generateIFMA(f)
	return f.Bytes("internal/asm/poly1305")
}
