// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
)

// TestKinds has four messages of the same length at once, too, with tags of two streams.
func TestKinds(t *testing.T) {
	src, key := mactest.Random(1<<16, 60), mustKey(t, mactest.Random(16, 61), 8)
	nonces := [][]byte{{1}, {2}, {3}, {4}}
	mactest.Kinds(t, "umac", table, func(n int) []byte {
		tags := make([]byte, 5*key.size)
		key.sumInSteps(tags, PadOf(nonces[0], key.size), nil, src[:n])
		key.SumBatch(tags[key.size:], nonces, [][]byte{src[:n], src[1:][:n], src[2:][:n], src[3:][:n]})
		return tags
	})
}

// TestTable: AnyFour asks for no more than mostShort bytes.
func TestTable(t *testing.T) {
	for kind, c := range table {
		if c.avx512 < 0 || c.avx512 > ChunkSize || c.avx512 > 0 == (cpu.Kind(kind) == cpu.Alone) {
			t.Errorf("%s: AVX-512 from %d bytes", cpu.Kind(kind), c.avx512)
		}
		for streams, most := range c.four[1:] {
			if most < -1 || most > mostShort || most == 0 {
				t.Errorf("%s: four of %d bytes with %d streams", cpu.Kind(kind), most, streams+1)
			}
		}
	}
}
