// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/mactest"
)

// TestBlocksAVX2 compares blocks of unequal states with the definition, in guarded memory. The kernel
// leaves neither state nor block on the stack.
func TestBlocksAVX2(t *testing.T) {
	if !impl.Available("chacha20", "avx2") {
		t.Skip("this machine cannot run avx2")
	}
	const most = 80
	memory := mactest.NewGuarded(t, most*BlockSize)
	for n := 8; n <= most; n += 8 {
		for i, states := range [][]byte{memory.Front(n * BlockSize), memory.Back(n * BlockSize)} {
			before := mactest.Random(n*BlockSize, uint64(2*n+i))
			want := make([]byte, len(before))
			for at := 0; at < len(want); at += 4 {
				var s state
				block := before[at&^(BlockSize-1):]
				for j := range s {
					s[j] = binary.LittleEndian.Uint32(block[4*j:])
				}
				s.rounds()
				word := binary.LittleEndian.Uint32(before[at:])
				binary.LittleEndian.PutUint32(want[at:], s[at%BlockSize/4]+word)
			}
			run := func() {
				copy(states, before)
				BlocksAVX2((*[BlockSize]byte)(states), n)
			}
			if run(); !slices.Equal(states, want) {
				t.Fatalf("%d states: %x, want %x", n, states, want)
			}
			mactest.StackWiped(t, "BlocksAVX2", run, before, want)
		}
	}
}
