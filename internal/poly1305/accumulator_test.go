// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/bounds"
)

// extremes contains limb values at which carries are likely to go wrong.
var extremes = []uint64{0, 1, 5, 1<<26 - 1, 1 << 26, 1<<44 - 1, 1 << 44, 1<<52 - 1, 1 << 52, 1<<63 - 1, 1 << 63,
	math.MaxUint64 - 5, math.MaxUint64 - 4, math.MaxUint64 - 1, math.MaxUint64}

// TestAccumulators checks Blocks with initial accumulators that messages rarely
// produce.
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
						for _, h2 := range []uint64{7, 0, 3, 4} { // the largest first, because short mode tries only one
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

// A blocksCase contains an initial state, blocks, and the expected accumulator.
type blocksCase struct {
	State
	msg  []byte
	want *big.Int
}

// checkBlocks checks the results of every implementation.
func checkBlocks(t *testing.T, cases []blocksCase) {
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		for _, c := range cases {
			got := c.State
			got.Blocks(nil, c.msg)
			if got.h[2] > 4 || got.r != c.r {
				t.Fatalf("state %x, %d bytes: invalid state %x", c.State, len(c.msg), got)
			}
			if h := refState(&got); h.Mod(h, refPrime).Cmp(c.want) != 0 {
				t.Fatalf("state %x, %d bytes: accumulator %x, want %x", c.State, len(c.msg), h, c.want)
			}
		}
	})
}

// TestCarries checks carries through both words when bits above 2^130 are folded down,
// which have a probability of at most 2^-62 for random messages. With r = 1, blocks are
// only added, so the words become all ones or slightly less.
func TestCarries(t *testing.T) {
	ones := bytes.Repeat([]byte{0xff}, 16)
	var cases []blocksCase
	add := func(msg []byte) {
		cases = append(cases, blocksCase{State{r: [2]uint64{1, 0}}, bytes.Clone(msg), refBlocks(new(big.Int), big.NewInt(1), msg)})
	}
	for _, n := range []int{1, 2, 3, 4, 8, 9, 32, 33, 48, 49, 50, 51, 52} {
		// Full blocks make folded lanes large again.
		for full := range min(n, 8) {
			msg := append(make([]byte, 16*(n-full)), bytes.Repeat(ones, full)...)
			// Compensate for 5 times the bits that each lane has folded. The fold
			// carries for five consecutive values, so steps of 3 find one.
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

// TestTag checks the final reduction of accumulators that messages rarely produce:
// numbers around 2^130 - 5, numbers for which only one of the two carries of h + 5
// occurs, and upper words of up to 4.
func TestTag(t *testing.T) {
	pads := [][TagSize]byte{{}, [TagSize]byte(bytes.Repeat([]byte{0xff}, TagSize)), [TagSize]byte(mactest.Random(TagSize, 3))}
	check := func(h [3]uint64, rest []byte) {
		s := State{h: h, r: [2]uint64{1, 0}}
		reduced := refBlocks(refState(&s), big.NewInt(1), rest)
		for _, pad := range pads {
			sum := new(big.Int).Add(reduced, refInt(pad[:]))
			want := sum.FillBytes(make([]byte, TagSize+1))[1:]
			slices.Reverse(want)
			var tag [TagSize]byte
			if s.Tag(&tag, rest, &pad); !bytes.Equal(tag[:], want) {
				t.Fatalf("accumulator %x, then %x, pad %x: tag %x, want %x", h, rest, pad, tag, want)
			}
		}
	}
	words := append([]uint64{0x0123456789abcdef, math.MaxUint64 - 2, math.MaxUint64 - 3}, extremes...)
	for _, h0 := range words {
		for _, h1 := range words {
			for h2 := range uint64(5) {
				check([3]uint64{h0, h1, h2}, nil)
				check([3]uint64{h0, h1, h2}, []byte{0xfe})
			}
		}
	}
}

// TestSumReduction checks the final reduction of every implementation. With r = 1, the
// messages add up to accumulators around 2^130 - 5.
func TestSumReduction(t *testing.T) {
	key := [KeySize]byte{0: 1, 16: 0xf0, 31: 0xff}
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		for _, blocks := range []int{3, 3 + 4, 3 + 16, 3 + 32, 3 + 64, 3 + 128} { // with the initial 3 blocks, each group of 4 blocks adds 4·2^128 = 2^130, which folds to 5
			for h0 := uint64(math.MaxUint64 - 9); h0 != 0; h0++ {
				for _, h1 := range []uint64{0, 1, 0x0123456789abcdef, math.MaxUint64 - 1, math.MaxUint64} {
					msg := make([]byte, 16*blocks)
					binary.LittleEndian.PutUint64(msg, h0-5*uint64(blocks/4))
					binary.LittleEndian.PutUint64(msg[8:], h1)
					var tag [TagSize]byte
					if Sum(&tag, msg, &key); !bytes.Equal(tag[:], refTag(msg, key[:])) {
						t.Fatalf("%d blocks with sum h0 = %#x, h1 = %#x: tag %x, want %x", blocks, h0, h1, tag, refTag(msg, key[:]))
					}
				}
			}
		}
	})
}

// TestMultiply compares multiply with math/big for operands up to the bounds stated in
// its comment.
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

// addWords adds two numbers word by word. The last word receives the carry.
func addWords(log *bounds.Log, name string, a, b [3]bounds.Int) [3]bounds.Int {
	low := a[0].Add(b[0])
	middle := a[1].Add(b[1]).Add(low.Shr(64))
	return [3]bounds.Int{low.Low(64), middle.Low(64), log.Fits(name, a[2].Add(b[2]).Add(middle.Shr(64)), 64)}
}

// multiplyModel models multiply. It sums the products in pairs of words and adds the
// bits of the upper word from 2^130 up at the bottom, times 5.
func multiplyModel(log *bounds.Log, h [3]bounds.Int, r [2]bounds.Int) [3]bounds.Int {
	q := log.Fits("q", r[1].Add(r[1].Shr(2)), 64)
	low := log.Fits("h0·r0 + h1·q", h[0].Mul(r[0]).Add(h[1].Mul(q)), 128)
	h2q := log.Fits("h2·q", h[2].Mul(q), 64)
	middle := log.Fits("h0·r1 + h1·r0 + h2·q", h[0].Mul(r[1]).Add(h[1].Mul(r[0])).Add(h2q), 128)
	second := middle.Low(64).Add(low.Shr(64))
	top := log.Fits("h2·r0 + carries", h[2].Mul(r[0]).Add(middle.Shr(64)).Add(second.Shr(64)), 64)
	five := log.Fits("5·(h above 2^130)", top.Shr(2).Times(5), 64)
	return addWords(log, "h2", [3]bounds.Int{low.Low(64), second.Low(64), top.Low(2)}, [3]bounds.Int{five, bounds.New(0, 0), bounds.New(0, 0)})
}

// genericModel models blocksGeneric for accumulators with an upper word of at most
// mostH2 and an r with words of at most mostR.
func genericModel(log *bounds.Log, s *State, msg []byte, mostH2 uint64, mostR [2]uint64) [3]bounds.Int {
	h := [3]bounds.Int{bounds.Word(s.h[0]), bounds.Word(s.h[1]), bounds.New(s.h[2], mostH2)}
	r := [2]bounds.Int{bounds.New(s.r[0], mostR[0]), bounds.New(s.r[1], mostR[1])}
	for ; len(msg) > 0; msg = msg[BlockSize:] {
		block := [3]bounds.Int{bounds.Word(binary.LittleEndian.Uint64(msg)), bounds.Word(binary.LittleEndian.Uint64(msg[8:])), bounds.New(1, 1)}
		h = multiplyModel(log, addWords(log, "h2 + block", h, block), r)
	}
	return h
}

// TestGenericBounds checks that blocksGeneric does not overflow for any message,
// accumulator and r. It compares the results of the model and the code to ensure that
// both perform the same steps.
func TestGenericBounds(t *testing.T) {
	largest := [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}
	rng := rand.New(rand.NewPCG(9, 1))
	var log bounds.Log
	for i := range 48 {
		s := State{h: [3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64N(8)}, r: [2]uint64{rng.Uint64() & largest[0], rng.Uint64() & largest[1]}}
		msg := mactest.Random((1+i/12)*BlockSize, uint64(i))
		if i%3 > 0 {
			msg, s.r = bytes.Repeat([]byte{0xff}, len(msg)), largest
		}
		if i%2 > 0 {
			s.h = [3]uint64{math.MaxUint64, math.MaxUint64, 7}
		}
		h := genericModel(&log, &s, msg, 7, largest)
		if h[2].Bound.Uint64() > 4 {
			t.Fatalf("the bound of h2 is %d, want at most 4", h[2].Bound)
		}
		from := s
		if blocksGeneric(&s, msg); s.h != [3]uint64{h[0].Value.Uint64(), h[1].Value.Uint64(), h[2].Value.Uint64()} {
			t.Fatalf("blocksGeneric of %x and %x = %x, but the model returned %v", from, msg, s.h, h)
		}
	}
	log.Check(t, map[string]float64{
		"h2 + block": 3.33, "q": 60.33, "h0·r0 + h1·q": 125.17, "h0·r1 + h1·r0 + h2·q": 125.00,
		"h2·q": 63.50, "h2·r0 + carries": 63.46, "5·(h above 2^130)": 63.79, "h2": 2.33,
	})
	for mostH2, mostR := range map[uint64][2]uint64{15: largest, 7: {1<<61 - 1, 1<<61 - 1}} { // each one bit larger
		var log bounds.Log
		if genericModel(&log, &State{}, make([]byte, 3*BlockSize), mostH2, mostR); log.Err == nil {
			t.Errorf("the model reports no overflow for h2 up to %d and r up to %#x", mostH2, mostR)
		}
	}
}
