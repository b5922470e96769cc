// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// withIFMA skips the test unless the machine supports AVX-512 IFMA.
func withIFMA(t *testing.T) {
	t.Helper()
	if !dispatch.Available("chacha20poly1305", "avx512ifma") {
		t.Skip("this machine cannot run avx512ifma")
	}
}

var prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))

// wordsOf returns the number whose 64-bit words, from the lowest, are words.
func wordsOf(words ...uint64) *big.Int {
	n := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(words[i]))
	}
	return n
}

// horner returns the Poly1305 accumulator after whole blocks, computed with math/big.
func horner(h, r *big.Int, blocks []byte) *big.Int {
	h = new(big.Int).Set(h)
	for ; len(blocks) > 0; blocks = blocks[16:] {
		block := wordsOf(binary.LittleEndian.Uint64(blocks), binary.LittleEndian.Uint64(blocks[8:]), 1)
		h.Mod(h.Mul(h.Add(h, block), r), prime)
	}
	return h
}

// extreme returns limit, which brings sums closest to overflow, in half of the calls,
// and otherwise 0 or a random combination of the bits of limit.
func extreme(rng *rand.Rand, limit uint64) uint64 {
	switch rng.IntN(4) {
	case 0:
		return rng.Uint64() & limit
	case 1:
		return 0
	}
	return limit
}

// TestStepsExtremes compares the Poly1305 part of the steps with math/big, for large
// accumulators, keys and blocks that ChaCha20 would rarely produce.
func TestStepsExtremes(t *testing.T) {
	withIFMA(t)
	t.Run("steps", func(t *testing.T) { testStepsExtremes(t, steps) })
	t.Run("halvedSteps", func(t *testing.T) { testStepsExtremes(t, halvedSteps) })
}

func testStepsExtremes(t *testing.T, p path) {
	rng := rand.New(rand.NewPCG(21, 22))
	const maxSteps = 5
	src, dst, text := mactest.Random(maxSteps*stepBytes, 23), make([]byte, maxSteps*stepBytes), make([]byte, maxSteps*stepBytes)
	for round := range 200 {
		s := new(ifmaState)
		s.begin(&testKey, &testNonce)
		s.h = [3]uint64{extreme(rng, math.MaxUint64), extreme(rng, math.MaxUint64), uint64(rng.IntN(5))}
		s.r = [2]uint64{extreme(rng, 0x0ffffffc0fffffff), extreme(rng, 0x0ffffffc0ffffffc)}
		for i := range text {
			text[i] = 0xff
			if round%3 == 1 {
				text[i] = byte(extreme(rng, 0xff))
			}
		}
		if round == 0 {
			s.h, s.r = [3]uint64{math.MaxUint64, math.MaxUint64, 4}, [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}
		}
		n := (1 + round%maxSteps) * stepBytes
		want := horner(wordsOf(s.h[:]...), wordsOf(s.r[:]...), text[:n])
		before := s.message
		s.prepare(p, 0, 1<<20)
		s.fillTable()
		s.steps(dst[:n], src[:n], text[:n])
		if got := wordsOf(s.h[:]...); s.h[2] > 4 || got.Mod(got, prime).Cmp(want) != 0 {
			t.Fatalf("round %d, %d bytes, h = %x, r = %x: got %x, want %x", round, n, before.h, before.r, s.h, want)
		}
		if s.counter != before.counter+uint64(n/64) {
			t.Fatalf("%d bytes: counter = %d, want %d", n, s.counter, before.counter+uint64(n/64))
		}
	}
}

// TestTagsExtremes compares the tags that lanes compute with math/big, for extreme keys
// and rows. Some sums reach p or carry when s is added.
func TestTagsExtremes(t *testing.T) {
	withIFMA(t)
	rng := rand.New(rand.NewPCG(24, 25))
	for round := range 300 {
		l := new(lanes)
		steps := 1 + rng.IntN(20)
		for i := range l.polyKey {
			for lane := range l.polyKey[i] {
				l.polyKey[i][lane] = uint32(extreme(rng, math.MaxUint32))
			}
		}
		var want [maxLanes][]byte
		for i := range maxLanes {
			skip := rng.IntN(steps)
			l.start[i>>1&1*8+i>>2*2+i&1] = uint64(skip)
			row := l.rows[i][rowEnd-16*(steps-skip) : rowEnd]
			for j := range row {
				row[j] = 0xff
				if round%3 == 1 {
					row[j] = byte(extreme(rng, 0xff))
				}
			}
			word := func(j int) uint64 { return uint64(l.polyKey[2*j][i]) | uint64(l.polyKey[2*j+1][i])<<32 }
			r := wordsOf(word(0)&0x0ffffffc0fffffff, word(1)&0x0ffffffc0ffffffc)
			tag := horner(new(big.Int), r, row)
			tag.Add(tag, wordsOf(word(2), word(3)))
			want[i] = make([]byte, TagSize+1)
			for j := range TagSize {
				want[i][j] = byte(new(big.Int).Rsh(tag, uint(8*j)).Uint64())
			}
		}
		tagLanesAVX512IFMA(l, &l.rows[0][rowEnd-16*steps], steps)
		for i := range maxLanes {
			if got := l.tag(i); !bytes.Equal(got[:], want[i][:TagSize]) {
				t.Fatalf("round %d, packet %d: tag %x, want %x", round, i, got, want[i][:TagSize])
			}
		}
		if l.table != [2][9][8]uint64{} || l.polyKey != [8][maxLanes]uint32{} {
			t.Fatal("the Poly1305 keys remain in memory")
		}
	}
}

// TestWiped checks that the pooled state is all zeros after each message.
func TestWiped(t *testing.T) {
	withIFMA(t)
	for _, n := range []int{300, 500, 600, 900, 1100, 1420, 1984, 2500, 5000, 9000} {
		dst, ad := make([]byte, n), make([]byte, 20)
		var tag [TagSize]byte
		cryptSteps(steps, &tag, dst, dst, ad, &testKey, &testNonce, false)
		for _, what := range []string{"Seal", "Open", "xorSteps"} {
			s := ifmaPool.Get().(*ifmaState)
			if *s != (ifmaState{}) {
				t.Errorf("%s of %d bytes: the pooled state is not all zeros", what, n)
			}
			ifmaPool.Put(s)
			if what == "Seal" {
				cryptSteps(steps, &tag, dst, dst, ad, &testKey, &testNonce, true)
			} else {
				xorSteps(dst, dst, &testKey, &testNonce)
			}
		}
	}
}

// TestSteps checks both step kernels with messages of whole steps, of other lengths,
// and of several kernel calls.
func TestSteps(t *testing.T) {
	withIFMA(t)
	t.Cleanup(func() { dispatch.Reset("chacha20poly1305") })
	const maxLen = 2*dispatch.MaxCall + 100
	src, dst := mactest.Random(maxLen, 26), make([]byte, maxLen)
	for _, kind := range []cpu.Kind{cpu.FullSlow, cpu.Halved} {
		dispatch.SelectFor("chacha20poly1305", "avx512ifma", kind)
		for n := firstBytes + stepBytes - 1; n < 5*stepBytes; n += 1 + n%97 {
			check(t, dst[:n], src[:n], src[:n%35])
		}
		check(t, dst, src, src[:5])
	}
}
