// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package report

import (
	"math"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/speed"
)

func TestFormats(t *testing.T) {
	for got, want := range map[string]string{
		Size(16): "16 B", Size(1023): "1023 B", Size(1 << 10): "1 KiB", Size(1500): "1500 B", Size(1 << 20): "1 MiB", Size(64 << 20): "64 MiB",
		Duration(3.456): "3.46 ns", Duration(45.67): "45.7 ns", Duration(456.7): "457 ns", Duration(1234): "1.23 µs", Duration(45e6): "45.0 ms",
		figures(0.0123): "0.012", figures(0.9996): "1.00", figures(9.996): "10.0", figures(99.96): "100", figures(1234): "1234",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTable(t *testing.T) {
	want := "| a   | µs |\n|-----|----|\n| bcd | 1  |\n"
	if got := Table([][]string{{"a", "µs"}, {"bcd", "1"}}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// result has three entrants, of whom two are not ours.
func result() Result {
	c := &contest.Contest{Title: "Work", Sizes: []int{32, 1 << 10}, Bytes: func(size int) int { return 2 * size }}
	line := func(name string, ours bool, ns ...float64) Line {
		return Line{&contest.Entrant{Name: name, Label: name, Ours: ours}, ns}
	}
	return Result{c, []Line{line("unimac", true, 10, 100), line("fast", true, 1, 1), line("a", false, 20, 400), line("b", false, 40, 200)}}
}

func TestSummary(t *testing.T) {
	want := "" +
		"| work | message | unimac    | best peer    | ratio  |\n" +
		"|------|---------|-----------|--------------|--------|\n" +
		"| Work | 32 B    | 10.0 ns   | a, 20.0 ns   | 2.00 × |\n" +
		"| Work | 1 KiB   | 20.5 GB/s | b, 10.2 GB/s | 2.00 × |\n"
	if got := Summary([]Result{result()}); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestDetail(t *testing.T) {
	want := "" +
		"| GB/s   | 32 B | 1 KiB |\n" +
		"|--------|------|-------|\n" +
		"| unimac | 6.40 | 20.5  |\n" +
		"| fast   | 64.0 | 2048  |\n" +
		"| a      | 3.20 | 5.12  |\n" +
		"| b      | 1.60 | 10.2  |\n"
	r := result()
	if got := Detail(&r); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestTicks(t *testing.T) {
	var got []string
	for _, tick := range speedTicks(0.05, 20) {
		got = append(got, tick.label)
	}
	if want := []string{"0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got = nil
	for _, tick := range sizeTicks(32, 1<<20) {
		got = append(got, tick.label)
	}
	if want := []string{"64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for high, want := range map[float64][]string{2: {"0", "0.5", "1", "1.5", "2"}, 0.7: {"0", "0.2", "0.4", "0.6"}, 55: {"0", "10", "20", "30", "40", "50"}} {
		got = nil
		for _, tick := range evenTicks(high) {
			got = append(got, tick.label)
		}
		if !slices.Equal(got, want) {
			t.Errorf("up to %v: %q, want %q", high, got, want)
		}
	}
	if roundDown(0.3) != 0.2 || roundUp(0.3) != 0.5 || roundDown(5) != 5 || roundUp(5) != 5 {
		t.Error("the ends of an axis are not at marks")
	}
}

// TestLooks has as many lines as a chart has, and more: no two look alike.
func TestLooks(t *testing.T) {
	r := &Result{Contest: &contest.Contest{}}
	for _, kind := range []struct {
		n           int
		ours, other bool
	}{{5, true, false}, {8, false, false}, {2, true, true}} {
		for range kind.n {
			r.Lines = append(r.Lines, Line{Entrant: &contest.Entrant{Ours: kind.ours, Other: kind.other}})
		}
	}
	seen := map[look]int{}
	for i, l := range looks(r) {
		if before, ok := seen[l]; ok {
			t.Errorf("lines %d and %d look alike: %+v", before, i, l)
		}
		seen[l] = i
	}
}

// TestShownPrograms finds a row of the overview that nothing measures: it would be left out.
func TestShownPrograms(t *testing.T) {
	r, err := speed.Load("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range shownPrograms {
		if math.IsNaN(r.Program(p.what)) {
			t.Errorf("%s has no %q", speed.File, p.what)
		}
	}
}
