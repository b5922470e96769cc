// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

// marker64 returns a word that needs two steps of POLY-64, and plain64 a word that
// needs one step. The upper halves of their results differ in a single bit.
func marker64(rng *rand.Rand) uint64 { return limit64 | uint64(rng.Uint32()) }
func plain64(rng *rand.Rand) uint64  { return marker64(rng) ^ 1<<(32+rng.IntN(32)) }

// word64 returns a word of the given class.
func word64(class int, rng *rand.Rand) uint64 {
	return []func(*rand.Rand) uint64{plain64, marker64}[class](rng)
}

// TestTimingPoly compares the times for words that need a second POLY step and for
// words that do not, alone and as the NH values of messages.
func TestTimingPoly(t *testing.T) {
	var tests []timing.Test
	var key poly64Key
	key.set(0, mactest.Random(8, 32))
	var y64 uint64
	tests = append(tests, timing.Test{
		Name: "UMAC POLY-64 steps, words below or from the limit", Size: 16 * 8,
		Input: func(class int, input []byte, rng *rand.Rand) {
			for i := 0; i < len(input); i += 8 {
				binary.BigEndian.PutUint64(input[i:], word64(class, rng))
			}
		},
		Run: func(input []byte) {
			for i := 0; i < len(input); i += 8 {
				y64 = key.step(0, y64, binary.BigEndian.Uint64(input[i:]))
			}
		},
	})

	var key128 poly128Key
	key128.set(mactest.Random(16, 33))
	var y128 word128
	tests = append(tests, timing.Test{
		Name: "UMAC POLY-128 steps, words below or from the limit", Size: 16 * 16,
		Input: func(class int, input []byte, rng *rand.Rand) {
			for i := 0; i < len(input); i += 16 {
				binary.BigEndian.PutUint64(input[i:], word64(class, rng))
				binary.BigEndian.PutUint64(input[i+8:], rng.Uint64())
			}
		},
		Run: func(input []byte) {
			for i := 0; i < len(input); i += 16 {
				y128 = key128.step(y128, word128{binary.BigEndian.Uint64(input[i:]), binary.BigEndian.Uint64(input[i+8:])})
			}
		},
	})

	for _, streams := range []int{1, 2, 4} {
		u := newRandomUHASHKey(streams)
		var st polyState
		tests = append(tests, timing.Test{
			Name: fmt.Sprintf("UMAC-%d NH and POLY-64, the first stream's values below or from the limit", 32*streams),
			Size: 4 * ChunkSize,
			Input: func(class int, input []byte, rng *rand.Rand) {
				for i := 0; i < len(input); i += ChunkSize {
					copy(input[i:], chunkOf(&u.nh, 0, rng.IntN(32), word64(class, rng)))
				}
			},
			Run: func(input []byte) {
				st = newPolyState
				nhPoly(&st, u, input)
			},
		})
	}
	timing.Run(t, tests, "umac")
}

// TestTimingReduce compares the times to reduce sums below and above the primes.
func TestTimingReduce(t *testing.T) {
	sum := uint64(0)
	near := func(prime uint64) func(class int, input []byte, rng *rand.Rand) {
		return func(class int, input []byte, rng *rand.Rand) {
			for i := 0; i < len(input); i += 8 {
				below := uint64(1 + rng.IntN(58))
				binary.BigEndian.PutUint64(input[i:], prime-below+below*2*uint64(class))
			}
		}
	}
	timing.Run(t, []timing.Test{{
		Name: "UMAC reduction of POLY-64, below or above the prime", Size: 16 * 8, Input: near(prime64),
		Run: func(input []byte) {
			for i := 0; i < len(input); i += 8 {
				sum += reduce64(binary.BigEndian.Uint64(input[i:]))
			}
		},
	}, {
		Name: "UMAC reduction of POLY-128, below or above the prime", Size: 16 * 8,
		Input: func(class int, input []byte, rng *rand.Rand) {
			near(math.MaxUint64-offset128+1)(class, input, rng)
		},
		Run: func(input []byte) {
			for i := 0; i < len(input); i += 8 {
				v := reduce128(word128{math.MaxUint64, binary.BigEndian.Uint64(input[i:])})
				sum += v.hi ^ v.lo
			}
		},
	}, {
		Name: "UMAC reduction of L3, below or above the prime", Size: 16 * 8, Input: near(prime36),
		Run: func(input []byte) {
			for i := 0; i < len(input); i += 8 {
				sum += reduce36(binary.BigEndian.Uint64(input[i:]))
			}
		},
	}}, "umac")
}

// TestKDFWiped checks that key derivation leaves no derived key on the stack.
func TestKDFWiped(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		var derivation kdf
		if err := derivation.set(rfcKey); err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, 100)
		secret := bytes.Clone(derivation.derive(dst, 3))
		mactest.StackWiped(t, "derive", func() { derivation.derive(dst, 3) }, secret)

		padKey := bytes.Clone(derivation.derive(dst[:len(rfcKey)], 0))
		hashKeys := bytes.Clone(derivation.derive(dst[:64], 3))
		mactest.StackWiped(t, "NewKey", func() {
			if _, err := NewKey(rfcKey, 16); err != nil {
				t.Error(err)
			}
		}, padKey, hashKeys)
	})
}
