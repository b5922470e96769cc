// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"math"
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var on dispatch.Choice

func init() { dispatch.Register("blake2b", &on, cpu.AMD64, cpu.AVX2, cpu.AVX512) }

// thresholds contains the lengths and numbers of messages from which vector kernels are
// faster.
type thresholds struct {
	avx2, avx512 int // minimum length, in bytes, for the kernels for one message
	oneBlock     int // minimum number of messages, of one block each, for lanes
}

const never = math.MaxInt

// table contains the thresholds by kind of processor.
var table = [...]thresholds{
	cpu.Narrow:     {avx2: 2 * BlockSize, oneBlock: 3},
	cpu.Full:       {oneBlock: 3},
	cpu.FullSlow:   {avx2: never, avx512: never, oneBlock: 3},
	cpu.Halved:     {avx2: 2 * BlockSize, oneBlock: 3},
	cpu.Unmeasured: {avx2: 2 * BlockSize, avx512: never, oneBlock: 3},
	cpu.Alone:      {oneBlock: 3},
}

// compressBlocks compresses whole blocks of at most dispatch.MaxCall bytes into h with
// the fastest enabled kernel. t is the number of bytes before them. If f is all ones,
// blocks must be a single block, the message's last.
func compressBlocks(h *[8]uint64, blocks []byte, t, f uint64) {
	dispatch.CheckCall(len(blocks))
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

// laneCount returns the number of lanes of the best enabled kernel, or 0.
func laneCount() int {
	if on.Level >= cpu.AVX2 {
		return 8
	}
	return 0
}

// minOneBlock returns the smallest number of one-block messages to process in lanes.
func minOneBlock() int { return table[on.Kind].oneBlock }

// compressLanes compresses n bytes, one or more whole blocks, in each of the first live
// lanes, in total at most dispatch.MaxCall bytes. If f is all ones, the blocks are the
// messages' last. The other lanes are undefined afterwards.
func compressLanes(l *lanes, live, n int, f uint64) {
	dispatch.CheckCall(live * n)
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
