// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package blake2b

func compressBlocks(h *[8]uint64, blocks []byte, t, f uint64) {
	compressBlocksGeneric(h, blocks, t, f)
}

func minOneBlock() int { return 2 }

func laneCount() int { return 0 }

func compressLanes(l *lanes, live, n int, f uint64) { panic("blake2b: no lanes") }
