// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import "github.com/unimac/unimac/internal/impl"

// compress takes whole blocks, none of them the message's last, into h. Before
// them come t bytes.
func compress(h *[8]uint64, blocks []byte, t uint64) {
	for len(blocks) >= BlockSize {
		n := min(len(blocks), impl.MaxCall) / BlockSize * BlockSize
		compressBlocks(h, blocks[:n], t, 0)
		blocks = blocks[n:]
		t += uint64(n)
	}
}

// compressLast takes the last block, filled up with zeros, into h. The message
// has t bytes with it.
func compressLast(h *[8]uint64, block *[BlockSize]byte, t uint64) {
	compressBlocks(h, block[:], t-BlockSize, ^uint64(0))
}
