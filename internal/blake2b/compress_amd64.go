// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var (
	choice dispatch.Choice

	compressPath, oneBlockPath, runPath dispatch.Operation[cpu.Level]
	widthPath                           dispatch.Operation[lanesPath]
)

func init() {
	dispatch.Register("blake2b", &choice, cpu.AMD64, cpu.AVX2, cpu.AVX512)
	dispatch.Bind("blake2b", &compressPath, compressPaths)
	dispatch.Bind("blake2b", &oneBlockPath, oneBlockPaths)
	dispatch.Bind("blake2b", &runPath, runPaths)
	dispatch.Bind("blake2b", &widthPath, widthPaths)
}

// compressBlocks compresses whole blocks into h with the fastest enabled kernel.
// BLAKE2b's byte counter starts at t and increases by the block size before each block.
// The length of blocks must be at most dispatch.MaxCall. For the last block of a
// message, f must be all ones, and blocks must contain only this block. Otherwise, f
// must be zero.
func compressBlocks(h *[8]uint64, blocks []byte, t, f uint64) {
	dispatch.CheckCall(len(blocks))
	switch compressPath.Choose(len(blocks)) {
	case cpu.AVX512:
		compressAVX512(h, unsafe.SliceData(blocks), len(blocks), t, f)
	case cpu.AVX2:
		compressAVX2(h, unsafe.SliceData(blocks), len(blocks), t, f)
	case cpu.AMD64:
		compressAMD64(h, unsafe.SliceData(blocks), len(blocks), t, f)
	default:
		compressBlocksGeneric(h, blocks, t, f)
	}
}

// laneCount returns the number of lanes of the best enabled kernel, or 0.
func laneCount() int {
	if !runInLanes(maxLanes) {
		return 0
	}
	return maxLanes
}

// oneBlockInLanes reports whether lanes are faster for n messages of one block each.
func oneBlockInLanes(n int) bool { return oneBlockPath.Choose(n) != cpu.Generic }

// runInLanes reports whether lanes are faster for n longer messages.
func runInLanes(n int) bool { return runPath.Choose(n) != cpu.Generic }

// compressLanes compresses n bytes in each of the lanes 0 to live-1. n must be a
// positive multiple of the block size, and live·n must be at most dispatch.MaxCall. If
// f is all ones, n must be the block size, and every lane must have reached the last
// block of its message. Otherwise, f must be zero. Afterwards, the contents of the
// other lanes are unspecified.
func compressLanes(l *lanes, live, n int, f uint64) {
	dispatch.CheckCall(live * n)
	switch widthPath.Choose(live) {
	case fourAVX512:
		l.fill(live, 4)
		lanes4AVX512(l, n, f)
	case eightAVX512:
		l.fill(live, 8)
		lanes8AVX512(l, n, f)
	case fourAVX2:
		l.fill(live, 4)
		lanes4AVX2(l, n, f)
	case eightAVX2:
		l.fill(live, 8)
		lanes8AVX2(l, n, f)
	default:
		panic("blake2b: no kernel for several messages")
	}
}

// fill makes unused lanes point to readable memory. Their results are ignored.
func (l *lanes) fill(from, to int) {
	for i := from; i < to; i++ {
		l.blocks[i] = l.blocks[0]
	}
}
