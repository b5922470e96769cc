// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var (
	choice dispatch.Choice

	widthPath dispatch.Operation[cpu.Level]
)

func init() {
	dispatch.Register("blake2b", &choice, cpu.NEON)
	dispatch.Bind("blake2b", &widthPath, widthPaths)
}

// compressBlocks compresses blocks in plain Go. A vector kernel would be slower for a
// single message, because vector instructions have a higher latency.
func compressBlocks(h *[8]uint64, blocks []byte, t, f uint64) {
	compressBlocksGeneric(h, blocks, t, f)
}

func laneCount() int {
	if choice.Level == cpu.NEON {
		return 2
	}
	return 0
}

// oneBlockInLanes and runInLanes report whether lanes are faster for n messages.
func oneBlockInLanes(n int) bool { return widthPath.Choose(n) == cpu.NEON }
func runInLanes(n int) bool      { return widthPath.Choose(n) == cpu.NEON }

// widthPaths chooses plain Go for one message, and the NEON kernel for two.
var widthPaths = dispatch.Table[cpu.Level]{
	cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
	cpu.NEON:    {cpu.Narrow: {{Max: 1, Path: cpu.Generic}, {Path: cpu.NEON}}},
}

// compressLanes compresses n bytes in lanes 0 to live-1. See the amd64 version.
func compressLanes(l *lanes, live, n int, f uint64) {
	dispatch.CheckCall(live * n)
	if choice.Level != cpu.NEON {
		panic("blake2b: no kernel for several messages")
	}
	if live == 1 {
		l.blocks[1] = l.blocks[0] // must be readable; the result is ignored
	}
	lanes2NEON(l, n, f)
}

//go:noescape
func lanes2NEON(l *lanes, n int, f uint64)
