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

// TestPowers compares the powers of r with math/big.
func TestPowers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	largest := [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}
	for i := range 3000 {
		r := [2]uint64{rng.Uint64() & largest[0], rng.Uint64() & largest[1]}
		switch i {
		case 0:
			r = largest
		case 1:
			r = [2]uint64{}
		case 2:
			r = [2]uint64{2, 0}
		}
		var all IFMA
		squares := 1 + i%2
		all.SetPowers(&r, squares)
		base := refState(&State{h: [3]uint64{r[0], r[1]}})
		for j, power := range [11]int64{8, 4, 7, 3, 6, 2, 5, 1, 16, 16 << squares, 24} {
			var s State
			for i := range s.h {
				s.h[i] = append(all.powers[i][:], all.morePowers[i][:]...)[j]
			}
			want := new(big.Int).Exp(base, big.NewInt(power), refPrime)
			if got := refState(&s); s.h[2] > 4 || got.Mod(got, refPrime).Cmp(want) != 0 {
				t.Fatalf("r = %x: power %d = %x, want %x", r, power, s.h, want)
			}
		}
	}
}

// powersAVX2 contains the indices in a powerList of the powers 4, 2, 3, 1 and 8, in the
// lane order of blocksAVX2's table.
var powersAVX2 = [5]int{1, 5, 3, 7, 0}

// TestTableAVX2 compares the table of blocksAVX2 with the powers of r.
func TestTableAVX2(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for i := range 1000 {
		r := [2]uint64{rng.Uint64() & 0x0ffffffc0fffffff, rng.Uint64() & 0x0ffffffc0ffffffc}
		if i == 0 {
			r = [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}
		}
		var table Table
		table.setAVX2(&r)
		for lane, power := range [5]int64{4, 2, 3, 1, 8} {
			got := new(big.Int)
			for j := range 5 {
				got.Add(got, new(big.Int).Lsh(new(big.Int).SetUint64(table[5*j+lane]), uint(26*j)))
			}
			want := new(big.Int).Exp(refState(&State{h: [3]uint64{r[0], r[1]}}), big.NewInt(power), refPrime)
			if got.Mod(got, refPrime).Cmp(want) != 0 {
				t.Fatalf("r = %x: lane %d contains %x, want %x", r, lane, got, want)
			}
		}
	}
}

// TestFill checks the properties of the table that the proof of blocksAVX2 assumes: for
// all powers, the limbs represent the power and are within their bounds.
func TestFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	limits := [5]uint64{1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 5<<24 - 1}
	var reached [5]bool
	for round := range 1000 {
		var list powerList
		for i := range 9 {
			list[0][i], list[1][i], list[2][i] = rng.Uint64(), rng.Uint64(), uint64(rng.IntN(5))
			if round == 0 {
				list[0][i], list[1][i], list[2][i] = math.MaxUint64, math.MaxUint64, 4
			}
		}
		var table Table
		for lane, i := range powersAVX2 {
			table.setLane(lane, list[0][i], list[1][i], list[2][i])
		}
		for lane, i := range powersAVX2 {
			want := refState(&State{h: [3]uint64{list[0][i], list[1][i], list[2][i]}})
			got := new(big.Int)
			for j := range limits {
				limb := table[5*j+lane]
				if limb > limits[j] || j > 0 && table[5*(j+4)+lane] != 5*limb {
					t.Fatalf("limb %d of %x is %#x with multiple %#x, want at most %#x with 5 times the limb", j, want, limb, table[5*(j+4)+lane], limits[j])
				}
				reached[j] = reached[j] || limb == limits[j]
				got.Add(got, new(big.Int).Lsh(new(big.Int).SetUint64(limb), uint(26*j)))
			}
			if got.Cmp(want) != 0 {
				t.Fatalf("the limbs represent %x, want %x", got, want)
			}
		}
	}
	if reached != [5]bool{true, true, true, true, true} {
		t.Errorf("limbs that reached their bounds: %v, want all", reached)
	}
}

// TestVectorBounds checks the vector kernels with inputs that bring each sum as close
// as possible to overflowing. Numbers as large as any power may be replace the powers
// of r. They need not be powers of the same number, because the results are compared
// with a model that computes lane by lane.
func TestVectorBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	words := append([]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64}, extremes...)
	pick := func() uint64 {
		if rng.IntN(4) == 0 {
			return rng.Uint64()
		}
		return words[rng.IntN(len(words))]
	}
	for _, kernel := range []struct {
		name  string
		level cpu.Level
		lanes int
		// order contains, for each lane, the index of its power in the list.
		order []int
		// step and double are the indices of the powers for one step and for two steps.
		step, double int
	}{
		{"avx512ifma", cpu.AVX512IFMA, 8, []int{0, 2, 4, 6, 1, 3, 5, 7}, 0, 8},
		{"avx2", cpu.AVX2, 4, []int{1, 3, 5, 7}, 1, 0},
	} {
		t.Run(kernel.name, func(t *testing.T) {
			if !dispatch.Available("poly1305", kernel.name) {
				t.Skipf("this machine cannot run %s", kernel.name)
			}
			for round := range 3000 {
				var list powerList
				for i := range 9 {
					list[0][i], list[1][i], list[2][i] = pick(), pick(), 4-uint64(rng.IntN(round%6+1)%5)
				}
				s := State{h: [3]uint64{pick(), pick(), uint64(rng.IntN(8))}}
				if round == 0 {
					s.h = [3]uint64{math.MaxUint64, math.MaxUint64, 7}
					for i := range 9 {
						list[0][i], list[1][i], list[2][i] = math.MaxUint64, math.MaxUint64, 4
					}
				}
				n := kernel.lanes * (1 + rng.IntN(6))
				msg := bytes.Repeat([]byte{0xff}, 16*n)
				if round%3 > 0 {
					for i := range msg {
						msg[i] = byte(pick())
					}
				}

				power := func(i int) *big.Int {
					return refState(&State{h: [3]uint64{list[0][i], list[1][i], list[2][i]}})
				}
				block := func(i int) *big.Int {
					return refInt(append(bytes.Clone(msg[16*i:16*i+16]), 1))
				}
				want := new(big.Int)
				for lane, place := range kernel.order {
					h := block(lane)
					if lane == 0 {
						h.Add(h, refState(&s))
					}
					i := lane + kernel.lanes
					if (n/kernel.lanes)%2 == 0 {
						h.Mul(h, power(kernel.step)).Add(h, block(i))
						i += kernel.lanes
					}
					for ; i < n; i += 2 * kernel.lanes {
						h.Mul(h, power(kernel.double))
						h.Add(h, new(big.Int).Mul(block(i), power(kernel.step)))
						h.Add(h, block(i+kernel.lanes))
					}
					want.Add(want, h.Mul(h, power(place)))
				}
				want.Mod(want, refPrime)

				var t0 Table
				before := s
				if kernel.level == cpu.AVX512IFMA {
					tableAVX512IFMA(&t0[0], &list[0][0])
					blocksAVX512IFMA(&s, &t0[0], unsafe.SliceData(msg), n)
				} else {
					for lane, i := range powersAVX2 {
						t0.setLane(lane, list[0][i], list[1][i], list[2][i])
					}
					blocksAVX2(&s, &t0[0], unsafe.SliceData(msg), n)
				}
				if got := refState(&s); s.h[2] > 4 || got.Mod(got, refPrime).Cmp(want) != 0 {
					t.Fatalf("round %d, %d blocks, h = %x, powers %x: accumulator %x, want %x", round, n, before.h, list, s.h, want)
				}
			}
		})
	}
}

// TestKeep checks that a MAC keeps a table only after enough data to justify computing
// it, and computes it once.
func TestKeep(t *testing.T) {
	for _, kernel := range []struct {
		name  string
		level cpu.Level
	}{{"avx512ifma", cpu.AVX512IFMA}, {"avx2", cpu.AVX2}} {
		t.Run(kernel.name, func(t *testing.T) {
			t.Cleanup(func() { dispatch.Reset("poly1305") })
			if !dispatch.Select("poly1305", kernel.name) {
				t.Skipf("this machine cannot run %s", kernel.name)
			}
			withoutTable, withTable := oncePaths.Thresholds(&choice).First(kernel.level), keptPaths.Thresholds(&choice).First(kernel.level)
			type mac struct {
				State
				KeptTable
			}
			after := func(piece, times int) (m mac) {
				m.SetKey(&[KeySize]byte{1})
				for range times {
					m.Blocks(&m.KeptTable, make([]byte, piece))
				}
				return m
			}
			if m := after(withTable-BlockSize, 1000); m.table != nil {
				t.Errorf("computed a table for pieces of %d bytes, which cannot use it", withTable-BlockSize)
			}
			for _, piece := range []int{withTable, withoutTable, 100 * withoutTable} {
				step := min(piece, withoutTable)
				times := (keepFactor*withoutTable + step - 1) / step
				m := after(piece, times-1)
				if m.table != nil {
					t.Errorf("computed a table after %d pieces of %d bytes, too early", times-1, piece)
				}
				m.Blocks(&m.KeptTable, make([]byte, piece))
				kept := m.table
				if kept == nil || m.level != kernel.level {
					t.Fatalf("no table after %d pieces of %d bytes", times, piece)
				}
				before := *kept
				m.Reset()
				m.Blocks(&m.KeptTable, make([]byte, piece))
				c := m
				c.Blocks(&c.KeptTable, make([]byte, piece))
				if m.table != kept || c.table != kept || *kept != before {
					t.Error("Reset, Blocks or a copy changed the table")
				}
			}
		})
	}
}

// TestMaxCall checks the maximum number of bytes that are passed to the assembly per
// call.
func TestMaxCall(t *testing.T) {
	key := [KeySize]byte(mactest.Random(KeySize, 7))
	var s State
	s.SetKey(&key)
	mactest.MaxCall(t, "poly1305", 4*BlockSize, func(msg []byte) {
		level := oncePath.Choose(max(len(msg), minVector))
		if level < cpu.AVX2 {
			s.BlocksShort(msg)
			return
		}
		var tab Table
		tab.set(&s.r, level)
		tab.call(&s, level, msg)
	})
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		var tag [TagSize]byte
		Sum(&tag, make([]byte, 3*dispatch.MaxCall+100), &key)
	})
}

func TestKinds(t *testing.T) {
	src, key := mactest.Random(1<<16, 60), [KeySize]byte(mactest.Random(KeySize, 61))
	mactest.Kinds(t, "poly1305", []dispatch.Table[cpu.Level]{oncePaths, keptPaths}, func(n int) []byte {
		var tag [TagSize]byte
		Sum(&tag, src[:n], &key)
		return tag[:]
	})
}

// TestThresholds also checks that no list selects a vector kernel for fewer than
// minVector bytes, on which IsShort relies, and that a vector kernel which is selected
// without a table is selected with one, too.
func TestThresholds(t *testing.T) {
	mactest.Thresholds(t, "poly1305", mactest.Identity, oncePaths, keptPaths)
	for _, level := range []cpu.Level{cpu.AVX2, cpu.AVX512IFMA} {
		for _, kind := range append(cpu.Kinds(), cpu.Forced) {
			c := &dispatch.Choice{Level: level, Kind: kind}
			once, kept := oncePaths.Thresholds(c).First(level), keptPaths.Thresholds(c).First(level)
			if kept < minVector || once < kept || once%BlockSize+kept%BlockSize != 0 {
				t.Errorf("%s, %s: vector kernel from %d bytes without a table and from %d bytes with one", level, kind, once, kept)
			}
		}
	}
}
