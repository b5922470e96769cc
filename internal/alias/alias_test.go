// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package alias

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOverlap(t *testing.T) {
	a, b := make([]byte, 16), make([]byte, 16)
	for _, tt := range []struct {
		name             string
		x, y             []byte
		overlap, inexact bool
	}{
		{"two arrays", a, b, false, false},
		{"the same", a, a, true, false},
		{"same start", a, a[:3], true, false},
		{"one byte on", a[:8], a[1:9], true, true},
		{"last byte", a[:8], a[7:], true, true},
		{"inside", a, a[5:6], true, true},
		{"neighbours", a[:8], a[8:], false, false},
		{"only in capacity", a[:4], a[6:8], false, false},
		{"empty", a[3:3], a, false, false},
		{"nil", nil, a, false, false},
	} {
		for _, p := range [][2][]byte{{tt.x, tt.y}, {tt.y, tt.x}} {
			if got := Overlap(p[0], p[1]); got != tt.overlap {
				t.Errorf("%s: Overlap = %v", tt.name, got)
			}
			if got := InexactOverlap(p[0], p[1]); got != tt.inexact {
				t.Errorf("%s: InexactOverlap = %v", tt.name, got)
			}
		}
	}
}

// overlapping implements Overlapping by comparing all pairs.
func overlapping(packets []Packet, more, tail int) bool {
	outs := make([][]byte, len(packets))
	for i, c := range packets {
		if n := len(c.Text) + more; n > 0 && n <= cap(c.Dst)-len(c.Dst) {
			outs[i] = c.Dst[len(c.Dst):][:n]
		}
	}
	for i, out := range outs {
		for j, c := range packets {
			switch {
			case i == j:
				if InexactOverlap(out, c.Text[:max(len(c.Text)-tail, 0)]) || Overlap(out, c.AdditionalData) {
					return true
				}
			case Overlap(out, outs[j]), Overlap(out, c.Text), Overlap(out, c.AdditionalData), Overlap(out, c.Nonce):
				return true
			}
		}
	}
	return false
}

// TestOverlapping compares Overlapping with overlapping, for buffers at random
// positions of a small memory, including empty buffers and outputs without room, and
// for packets laid out one after the other.
func TestOverlapping(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	memory, separate, rounds := make([]byte, 300), 0, 300_000
	if testing.Short() {
		rounds /= 10
	}
	for round := range rounds {
		packets := make([]Packet, rng.IntN(7)+rng.IntN(2)*rng.IntN(7))
		at := 0
		take := func(maxLen int) []byte {
			n := rng.IntN(maxLen + 1)
			from := at
			if at += n; round%2 == 0 && rng.IntN(4) == 0 || at > len(memory) {
				from = rng.IntN(len(memory) - maxLen)
			}
			return memory[from:][:n:n]
		}
		more := rng.IntN(9) - 4
		tail := rng.IntN(2) * max(-more, 0)
		for _, i := range rng.Perm(len(packets)) {
			c := &packets[i]
			c.Nonce, c.AdditionalData, c.Text = take(4), take(6), take(20)
			switch c.Dst = take(24); rng.IntN(4) {
			case 0:
				c.Dst = c.Text[:0]
			case 1:
				c.Dst = nil
			default:
				c.Dst = c.Dst[:rng.IntN(len(c.Dst)+1)*rng.IntN(2)]
			}
		}
		want := overlapping(packets, more, tail)
		if got := Overlapping(packets, more, tail); (got != "") != want {
			t.Fatalf("round %d: %d packets, outputs with %d more, %d to spare: Overlapping is %q, want it is %v", round, len(packets), more, tail, got, want)
		}
		if !want && len(packets) > 2 {
			separate++
		}
	}
	if separate < rounds/20 || separate > rounds*3/4 {
		t.Errorf("%d of %d rounds had no overlap", separate, rounds)
	}
}

// TestSpans compares spans with slices.
func TestSpans(t *testing.T) {
	memory := make([]byte, 12)
	for i := range 12 {
		for j := i; j < 12; j++ {
			for k := range 12 {
				for l := k; l < 12; l++ {
					x, y := memory[i:j], memory[k:l]
					if got, want := spanOf(x).overlaps(spanOf(y)), Overlap(x, y); got != want {
						t.Errorf("%d to %d and %d to %d: overlaps is %v", i, j, k, l, got)
					}
					if got, want := spanOf(x).contains(spanOf(y)), i <= k && l <= j; got != want {
						t.Errorf("%d to %d and %d to %d: contains is %v", i, j, k, l, got)
					}
				}
			}
		}
	}
}

// TestSort sorts outputs in any order, including equal addresses, and addresses with
// and without room for an index.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		outputs, keys := make([]output, n, 2*n), new([]uint64)
		high := max(1, rng.Uint64()>>rng.IntN(64))
		for i := range outputs {
			from := uintptr(rng.Uint64N(high))
			outputs[i] = output{span{from, from + uintptr(i)}, i}
		}
		want := slices.Clone(outputs)
		if n%4 == 0 {
			keys = nil
		}
		sortOutputs(outputs, keys)
		seen := map[int]bool{}
		for i, out := range outputs {
			if i > 0 && out.from < outputs[i-1].from || out != want[out.packet] || seen[out.packet] {
				t.Fatalf("output %d of %d: %+v", i, n, out)
			}
			seen[out.packet] = true
		}
	}
}
