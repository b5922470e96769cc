// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package alias

import (
	"math/rand/v2"
	"testing"
)

// TestOutputs compares with all pairs, for outputs and inputs at random places of a small memory,
// some of them empty.
func TestOutputs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	memory := make([]byte, 200)
	slice := func(most int) []byte {
		from := rng.IntN(len(memory) - most)
		return memory[from:][:rng.IntN(most)]
	}
	apart := 0
	for range 200_000 {
		n := rng.IntN(6)
		outs, inputs := make([][]byte, n), make([][]byte, n)
		var outputs Outputs
		want := true
		for i := range outs {
			outs[i], inputs[i] = slice(20), slice(30)
			prefix := rng.IntN(len(outs[i]) + 1)
			if n := len(outs[i]) - prefix; n > 0 {
				outputs = append(outputs, OutputAfter(outs[i][:prefix], n, i))
			}
			outs[i] = outs[i][prefix:]
			for _, x := range outs[:i] {
				want = want && !Overlap(x, outs[i])
			}
		}
		if got := outputs.Apart(); got != want {
			t.Fatalf("%d outputs: Apart is %v", n, got)
		}
		if !want {
			continue
		}
		all := outputs.All()
		for i, out := range outs {
			if len(out) > 0 && (SpanOf(out).from < all.from || SpanOf(out).to > all.to) {
				t.Fatalf("output %d is not in All", i)
			}
		}
		apart++
		for i, in := range inputs {
			want := false
			for j, out := range outs {
				want = want || i != j && Overlap(in, out)
			}
			if got := outputs.Meet(i, in); got != want {
				t.Fatalf("%d outputs, input %d: Meet is %v", n, i, got)
			}
		}
	}
	if apart < 10_000 {
		t.Errorf("only %d were apart", apart)
	}
}

// TestSpans compares with what slices tell. What is empty may meet what it is in.
func TestSpans(t *testing.T) {
	memory := make([]byte, 12)
	for i := range 12 {
		for j := i; j < 12; j++ {
			for k := range 12 {
				for l := k; l < 12; l++ {
					x, y := memory[i:j], memory[k:l]
					empty := len(x) == 0 || len(y) == 0
					if got, want := SpanOf(x).Meets(SpanOf(y)) < 0, Overlap(x, y); got != want && !empty || want && !got {
						t.Errorf("%d to %d and %d to %d: Meets is %v", i, j, k, l, got)
					}
					if got, want := SpanOf(x).Lacks(SpanOf(y)) < 0, k < i || j < l; got != want {
						t.Errorf("%d to %d and %d to %d: Lacks is %v", i, j, k, l, got)
					}
					if got, want := SpanOf(x).MeetsInexactly(SpanOf(y)) < 0, InexactOverlap(x, y); got != want && !empty || want && !got {
						t.Errorf("%d to %d and %d to %d: MeetsInexactly is %v", i, j, k, l, got)
					}
				}
			}
		}
	}
}
