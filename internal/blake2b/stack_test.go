// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"runtime"
	"testing"

	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/mactest"
)

// TestStackWiped checks that the kernels leave no block, which may be a key, on the
// stack.
func TestStackWiped(t *testing.T) {
	blocks := mactest.Random(8*BlockSize, 60)
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		if impl.InUse("blake2b") == impl.Generic {
			t.Skip("no kernel")
		}
		for n := BlockSize; n <= len(blocks) && runtime.GOARCH != "arm64"; n += BlockSize { // there it is plain Go
			h := iv
			mactest.StackWiped(t, "compressBlocks", func() { compressBlocks(&h, blocks[:n], 0, 0) }, blocks)
		}
		for live := 1; live <= laneCount(); live++ {
			l := new(lanes)
			for i := range live {
				l.load(i, &iv, 0)
				l.blocks[i] = &blocks[i*BlockSize]
			}
			mactest.StackWiped(t, "compressLanes", func() { compressLanes(l, live, BlockSize, 0) }, blocks)
		}
	})
}
