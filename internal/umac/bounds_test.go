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

// The models below take the steps of POLY and L3 on numbers that know how large
// they may be, so they show that nothing overflows. NH has no bounds: its sums and
// products are meant modulo 2^32 and 2^64.

// mulAddModel is mulAdd64 and mulAdd128: x·y + z modulo 2^size - offset, less than
// fully reduced. The kernels for amd64 and arm64 take mulAdd64's steps.
func mulAddModel(log *bounds.Log, x, y, z bounds.Int, size uint, offset uint64) bounds.Int {
	of := bounds.Constant(offset)
	product := log.Fits("x·y", x.Mul(y), 2*size)
	back := product.Shr(size).Mul(of)
	sum := product.Low(size).Add(back).Add(z)
	top := log.Fits("above 2^size", sum.Shr(size), 64)
	sum = sum.Low(size).Add(log.Fits("offset·(above 2^size)", top.Mul(of), 64))
	carry := log.Fits("last carry", sum.Shr(size), 1)
	// The last addition goes to the lowest word only, and only after that carry.
	behind := log.Fits("after the last carry", sum.Past(size).Add(of), 64)
	if carry.Value().Sign() != 0 {
		return bounds.Wide(behind.Value(), size)
	}
	return bounds.Wide(sum.Value(), size)
}

// firstOverflow returns the number of bits of a multiplier from which one step
// overflows.
func firstOverflow(step func(log *bounds.Log, multiplier uint64)) int {
	for bits := 1; bits < 64; bits++ {
		var log bounds.Log
		if step(&log, 1<<bits-1); log.Err() != nil {
			return bits
		}
	}
	return 64
}

func TestPoly64Bounds(t *testing.T) {
	var log bounds.Log
	for _, x := range words64 {
		for _, y := range words64 {
			for _, z := range words64 {
				got := mulAddModel(&log, bounds.Word(x), bounds.Word(y), bounds.Word(z), 64, offset64)
				if want := mulAdd64(x, y, z); got.Uint64() != want {
					t.Fatalf("%#x·%#x + %#x: the model makes %#x, the code %#x", x, y, z, got.Uint64(), want)
				}
			}
		}
	}
	// 60, 60·59, and what is left of the latter with 59.
	log.Check(t, map[string]string{
		"above 2^size": "5.94", "offset·(above 2^size)": "11.79", "after the last carry": "11.82",
	})
	if got := firstOverflow(func(log *bounds.Log, offset uint64) {
		mulAddModel(log, bounds.Word(1), bounds.Word(1), bounds.Word(1), 64, offset)
	}); got != 33 {
		t.Errorf("an offset of %d bits overflows, want 33", got)
	}
	// What is taken from a word from the limit on is smaller.
	if most := uint64(mask64 + offset64); most >= limit64 {
		t.Errorf("offset + k may be %#x, above the limit %#x", most, uint64(limit64))
	}
}

func TestPoly128Bounds(t *testing.T) {
	var log bounds.Log
	var words []word128
	for i, hi := range words64 {
		words = append(words, word128{hi, words64[(7*i+3)%len(words64)]}, word128{hi, math.MaxUint64 - offset128 + uint64(i%3)})
	}
	wide := func(x word128) bounds.Int {
		n := new(big.Int).Lsh(new(big.Int).SetUint64(x.hi), 64)
		return bounds.Wide(n.Add(n, new(big.Int).SetUint64(x.lo)), 128)
	}
	for _, x := range words {
		for _, y := range words {
			for _, z := range []word128{x, y, {math.MaxUint64, math.MaxUint64}} {
				got := mulAddModel(&log, wide(x), wide(y), wide(z), 128, offset128)
				if want := mulAdd128(x, y, z); got.Value().Cmp(wide(want).Value()) != 0 {
					t.Fatalf("%x·%x + %x: the model makes %x, the code %x", x, y, z, got.Value(), want)
				}
			}
		}
	}
	// 160, 160·159, and what is left of the latter with 159.
	log.Check(t, map[string]string{
		"above 2^size": "7.34", "offset·(above 2^size)": "14.64", "after the last carry": "14.65",
	})
	// The lower word of k and the offset make no carry, and what is taken from a
	// word from the limit on is smaller.
	if uint64(mask64) > math.MaxUint64-offset128 || mask64 >= limit128 {
		t.Error("offset + k carries, or may be above the limit")
	}
}

// l3Model is L3 for all eight words: their inner product with k, reduced.
func l3Model(log *bounds.Log, k *[8]uint64, mostK uint64, v word128) uint64 {
	sum := bounds.Constant(0)
	for i, k := range k {
		word := v.hi >> (48 - 16*(i%4)) & 0xffff
		if i >= 4 {
			word = v.lo >> (48 - 16*(i%4)) & 0xffff
		}
		sum = log.Fits("inner product", sum.Add(bounds.New(word, 0xffff).Mul(bounds.New(k, mostK))), 64)
	}
	return reduce36Model(log, sum)
}

// reduce36Model is reduce36.
func reduce36Model(log *bounds.Log, x bounds.Int) uint64 {
	x = log.Fits("folded", x.Low(36).Add(x.Shr(36).Mul(bounds.Constant(5))), 64)
	if x.Most().Cmp(big.NewInt(2*prime36)) >= 0 {
		panic("one subtraction is not enough")
	}
	if v := x.Uint64(); v >= prime36 {
		return v - prime36
	}
	return x.Uint64()
}

func TestL3Bounds(t *testing.T) {
	var log bounds.Log
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		var bytes [64]byte
		v := word128{rng.Uint64(), rng.Uint64()}
		for i := range 8 {
			x := words64[rng.IntN(len(words64))]
			switch {
			case round == 0:
				x, v = prime36-1, word128{math.MaxUint64, math.MaxUint64}
			case round%2 == 0:
				x = rng.Uint64()
			}
			binary.BigEndian.PutUint64(bytes[8*i:], x)
		}
		var k l3Key
		k.setK1(bytes[:])
		for i, got := range k.k1 {
			x := binary.BigEndian.Uint64(bytes[8*i:])
			if got != x%prime36 || got != reduce36Model(&log, bounds.Word(x)) {
				t.Fatalf("%#x modulo p = %#x, want %#x", x, got, x%prime36)
			}
		}
		if got, want := k.long(v), uint32(l3Model(&log, &k.k1, prime36-1, v)); got != want {
			t.Fatalf("L3 of %x under %x = %#x, but the model makes %#x", v, k.k1, got, want)
		}
	}
	log.Check(t, map[string]string{"inner product": "55.00", "folded": "36.03"})
	if got := firstOverflow(func(log *bounds.Log, mostK uint64) { l3Model(log, new([8]uint64), mostK, word128{}) }); got != 46 {
		t.Errorf("a key of %d bits overflows, want 46", got)
	}
}
