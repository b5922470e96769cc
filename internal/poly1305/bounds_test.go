// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/bounds"
)

// addWords adds two bounds.Ints, word by word; the last word takes the carry.
func addWords(log *bounds.Log, name string, a, b [3]bounds.Int) [3]bounds.Int {
	low := a[0].Add(b[0])
	middle := a[1].Add(b[1]).Add(low.Shr(64))
	return [3]bounds.Int{low.Low(64), middle.Low(64), log.Fits(name, a[2].Add(b[2]).Add(middle.Shr(64)), 64)}
}

// multiplyModel is multiply. The products are summed in pairs of words, and what the upper
// word has from 2^130 up comes back at the bottom, 5 times.
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

// genericModel is blocksGeneric, for an upper word of the accumulator of at most mostH2 and
// words of r of at most mostR.
func genericModel(log *bounds.Log, s *State, msg []byte, mostH2 uint64, mostR [2]uint64) [3]bounds.Int {
	h := [3]bounds.Int{bounds.Word(s.h[0]), bounds.Word(s.h[1]), bounds.New(s.h[2], mostH2)}
	r := [2]bounds.Int{bounds.New(s.r[0], mostR[0]), bounds.New(s.r[1], mostR[1])}
	for ; len(msg) > 0; msg = msg[BlockSize:] {
		block := [3]bounds.Int{bounds.Word(binary.LittleEndian.Uint64(msg)), bounds.Word(binary.LittleEndian.Uint64(msg[8:])), bounds.New(1, 1)}
		h = multiplyModel(log, addWords(log, "h2 + block", h, block), r)
	}
	return h
}

// TestGenericBounds shows that nothing overflows whatever the message, the accumulator and r
// are. That the model takes the steps of the code shows in its results, to the last bit.
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
		if h[2].Most.Uint64() > 4 {
			t.Fatalf("h2 may be %d, want at most 4", h[2].Most)
		}
		from := s
		if blocksGeneric(&s, msg); s.h != [3]uint64{h[0].Value.Uint64(), h[1].Value.Uint64(), h[2].Value.Uint64()} {
			t.Fatalf("%x and %x become %x, but the model makes %v", from, msg, s.h, h)
		}
	}
	log.Check(t, map[string]float64{
		"h2 + block": 3.33, "q": 60.33, "h0·r0 + h1·q": 125.17, "h0·r1 + h1·r0 + h2·q": 125.00,
		"h2·q": 63.50, "h2·r0 + carries": 63.46, "5·(h above 2^130)": 63.79, "h2": 2.33,
	})
	for mostH2, mostR := range map[uint64][2]uint64{15: largest, 7: {1<<61 - 1, 1<<61 - 1}} { // one larger by a bit
		var log bounds.Log
		if genericModel(&log, &State{}, make([]byte, 3*BlockSize), mostH2, mostR); log.Err == nil {
			t.Errorf("h2 of at most %d and r of %#x do not overflow", mostH2, mostR)
		}
	}
}
