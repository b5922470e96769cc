// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// TestVectorBounds checks the kernel with inputs that bring each sum as close as
// possible to overflowing. Numbers as large as any power may be replace the powers of
// r. They need not be powers of the same number, because the results are compared with
// a model that computes lane by lane.
func TestVectorBounds(t *testing.T) {
	if !dispatch.Available("poly1305", "neon") {
		t.Skip("this machine cannot run neon")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	words := append([]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64}, extremes...)
	pick := func() uint64 {
		if rng.IntN(4) == 0 {
			return rng.Uint64()
		}
		return words[rng.IntN(len(words))]
	}
	for round := range 1000 {
		// The numbers that replace r^2, r^4, r^6 and r^8, followed by those that
		// replace the lanes' powers.
		var numbers [6][3]uint64
		for i := range numbers {
			numbers[i] = [3]uint64{pick(), pick(), 4 - uint64(rng.IntN(round%6+1)%5)}
			if round == 0 {
				numbers[i] = [3]uint64{math.MaxUint64, math.MaxUint64, 4}
			}
		}
		s := State{h: [3]uint64{pick(), pick(), uint64(rng.IntN(8))}}
		if round == 0 {
			s.h = [3]uint64{math.MaxUint64, math.MaxUint64, 7}
		}
		n := 2 * (1 + rng.IntN(12))
		msg := bytes.Repeat([]byte{0xff}, 16*n)
		if round%3 > 0 {
			for i := range msg {
				msg[i] = byte(pick())
			}
		}

		times := func(x *big.Int, i int) *big.Int { return new(big.Int).Mul(x, refState(&State{h: numbers[i]})) }
		block := func(i int) *big.Int { return refInt(append(bytes.Clone(msg[16*i:16*i+16]), 1)) }
		want := new(big.Int)
		for lane := range 2 {
			h := block(lane)
			if lane == 0 {
				h.Add(h, refState(&s))
			}
			i := lane + 2
			for ; (n-i+lane)%8 != 0; i += 2 {
				h = times(h, 0)
				h.Add(h, block(i))
			}
			for ; i < n; i += 8 {
				h = times(h, 3)
				h.Add(h, times(block(i), 2)).Add(h, times(block(i+2), 1)).Add(h, times(block(i+4), 0))
				h.Add(h, block(i+6))
			}
			want.Add(want, times(h, 4+lane))
		}
		want.Mod(want, refPrime)

		var t0 Table
		for i, x := range numbers {
			m := multipliers(x[0], x[1], x[2])
			for entry, limb := range m {
				if i < 4 {
					t0[9*i+entry] = limb
				} else {
					t0[36+2*entry+i-4] = limb
				}
			}
		}
		before := s
		blocksNEON(&s, &t0[0], unsafe.SliceData(msg), n)
		if got := refState(&s); s.h[2] > 4 || got.Mod(got, refPrime).Cmp(want) != 0 {
			t.Fatalf("round %d, %d blocks, h = %x, powers %x: accumulator %x, want %x", round, n, before.h, numbers, s.h, want)
		}
	}
}

// TestMaxCall checks the maximum number of bytes that are passed to the assembly per
// call.
func TestMaxCall(t *testing.T) {
	key := [KeySize]byte(mactest.Random(KeySize, 7))
	var s State
	s.SetKey(&key)
	mactest.MaxCall(t, "poly1305", 4*BlockSize, func(msg []byte) {
		var tab Table
		tab.set(&s.r, cpu.NEON)
		tab.call(&s, cpu.NEON, msg)
	})
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		var tag [TagSize]byte
		Sum(&tag, make([]byte, 3*dispatch.MaxCall+100), &key)
	})
}
