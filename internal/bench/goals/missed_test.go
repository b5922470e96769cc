// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package goals

import (
	"strings"
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

func TestReasons(t *testing.T) {
	const kiB = 1 << 10
	goal := func(contest, ours, peer string, size int) Goal {
		return Goal{Contest: contest, Ours: ours, Peer: peer, Sizes: []int{size}, Ratio: Ratio{SpeedAtLeast: 1}}
	}
	contest := func(g Goal) speed.Contest {
		return speed.Contest{Name: g.Contest, Sizes: []int{g.Sizes[0], 16 * kiB}, Entrants: []speed.Entrant{
			{Name: g.Ours, NS: []float64{1000, 2000}, Low: []float64{900, 1900}},
			{Name: g.Peer, NS: []float64{950, 2000}, High: []float64{980, 2100}},
			{Name: "unimac-chacha20poly1305", NS: []float64{700, 1600}},
		}}
	}
	chunk := speed.Contest{Name: "chacha20-poly1305-open", Sizes: []int{16 * kiB}, Entrants: []speed.Entrant{
		{Name: "unimac", NS: []float64{100}}, {Name: "unimac-avx2", NS: []float64{200}}, {Name: "x-crypto", NS: []float64{230}},
	}}
	umac := goal("umac-64", "unimac", "nettle", 16*kiB)
	packet := goal("chacha20-poly1305-seal", "unimac-avx2", "x-crypto", 1420)
	for _, tt := range []struct {
		processor string
		goal      Goal
		limit     float64
		want      string // in the reason
	}{
		{"Intel Xeon", umac, 3.3, "nettle's 128"},
		{"AMD EPYC", umac, 3.3, "not known"},
		{"AMD EPYC", umac, 1, "within the spread"},
		{"AMD EPYC", packet, 1, "take 905 of 1000 ns, x/crypto's 850 of 950"},
		{"Intel Xeon", goal("chacha20-poly1305-seal", "unimac-avx2", "x-crypto", 16*kiB), 1.15, "three vector units"},
		{"Intel Xeon", goal("chacha20-poly1305-seal", "unimac", "unimac-chacha20-alone", 16*kiB), 0.93, "a fifth"},
		{"Intel Xeon", goal("chacha20-poly1305-siv-seal-batch", "unimac", "x-crypto", 256), 1, "0.36 of x/crypto's"},
		{"Intel Xeon", goal("chacha20-blake2b-seal", "unimac", "unimac-blake2b-alone", 16*kiB), 0.93, "too few idle cycles"},
		{"AMD EPYC", goal("stream-seal", "unimac-avx2", "x-chacha20poly1305", 64*kiB), 1, "162 cycles"},
		{"AMD EPYC", goal("chacha20-poly1305-siv-open", "unimac", "x-crypto", 64), 1, "four blocks"},
		{"AMD EPYC", goal("chacha20-poly1305-open", "unimac", "x-crypto", 64), 1, "the latency"},
		{"Intel Xeon", goal("ssh", "umac-128-etm", "aes128-gcm", 1024*kiB), 1, "two passes"},
		{"Intel Xeon", goal("stream-open-2threads", "unimac", "unimac-one-thread", 64*kiB), 1, "one goroutine copies"},
		{"Intel Xeon", goal("stream-seal-2threads", "unimac", "unimac-one-thread", 64*kiB), 1, "not known: the kernels"},
		{"Intel Xeon", goal("stream-formats-seal", "unimac-cobblestone128", "pyca", 64*kiB), 6, "new memory"},
		{"Intel Xeon", goal("chacha20-blake2b-open", "unimac-avx2", "libsodium", 16*kiB), 1, "2300 instructions"},
		{"Intel Xeon", goal("chacha20-poly1305-siv-seal", "unimac-avx2", "x-crypto", 16*kiB), 1, "the tag must be known"},
		{"Intel Xeon", goal("chacha20-poly1305-seal-sizes", "unimac-avx2", "x-crypto", 288), 1, "128, 192 and 320"},
		{"Intel Xeon", goal("chacha20-poly1305-seal-sizes", "unimac-avx2", "x-crypto", 1024), 1, "hashed after it"},
		{"Intel Xeon", goal("chacha20-poly1305-siv-open", "unimac", "x-crypto", 1420), 2, "it takes 1000 ns, ChaCha20-Poly1305 700, x/crypto's 950; it alone has three blocks, each of which needs the result of the one before"},
		{"Intel Xeon", goal("chacha20-poly1305-siv-seal", "unimac", "x-crypto", 16*kiB), 2, "a pass of its own; Intel"},
		{"Intel Xeon", goal("stream-formats-open", "unimac-avx2", "x-chacha20poly1305", 64*kiB), 1, "to open a single chunk, in the cache, is 1.15 times as fast as with x/crypto, and a Reader first copies the data to a buffer; both keep"},
		{"AMD EPYC", goal("stream-formats-open", "unimac", "x-chacha20poly1305", 64*kiB), 1, "is 2.30 times as fast"},
		{"Intel Xeon", goal("chacha20-poly1305-seal", "unimac", "x-crypto", 1420), 2, "three of x/crypto's 256"},
	} {
		tt.goal.Ratio.SpeedAtLeast = tt.limit
		m := &miss{tt.goal, &speed.Record{Processor: tt.processor, Contests: []speed.Contest{contest(tt.goal), chunk}}, tt.goal.Sizes[0]}
		if got := m.reason(); !strings.Contains(got, tt.want) {
			t.Errorf("%s, %s against %s: %q, want %q in it", tt.processor, tt.goal.Contest, tt.goal.Peer, got, tt.want)
		}
	}
}
