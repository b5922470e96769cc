// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useAVX512 = cpu.AVX512()
	useAVX2   = cpu.AVX2()
	useScalar = true
)

func init() {
	impl.Register("blake2b", "avx512", &useAVX512)
	impl.Register("blake2b", "avx2", &useAVX2)
	impl.Register("blake2b", "amd64", &useScalar)
}

// compressBlocks takes whole blocks, at most impl.MaxCall bytes, into h by the best
// kernel that is on. Before them come t bytes; f is all ones for the last block
// of a message, which then is alone.
func compressBlocks(h *[8]uint64, blocks []byte, t, f uint64) {
	switch {
	case useScalar && preferScalar(len(blocks)):
		compressAMD64(h, unsafe.SliceData(blocks), len(blocks), t, f)
	case useAVX512:
		compressAVX512(h, unsafe.SliceData(blocks), len(blocks), t, f)
	case useAVX2:
		compressAVX2(h, unsafe.SliceData(blocks), len(blocks), t, f)
	default:
		compressBlocksGeneric(h, blocks, t, f)
	}
}

// slowVectors: on a Zen 5, 16 KiB take 12.9 µs by scalar instructions, 20.2 with AVX-512
// and 22.1 with AVX2.
var slowVectors = cpu.SlowVectors()

// preferScalar reports whether the scalar kernel takes less time than the best one with
// vectors that is on. One block by AVX2 pays for more than it has.
func preferScalar(n int) bool {
	return slowVectors || !useAVX512 && (!useAVX2 || n == BlockSize)
}

// laneCount is the number of lanes of the best kernel for several messages that
// is on, or 0.
func laneCount() int {
	switch {
	case useAVX512, useAVX2:
		return 8
	}
	return 0
}

// minOnce: 2 blocks take 210 ns one after the other, 231 ns in lanes, on an Intel
// Emerald Rapids.
const minOnce = 3

// compressLanes takes n bytes, whole blocks and at least one, in each of the first
// live lanes. At most impl.MaxCall bytes may be given in all. If f is all ones they are
// last blocks. The other lanes are undefined afterwards.
func compressLanes(l *lanes, live, n int, f uint64) {
	switch {
	case !useAVX512 && live <= 4:
		l.fill(live, 4)
		lanes4AVX2(l, n, f)
	case !useAVX512:
		l.fill(live, 8)
		lanes8AVX2(l, n, f)
	case live <= 4:
		l.fill(live, 4)
		lanes4AVX512(l, n, f)
	default:
		l.fill(live, 8)
		lanes8AVX512(l, n, f)
	}
}
