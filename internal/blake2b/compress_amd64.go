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

// compressBlocks compresses whole blocks, at most dispatch.MaxCall bytes, into h.
// BLAKE2b's byte counter is t + 128 for the first block and increases by 128 for each
// further block. f must be zero, or all ones if blocks contains only the last block of
// a message.
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
// positive multiple of the block size, and live·n must be at most dispatch.MaxCall. f
// must be zero, or all ones to compress only the last block of every message. The other
// lanes are unspecified afterwards.
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
