// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package blake2b generates the kernels of BLAKE2b. For kernels that compress one
// message, begin with compress_rows.go. For kernels that compress several messages in
// parallel, called lanes, begin with compress_lanes.go.
//
// The working vector v, its words a, b, c and d, and the function G are those of RFC
// 7693. A row contains four words of v. Half a round consists of four Gs, on the
// columns or on the diagonals of v. The chain value is the state h between blocks.
package blake2b

import (
	. "github.com/mmcloughlin/avo/operand"

	"github.com/unimac/unimac/internal/asm/amd64"
)

const block = 128

// sigma contains the permutations of message words (RFC 7693, section 2.7).
var sigma = [10][16]int{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

const rounds = 12

// AMD64 returns internal/blake2b/compress_amd64.s and its Go declarations.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("blake2b", "lanes")
	c := NewConstants(f)
	generateAMD64(f, c)
	generateAVX2(f, c)
	generateAVX512(f, c)
	generateLanesAVX2(f, c)
	generateLanes8AVX2(f, c)
	generateLanesAVX512(f, c)
	return f.Bytes("internal/asm/blake2b")
}

// Constants contains the operands of constants shared by a file's kernels.
type Constants struct {
	IV       Mem
	Step     Mem // the block size, in the low quadword of four
	Rotate24 Mem // VPSHUFB controls that rotate quadwords to the right
	Rotate16 Mem
}

// iv is the IV of SHA-512 (RFC 7693, section 2.6).
var iv = []uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

func NewConstants(f *amd64.File) *Constants {
	rotation := func(name string, bytes int) Mem {
		var order [2]uint64
		for i := range 16 {
			from := i/8*8 + (i+bytes)%8
			order[i/8] |= uint64(from) << (i % 8 * 8)
		}
		return amd64.Table(f, name, order[0], order[1], order[0], order[1])
	}
	return &Constants{
		IV:       amd64.Table(f, "iv", iv...),
		Step:     amd64.Table[uint64](f, "step", block, 0, 0, 0),
		Rotate24: rotation("right24", 3),
		Rotate16: rotation("right16", 2),
	}
}
