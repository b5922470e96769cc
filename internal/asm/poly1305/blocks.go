// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 generates the kernels of Poly1305.
//
// A kernel adds each block of 16 bytes, with one more bit set above it, to an
// accumulator h, which it multiplies by r modulo p = 2^130 - 5. The vector
// kernels take blocks in lanes: each lane has an accumulator of its own for every
// so many blocks and multiplies by a power of r, and in the end by the power
// that makes up for its lane, before the lanes are added up.
package poly1305

import (
	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/layout"
)

// The offsets in bytes within the package's state: three words, then two.
const stateH, stateR = 0, 24

// Layout is what the kernels know of the package's structs.
var Layout = []layout.Field{{Name: "State.h", Offset: stateH}, {Name: "State.r", Offset: stateR}}

// AMD64 returns internal/poly1305/blocks_amd64.s and the file that declares its functions.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("poly1305", "State")
	generateScalar(f)
	generateAVX2(f)
	generateIFMA(f)
	return f.Bytes("internal/asm/poly1305")
}
