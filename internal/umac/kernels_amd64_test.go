// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"bytes"
	"crypto/aes"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
)

// TestSubWord compares the kernels' S-box with the plain Go S-box, for each byte value
// in each position. It tests the SSE4.1 version even if the AVX2 version is in use.
func TestSubWord(t *testing.T) {
	for name, kernel := range map[string]struct {
		level   cpu.Level
		subWord func(uint32) uint32
	}{
		"AVX2AES":  {cpu.AVX2AES, subWordAVX2AES},
		"SSE41AES": {cpu.SSE41AES, subWordSSE41AES},
	} {
		if !kernel.level.Available() {
			continue
		}
		for b := range uint32(256) {
			word := b | (b+1)&255<<8 | (b^255)<<16 | b*3&255<<24
			if got, want := kernel.subWord(word), subWordPlain(word); got != want {
				t.Errorf("%s: subWord(%#08x) = %#08x, want %#08x", name, word, got, want)
			}
		}
	}
}

// TestRoundKeysWithoutAVX2 checks the key expansion for processors without AVX2.
func TestRoundKeysWithoutAVX2(t *testing.T) {
	if !cpu.SSE41AES.Available() {
		return
	}
	defer func(normal cpu.Level) { startLevel = normal }(startLevel)
	startLevel = cpu.SSE41AES
	for _, size := range []int{16, 24, 32} {
		key := mactest.Random(size, 57)
		var plain, kernel roundKeys
		plain.set(key, subWordPlain)
		if kernel.expand(key); kernel != plain {
			t.Errorf("key of %d bytes: wrong round keys", size)
		}
	}
}

// TestEncryptGuarded checks that encrypt stays within its buffers: inaccessible pages
// are directly before and after the blocks and the round keys.
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
					t.Errorf("at the %s, key of %d bytes: got %x, want %x", end, size, blocks, want)
				}
				if *keys != before {
					t.Errorf("at the %s: encrypt changed the round keys", end)
				}
			}
		}
	})
}

// TestKinds checks single messages and batches of four messages of equal length, with
// two-stream tags, for each kind of processor.
func TestKinds(t *testing.T) {
	src, key := mactest.Random(1<<16, 60), mustKey(t, mactest.Random(16, 61), 8)
	nonces := [][]byte{{1}, {2}, {3}, {4}}
	mactest.Kinds(t, "umac", append(fourPaths[1:], sumPaths, nhPaths), func(n int) []byte {
		tags := make([]byte, 5*key.size)
		key.sumInSteps(tags, PadOf(nonces[0], key.size), nil, src[:n])
		key.SumBatch(tags[key.size:], nonces, [][]byte{src[:n], src[1:][:n], src[2:][:n], src[3:][:n]})
		return tags
	})
}

// TestThresholds also checks that no list passes more than maxShort bytes to the
// four-message kernel, on which AnyFour relies, and that maxOfFour returns the length
// at which the list of each number of streams changes.
func TestThresholds(t *testing.T) {
	mactest.Thresholds(t, "umac", mactest.Identity, append(fourPaths[1:], sumPaths, nhPaths)...)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for streams := 1; streams <= maxStreams; streams++ {
			maxLen := maxOfFour(streams)
			if maxLen > maxShort {
				t.Errorf("%d streams: maxOfFour = %d, want at most %d", streams, maxLen, maxShort)
			}
			for n := range 2 * maxShort {
				if four := fourPaths[streams].Thresholds(&choice).Choose(n) == cpu.AVX2AES; four != (n <= maxLen) {
					t.Errorf("%d streams, %d bytes: the four-message kernel is selected: %v, but maxOfFour returned %d", streams, n, four, maxLen)
				}
			}
		}
	})
}
