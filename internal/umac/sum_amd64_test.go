// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
)

// TestSubWord compares the kernels' S-box with the plain one, for each byte in each place, also that
// of SSE4.1 where AVX2's is used.
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
				t.Errorf("%s: %#08x becomes %#08x, want %#08x", name, word, got, want)
			}
		}
	}
}

// TestRoundKeysWithoutAVX2 expands keys as a processor without AVX2 does.
func TestRoundKeysWithoutAVX2(t *testing.T) {
	if !cpu.SSE41AES.Available() {
		return
	}
	defer func(normal cpu.Level) { has = normal }(has)
	has = cpu.SSE41AES
	for _, size := range []int{16, 24, 32} {
		key := mactest.Random(size, 57)
		var plain, kernel roundKeys
		plain.set(key, subWordPlain)
		if kernel.expand(key); kernel != plain {
			t.Errorf("key of %d bytes: other round keys", size)
		}
	}
}
