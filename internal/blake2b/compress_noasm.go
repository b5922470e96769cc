// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package blake2b

func compressBlocks(h *[8]uint64, blocks []byte, t, f uint64) {
	compressBlocksGeneric(h, blocks, t, f)
}

// There is no kernel for several messages.

func laneCount() int { return 0 }

func oneBlockInLanes(int) bool { return false }

func runInLanes(int) bool { return false }

func compressLanes(l *lanes, live, n int, f uint64) { panic("blake2b: no lanes") }
