// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// extremes are values of a limb around which carries go wrong.
var extremes = []uint64{0, 1, 5, 1<<26 - 1, 1 << 26, 1<<44 - 1, 1 << 44, 1<<52 - 1, 1 << 52, 1<<63 - 1, 1 << 63,
	math.MaxUint64 - 5, math.MaxUint64 - 4, math.MaxUint64 - 1, math.MaxUint64}

// TestAccumulators starts from accumulators that no message reaches easily.
func TestAccumulators(t *testing.T) {
	rs := [][2]uint64{
		{0, 0}, {1, 0}, {2, 0}, {0, 4}, {5, 4},
		{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}, {0x0ffffffc0fffffff, 0}, {0, 0x0ffffffc0ffffffc},
		{0x0123456789abcdef & 0x0ffffffc0fffffff, 0x0fedcba987654321 & 0x0ffffffc0ffffffc},
	}
	lengths, random := []int{16, 32, 48, 256, 512, 528, 1024, 2048 + 16}, 2000
	if testing.Short() {
		lengths, random = []int{16, 48, 256, 512, 528 + 1024}, 300
	}
	var cases []blocksCase
	add := func(s State, msg []byte) {
		r := new(big.Int).SetUint64(s.r[1])
		r.Lsh(r, 64).Add(r, new(big.Int).SetUint64(s.r[0]))
		cases = append(cases, blocksCase{s, msg, refBlocks(refState(&s), r, msg)})
	}
	for _, fill := range []byte{0, 0xff, 0x80} {
		for _, n := range lengths {
			msg := bytes.Repeat([]byte{fill}, n)
			for _, r := range rs {
				for _, h0 := range extremes {
					for _, h1 := range extremes[len(extremes)-3:] {
						for _, h2 := range []uint64{7, 0, 3, 4} { // the most first: a short run has no other
							add(State{h: [3]uint64{h0, h1, h2}, r: r}, msg)
							add(State{h: [3]uint64{h1, h0, h2}, r: r}, msg)
							if testing.Short() {
								break
							}
						}
					}
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range random {
		s := State{h: [3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64N(8)},
			r: [2]uint64{rng.Uint64() & rs[5][0], rng.Uint64() & rs[5][1]}}
		add(s, mactest.Random(16*(1+rng.IntN(130)), rng.Uint64()))
	}
	checkBlocks(t, cases)
}

// A blocksCase is a state before, blocks, and the accumulator afterwards.
type blocksCase struct {
	State
	msg  []byte
	want *big.Int
}

// checkBlocks compares every implementation with what was computed once.
func checkBlocks(t *testing.T, cases []blocksCase) {
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		for _, c := range cases {
			got := c.State
			got.Blocks(nil, c.msg)
			if got.h[2] > 4 || got.r != c.r {
				t.Fatalf("state %x, %d bytes: left in %x", c.State, len(c.msg), got)
			}
			if h := refState(&got); h.Mod(h, refPrime).Cmp(c.want) != 0 {
				t.Fatalf("state %x, %d bytes: %x, want %x", c.State, len(c.msg), h, c.want)
			}
		}
	})
}

// TestCarries multiplies by 1, so that blocks add up, and to numbers whose words are
// all ones or some less: what is folded down from above 2^130 carries through both of
// them at last, which has a probability of 2^-62 and less otherwise.
func TestCarries(t *testing.T) {
	ones := bytes.Repeat([]byte{0xff}, 16)
	var cases []blocksCase
	add := func(msg []byte) {
		cases = append(cases, blocksCase{State{r: [2]uint64{1, 0}}, bytes.Clone(msg), refBlocks(new(big.Int), big.NewInt(1), msg)})
	}
	for _, n := range []int{1, 2, 3, 4, 8, 9, 32, 33, 48, 49, 50, 51, 52} {
		// Lanes that were folded become large again by full blocks.
		for full := range min(n, 8) {
			msg := append(make([]byte, 16*(n-full)), bytes.Repeat(ones, full)...)
			// What a lane folded, 5 times, is to be made up for; the fold tested has
			// a carry for 5 of them in a row.
			for less := byte(0); less < 90; less += 3 {
				copy(msg, ones)
				msg[0] -= less
				add(msg)
				clear(msg[8:16])
				add(msg)
			}
		}
	}
	checkBlocks(t, cases)
}

// TestMultiply takes multiply to the bounds in its comment.
func TestMultiply(t *testing.T) {
	values := append([]uint64{0x0123456789abcdef}, extremes...)
	for _, h0 := range values {
		for _, h1 := range values {
			for h2 := range uint64(10) {
				for _, r := range [][2]uint64{{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}, {1<<60 - 1, 1<<60 - 4}, {1, 4}} {
					var got State
					got.h[0], got.h[1], got.h[2] = multiply(h0, h1, h2, r[0], r[1])
					want := refState(&State{h: [3]uint64{h0, h1, h2}})
					want.Mul(want, refState(&State{h: [3]uint64{r[0], r[1], 0}})).Mod(want, refPrime)
					if h := refState(&got); got.h[2] > 4 || h.Mod(h, refPrime).Cmp(want) != 0 {
						t.Fatalf("(%x, %x, %x) · %x = %x, want %x", h0, h1, h2, r, got.h, want)
					}
				}
			}
		}
	}
}
