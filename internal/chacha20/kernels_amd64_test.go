// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// TestBlocksAVX2 compares the blocks of different states with plain Go, in guarded
// memory, and checks that the kernel leaves neither states nor blocks on the stack.
func TestBlocksAVX2(t *testing.T) {
	if !dispatch.Available("chacha20", "avx2") {
		t.Skip("this machine cannot run avx2")
	}
	const maxBlocks = 80
	memory := mactest.NewGuarded(t, maxBlocks*BlockSize)
	for n := 8; n <= maxBlocks; n += 8 {
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
				t.Fatalf("%d states: got %x, want %x", n, states, want)
			}
			mactest.StackWiped(t, "BlocksAVX2", run, before, want)
		}
	}
}

func TestKinds(t *testing.T) {
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 60)), [NonceSize]byte(mactest.Random(NonceSize, 61))
	x := [16]byte(mactest.Random(16, 62))
	lengths := [cpu.Forced + 1]int{BlockSize, 2 * BlockSize, 5 * BlockSize, 16 * BlockSize}
	mactest.Kinds(t, "chacha20", lengths, func(n int) []byte {
		dst := make([]byte, n)
		XORKeyStream(dst, dst, &key, &nonce, 3)
		var out [BlockSize]byte
		Block(&out, &key, &x)
		var subkey [KeySize]byte
		HChaCha20(&subkey, &key, &x)
		return append(append(dst, out[:]...), subkey[:]...)
	})
}

// TestThresholds also checks that paths for one block are selected only for up to one
// block, and that every level other than plain Go has a kernel for HChaCha20.
func TestThresholds(t *testing.T) {
	levels := map[path]cpu.Level{oneBlockAMD64: cpu.AMD64, oneBlockAVX512: cpu.AVX512, vectorSSE41: cpu.SSE41, vectorAVX2: cpu.AVX2, vectorAVX512: cpu.AVX512}
	mactest.Thresholds(t, "chacha20", func(p path) cpu.Level { return levels[p] }, xorPaths, blockPaths, hChaCha20Paths)
	for level, kinds := range xorPaths {
		for kind := range kinds {
			for n, list := BlockSize+1, xorPaths.Thresholds(&dispatch.Choice{Level: cpu.Level(level), Kind: cpu.Kind(kind)}); n < 1000 && list != nil; n++ {
				if p := list.Choose(n); p == oneBlockAMD64 || p == oneBlockAVX512 {
					t.Errorf("%s, %s: one-block path %d for %d bytes", cpu.Level(level), cpu.Kind(kind), p, n)
				}
			}
		}
	}
	for level, kinds := range hChaCha20Paths {
		for kind, list := range kinds {
			if len(list) > 0 && (list[0].Path == plain) != (level == int(cpu.Generic)) || len(list) > 0 && list[0].Path == oneBlockAVX512 {
				t.Errorf("%s, %s: wrong path %d for HChaCha20", cpu.Level(level), cpu.Kind(kind), list[0].Path)
			}
		}
	}
}
