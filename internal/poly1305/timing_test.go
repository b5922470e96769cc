// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

// TestTimingReduce measures the final reduction of accumulators slightly below and
// above 2^130 - 5, and of accumulators whose carries propagate through all words or are
// random.
func TestTimingReduce(t *testing.T) {
	const accumulators = 16
	key := [KeySize]byte(mactest.Random(KeySize, 33))
	var tag [TagSize]byte
	pad := mactest.Random(TagSize, 34)
	finish := func(rest []byte) func(input []byte) {
		return func(input []byte) {
			for ; len(input) > 0; input = input[24:] {
				var s State
				s.SetKey(&key)
				for i := range s.h {
					s.h[i] = binary.LittleEndian.Uint64(input[8*i:])
				}
				s.Tag(&tag, rest, (*[TagSize]byte)(pad))
			}
		}
	}
	around := func(class int, input []byte, rng *rand.Rand) {
		for ; len(input) > 0; input = input[24:] {
			// The accumulators are p-4 … p-1 or p … p+3, because the lowest word of p
			// is 2^64-5.
			binary.LittleEndian.PutUint64(input, math.MaxUint64-8+uint64(4*class+rng.IntN(4)))
			binary.LittleEndian.PutUint64(input[8:], math.MaxUint64)
			binary.LittleEndian.PutUint64(input[16:], 3)
		}
	}
	carries := func(class int, input []byte, rng *rand.Rand) {
		for ; len(input) > 0; input = input[24:] {
			timing.Random(input[:16], rng)
			if class == 1 {
				binary.LittleEndian.PutUint64(input, math.MaxUint64-uint64(rng.IntN(4)))
				binary.LittleEndian.PutUint64(input[8:], math.MaxUint64)
			}
			binary.LittleEndian.PutUint64(input[16:], uint64(rng.IntN(5)))
		}
	}
	rest := mactest.Random(15, 35)
	timing.Run(t, []timing.Test{
		{Name: "Poly1305 last reduction, below or from p", Size: 24 * accumulators, Input: around, Run: finish(nil)},
		{Name: "Poly1305 last reduction, random or long carries", Size: 24 * accumulators, Input: carries, Run: finish(nil)},
		{Name: "Poly1305 last part of a block, accumulator below or from p", Size: 24 * accumulators, Input: around, Run: finish(rest)},
		{Name: "Poly1305 last part of a block, accumulator random or with long carries", Size: 24 * accumulators, Input: carries, Run: finish(rest)},
	}, "poly1305")
}
