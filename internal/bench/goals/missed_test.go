// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package goals

import (
	"testing"

	"github.com/unimac/unimac/internal/speed"
)

func TestMissed(t *testing.T) {
	entrant := func(name string, ns ...float64) speed.Entrant {
		return speed.Entrant{Name: name, Label: "The " + name, NS: ns}
	}
	r := &speed.Record{Contests: []speed.Contest{
		{Name: "umac-64", Sizes: []int{32, 16 << 10}, Entrants: []speed.Entrant{entrant("unimac", 10, 10), entrant("nettle", 19, 40)}},
		{Name: "poly1305", Sizes: []int{16, 32, 64}, Entrants: []speed.Entrant{entrant("unimac", 10, 12, 10), entrant("x-crypto", 10, 6, 20)}},
		{Name: "chacha20", Sizes: []int{16 << 10}, Entrants: []speed.Entrant{entrant("unimac", 10)}},
	}}
	want := []speed.Goal{
		{Work: "UMAC-64, 32 B", Peer: "The nettle", Limit: "≤ 0.50 × the time", Measured: "0.53 × the time", Reason: "not known"},
		{Work: "Poly1305, 16 to 64 B", Peer: "The x-crypto", Limit: "≥ 1.00 ×", Measured: "0.50 × at 32 B", Reason: "not known"},
	}
	got := Missed(r)
	if len(got) != len(want) {
		t.Fatalf("missed %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("missed %v, want %v", got[i], want[i])
		}
	}
}
