// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"math"
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var on impl.Choice

func init() { impl.Register("blake2b", &on, cpu.AMD64, cpu.AVX2, cpu.AVX512) }

// A column is what pays on one kind of processor.
type column struct {
	avx2, avx512 int // bytes from which vectors take less time than general registers
	once         int // messages from which lanes do, for a single block each
}

const never = math.MaxInt

// One block by AVX2 pays for more than it has, but on Granite Rapids takes 0.90 of the time by itself. On a Zen 5, 16 KiB take 12.9 µs by general
// registers, 20.2 with AVX-512 and 22.1 with AVX2. On an Emerald Rapids, 2 single blocks take
// 210 ns one after the other, and 231 in lanes.
var table = [...]column{
	cpu.Narrow:     {avx2: 2 * BlockSize, once: 3},
	cpu.Full:       {once: 3},
	cpu.FullSlow:   {avx2: never, avx512: never, once: 3},
	cpu.Halved:     {avx2: 2 * BlockSize, once: 3},
	cpu.Unmeasured: {avx2: 2 * BlockSize, avx512: never, once: 3},
	cpu.Alone:      {once: 3},
}

// compressBlocks compresses whole blocks, at most impl.MaxCall bytes, into h with the
// fastest enabled kernel. t is the number of bytes before them. If f is all ones, the
// single block is the message's last.
func compressBlocks(h *[8]uint64, blocks []byte, t, f uint64) {
	impl.CheckCall(len(blocks))
	switch c := &table[on.Kind]; {
	case on.Level == cpu.AVX512 && len(blocks) >= c.avx512:
		compressAVX512(h, unsafe.SliceData(blocks), len(blocks), t, f)
	case on.Level == cpu.AVX2 && len(blocks) >= c.avx2:
		compressAVX2(h, unsafe.SliceData(blocks), len(blocks), t, f)
	case on.Level >= cpu.AMD64:
		compressAMD64(h, unsafe.SliceData(blocks), len(blocks), t, f)
	default:
		compressBlocksGeneric(h, blocks, t, f)
	}
}

// laneCount returns the number of lanes of the best enabled kernel for several
// messages, or 0.
func laneCount() int {
	if on.Level >= cpu.AVX2 {
		return 8
	}
	return 0
}

// minOnce returns the smallest number of one-block messages for which lanes are faster.
func minOnce() int { return table[on.Kind].once }

// compressLanes compresses n bytes, one or more whole blocks, in each of the first live
// lanes, in total at most impl.MaxCall bytes. If f is all ones, the blocks are the
// messages' last. Afterwards, the contents of the other lanes are undefined.
func compressLanes(l *lanes, live, n int, f uint64) {
	impl.CheckCall(live * n)
	half := live <= 4
	if half {
		l.fill(live, 4)
	} else {
		l.fill(live, 8)
	}
	switch {
	case on.Level == cpu.AVX512 && half:
		lanes4AVX512(l, n, f)
	case on.Level == cpu.AVX512:
		lanes8AVX512(l, n, f)
	case on.Level == cpu.AVX2 && half:
		lanes4AVX2(l, n, f)
	case on.Level == cpu.AVX2:
		lanes8AVX2(l, n, f)
	}
}
