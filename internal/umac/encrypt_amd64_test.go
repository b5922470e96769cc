// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"bytes"
	"crypto/aes"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/mactest"
)

// TestEncryptGuarded has inaccessible pages right before and right after the blocks and the
// round keys.
func TestEncryptGuarded(t *testing.T) {
	const blocksSize, keysSize = kernelBlocks * aes.BlockSize, int(unsafe.Sizeof(roundKeys{}))
	memory, keyMemory := mactest.NewGuarded(t, blocksSize), mactest.NewGuarded(t, keysSize)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		if !canEncrypt() {
			return
		}
		for _, size := range []int{16, 24, 32} {
			key := mactest.Random(size, 52)
			block, err := aes.NewCipher(key)
			if err != nil {
				t.Fatal(err)
			}
			for end, part := range guardedEnds {
				blocks := part(memory, blocksSize)
				copy(blocks, mactest.Random(blocksSize, 53))
				want := bytes.Clone(blocks)
				for i := 0; i < len(want); i += aes.BlockSize {
					block.Encrypt(want[i:], want[i:])
				}
				keys := (*roundKeys)(unsafe.Pointer(unsafe.SliceData(part(keyMemory, keysSize))))
				*keys = roundKeys{}
				keys.expand(key)
				before := *keys
				encrypt((*[blocksSize]byte)(blocks), keys)
				if !bytes.Equal(blocks, want) {
					t.Errorf("at the %s, key of %d bytes: %x, want %x", end, size, blocks, want)
				}
				if *keys != before {
					t.Errorf("at the %s: changed the round keys", end)
				}
			}
		}
	})
}
