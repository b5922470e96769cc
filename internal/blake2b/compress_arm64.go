// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var on impl.Choice

func init() { impl.Register("blake2b", &on, cpu.NEON) }

// compressBlocks has no kernel: one message is bound by latency, which is longer
// in vectors.
func compressBlocks(h *[8]uint64, blocks []byte, t, f uint64) {
	compressBlocksGeneric(h, blocks, t, f)
}

// laneCount is the number of lanes of the kernel for several messages, or 0.
func laneCount() int {
	if on.Level == cpu.NEON {
		return 2
	}
	return 0
}

func minOnce() int { return 2 }

// compressLanes takes n bytes, whole blocks and at least one, in each of the first
// live lanes. At most impl.MaxCall bytes may be given in all. If f is all ones they are
// last blocks. The other lanes are undefined afterwards.
func compressLanes(l *lanes, live, n int, f uint64) {
	impl.CheckCall(live * n)
	l.fill(live, 2)
	lanes2NEON(l, n, f)
}

// lanes2NEON takes n bytes, whole blocks and at least one, of each of 2 lanes, for
// NEON. f is all ones if they are the messages' last blocks.
//
//go:noescape
func lanes2NEON(l *lanes, n int, f uint64)
