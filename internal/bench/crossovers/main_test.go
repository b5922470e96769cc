// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"testing"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/measure"
)

// TestThresholds checks that a candidate that is faster at a single length, which is
// noise, is ignored, and that a candidate that is faster from some length on is
// selected.
func TestThresholds(t *testing.T) {
	points := []point{
		{16, 10, 10, []float64{10, 12}}, {32, 10, 9, []float64{10, 9}}, {48, 10, 30, []float64{10, 11}},
		{64, 12, 0, []float64{12, 11}}, {80, 11.1, 0, []float64{14, 11}}, {96, 11, 5.5, []float64{11, 11}},
	}
	if got, want := thresholds([]candidate{{name: "low"}, {name: "high"}}, points), "{Max: 48, Path: low}, {Path: high}"; got != want {
		t.Errorf("thresholds = %s, want %s", got, want)
	}
	if got, want := losses(points), "multiples of the shortest time 32: 1.11, 64: 1.09"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := losses(points[:1]); got != "no losses" {
		t.Errorf("got %q", got)
	}
	if got, want := slower(points), "multiples of x/crypto's speed 32: 0.900, 96: 0.500"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := slower(points[:1]); got != "never slower than x/crypto" {
		t.Errorf("got %q", got)
	}
}

// TestOperations measures each operation once, at its shortest length, with all
// candidates.
func TestOperations(t *testing.T) {
	for _, o := range contest.Operations() {
		candidates := available(o.Package)
		p := measured(o, candidates, o.Least, measure.Plan{Rounds: 1, Turn: 1})
		if len(p.candidates) != len(candidates) || p.today <= 0 || p.theirs > 0 != (o.Theirs != nil) || p.length != o.Least {
			t.Errorf("%s: measured %+v with %d candidates", o.Name, p, len(candidates))
		}
		if (candidates == nil) != (o.Package == "") || candidates != nil && candidates[0].name != "generic" && candidates[0].name != "twoPasses" {
			t.Errorf("%s: wrong candidates %v", o.Name, candidates)
		}
		if list := lengths(o, 16); list[0] != o.Least || list[len(list)-1] > o.Most {
			t.Errorf("%s: lengths %d, want %d to at most %d", o.Name, list, o.Least, o.Most)
		}
	}
}
