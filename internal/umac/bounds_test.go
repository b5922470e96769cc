// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest/bounds"
)

// mulAddModel models mulAdd64 and mulAdd128, which compute x·y + z modulo 2^size -
// offset, not fully reduced. NH needs no bounds, because its sums and products are
// defined modulo 2^32 and 2^64.
func mulAddModel(log *bounds.Log, x, y, z bounds.Int, size uint, offset uint64) *big.Int {
	product := log.Fits("x·y", x.Mul(y), 2*size)
	sum := product.Low(size).Add(product.Shr(size).Times(offset)).Add(z)
	top := log.Fits("above 2^size", sum.Shr(size), 64)
	sum = sum.Low(size).Add(log.Fits("offset·(above 2^size)", top.Times(offset), 64))
	carry := log.Fits("last carry", sum.Shr(size), 1)
	if carry.Value.Sign() == 0 {
		return sum.Value
	}
	// The last addition affects only the lowest word, and only if the previous addition
	// carried. In this case the sum is smaller than the addend.
	log.Fits("after the last carry", bounds.Int{Value: sum.Low(size).Value, Bound: top.Times(offset).Bound}.Add(bounds.New(offset, offset)), 64)
	return new(big.Int).Add(sum.Low(size).Value, new(big.Int).SetUint64(offset))
}

func wide(hi, lo uint64, bits uint) bounds.Int {
	n := new(big.Int).Lsh(new(big.Int).SetUint64(hi), 64)
	return bounds.Wide(n.Add(n, new(big.Int).SetUint64(lo)), bits)
}

// TestPoly64Bounds checks that POLY-64 steps do not overflow.
func TestPoly64Bounds(t *testing.T) {
	var log bounds.Log
	for _, x := range words64 {
		for _, y := range words64 {
			for _, z := range words64 {
				got := mulAddModel(&log, bounds.Word(x), bounds.Word(y), bounds.Word(z), 64, offset64)
				if want := mulAdd64(x, y, z); got.Uint64() != want {
					t.Fatalf("%#x·%#x + %#x: the model returned %#x, mulAdd64 %#x", x, y, z, got, want)
				}
			}
		}
	}
	log.Check(t, map[string]float64{ // 60, 60·59, and the largest sum after a carry plus 59
		"x·y": 128, "above 2^size": 5.94, "offset·(above 2^size)": 11.79, "last carry": 1, "after the last carry": 11.82,
	})
	var larger bounds.Log
	if mulAddModel(&larger, bounds.Word(1), bounds.Word(1), bounds.Word(1), 64, 1<<33-1); larger.Err == nil {
		t.Error("the model reports no overflow for a 33-bit offset")
	}
	if largest := uint64(mask64 + offset64); largest >= limit64 { // the largest value subtracted from a word that is at least the limit
		t.Errorf("offset + k may be %#x, want less than the limit %#x", largest, uint64(limit64))
	}
}

// TestPoly128Bounds checks that POLY-128 steps do not overflow.
func TestPoly128Bounds(t *testing.T) {
	var log bounds.Log
	var words []word128
	for i, hi := range words64 {
		words = append(words, word128{hi, words64[(7*i+3)%len(words64)]}, word128{hi, math.MaxUint64 - offset128 + uint64(i%3)})
	}
	for _, x := range words {
		for _, y := range words {
			for _, z := range []word128{x, y, {math.MaxUint64, math.MaxUint64}} {
				got := mulAddModel(&log, wide(x.hi, x.lo, 128), wide(y.hi, y.lo, 128), wide(z.hi, z.lo, 128), 128, offset128)
				if want := mulAdd128(x, y, z); got.Cmp(wide(want.hi, want.lo, 128).Value) != 0 {
					t.Fatalf("%x·%x + %x: the model returned %x, mulAdd128 %x", x, y, z, got, want)
				}
			}
		}
	}
	log.Check(t, map[string]float64{ // 160, 160·159, and the largest sum after a carry plus 159
		"x·y": 256, "above 2^size": 7.34, "offset·(above 2^size)": 14.64, "last carry": 1, "after the last carry": 14.65,
	})
	// Adding the offset to the lower word of k does not carry, and k is below the
	// limit.
	if uint64(mask64) > math.MaxUint64-offset128 || mask64 >= limit128 {
		t.Error("offset + k may carry or reach the limit")
	}
}

// reduce36Model models reduce36.
func reduce36Model(log *bounds.Log, x bounds.Int) uint64 {
	x = log.Fits("folded", x.Low(36).Add(x.Shr(36).Times(5)), 64)
	if x.Bound.Cmp(big.NewInt(2*prime36)) >= 0 {
		panic("one subtraction is not enough")
	}
	return x.Value.Uint64() % prime36
}

// TestL3Bounds checks that the L3 hash does not overflow.
func TestL3Bounds(t *testing.T) {
	var log bounds.Log
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		var bytes [64]byte
		v := word128{rng.Uint64(), rng.Uint64()}
		for i := range 8 {
			x := []uint64{rng.Uint64(), words64[rng.IntN(len(words64))]}[round%2]
			if round == 0 {
				x, v = prime36-1, word128{math.MaxUint64, math.MaxUint64}
			}
			binary.BigEndian.PutUint64(bytes[8*i:], x)
		}
		var k l3Key
		k.setK1(bytes[:])
		sum := bounds.New(0, 0)
		for i, got := range k.k1 {
			x := binary.BigEndian.Uint64(bytes[8*i:])
			if got != x%prime36 || got != reduce36Model(&log, bounds.Word(x)) {
				t.Fatalf("%#x modulo p = %#x, want %#x", x, got, x%prime36)
			}
			word := [2]uint64{v.hi, v.lo}[i/4] >> (48 - 16*(i%4)) & 0xffff
			sum = log.Fits("inner product", sum.Add(bounds.New(word, 0xffff).Mul(bounds.New(got, prime36-1))), 64)
		}
		if got, want := k.long(v), uint32(reduce36Model(&log, sum)); got != want {
			t.Fatalf("L3 of %x under %x = %#x, but the model returned %#x", v, k.k1, got, want)
		}
	}
	log.Check(t, map[string]float64{"inner product": 55, "folded": 36.03})
}
