// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"runtime"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

func TestTimingSecrets(t *testing.T) {
	const n = 300
	key, msg := mactest.Random(32, 31), mactest.Random(n, 32)
	digest := make([]byte, 0, 8*32)
	var states [8]State
	var keys, msgs [8][]byte
	timing.Run(t, []timing.Test{
		timing.Fixed("BLAKE2b, 300 bytes, key", 32, func(key []byte) {
			s := New(32, key)
			s.SumWith(digest, msg)
		}),
		timing.Fixed("BLAKE2b, 300 bytes, message", n, func(msg []byte) {
			s := New(32, key)
			s.SumWith(digest, msg)
		}),
		timing.Fixed("BLAKE2b, 8 × 300 bytes in lanes, keys", 8*32, func(in []byte) {
			for i := range keys {
				keys[i], msgs[i] = in[32*i:][:32], msg
			}
			NewAll(states[:], 32, keys[:])
			WriteAll(states[:], msgs[:])
			SumAll(digest, states[:])
		}),
		timing.Fixed("BLAKE2b, 8 × 300 bytes in lanes, messages", 8*n, func(in []byte) {
			for i := range keys {
				keys[i], msgs[i] = key, in[n*i:][:n]
			}
			NewAll(states[:], 32, keys[:])
			WriteAll(states[:], msgs[:])
			SumAll(digest, states[:])
		}),
	}, "blake2b")
}

// TestStackWiped checks that the kernels leave no block, which may be a key, on the
// stack.
func TestStackWiped(t *testing.T) {
	blocks := mactest.Random(8*BlockSize, 60)
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		if dispatch.InUse("blake2b") == dispatch.Generic {
			t.Skip("no kernel")
		}
		for n := BlockSize; n <= len(blocks) && runtime.GOARCH != "arm64"; n += BlockSize { // plain Go on arm64
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
