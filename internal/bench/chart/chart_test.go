// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chart

import (
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/bench/record"
)

// texts returns the texts of a drawing, which has to be XML.
func texts(t *testing.T, svg []byte) (all []string) {
	t.Helper()
	if strings.Contains(string(svg), "NaN") {
		t.Error("a place is no number")
	}
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var text string
			if err := d.DecodeElement(&text, &start); err != nil {
				t.Fatal(err)
			}
			all = append(all, text)
		}
	}
}

// TestContest draws each kind of chart, with what a reader looks for.
func TestContest(t *testing.T) {
	lines := func(factor float64, sizes ...int) record.Contest {
		c := record.Contest{Title: "Work & more", Sizes: sizes, Bytes: sizes}
		for _, name := range []string{"unimac", "peer"} {
			e := record.Entrant{Name: name, Label: "The " + name, Ours: name == "unimac"}
			for _, size := range sizes {
				e.NS = append(e.NS, factor*float64(size+1))
			}
			c.Entrants = append(c.Entrants, e)
			factor *= 2
		}
		return c
	}
	ratio := lines(1, 0, 16, 1024)
	ratio.RatioTo = "peer"
	for _, tt := range []struct {
		contest record.Contest
		want    []string
	}{
		{lines(1, 16, 1024), []string{"length of a message (logarithmic)", "speed, GB/s (logarithmic)", "16 B", "1 KiB", "The unimac", "The peer"}},
		{lines(2, 1000), []string{"speed, GB/s", "The unimac", "The peer", "0.500", "0.250"}},
		{ratio, []string{"speed, multiples of The peer's", "the speed of The peer", "0", "1 KiB", "The unimac"}},
	} {
		got := texts(t, Contest(&tt.contest, "Some processor"))
		for _, text := range append(tt.want, "Work & more", "Some processor") {
			if !slices.Contains(got, text) {
				t.Errorf("no %q in %q", text, got)
			}
		}
	}
}

// TestOverview draws two processors side by side, one of which lacks most.
func TestOverview(t *testing.T) {
	one := &record.Record{Name: "First", Features: "AVX2", Programs: []record.Program{{Name: "age", What: "encrypt 1074 MB", Plain: record.Seconds{Median: 3}, Vendored: record.Seconds{Median: 2}}}}
	two := &record.Record{Name: "Second", Features: "AVX512", Programs: []record.Program{{Name: "age", What: "encrypt 1074 MB", Plain: record.Seconds{Median: 1}, Vendored: record.Seconds{Median: 2}, AVX2: record.Seconds{Median: 4}}}}
	got := texts(t, Overview([]*record.Record{one, two}))
	for _, text := range []string{"First", "Second", "AVX-512", "1.50", "0.50", "0.25"} {
		if !slices.Contains(got, text) {
			t.Errorf("no %q in %q", text, got)
		}
	}
}

// TestRows finds a row of the overview that no record has: it would be left out.
func TestRows(t *testing.T) {
	all, err := record.All("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for k, row := range rows {
		if !slices.ContainsFunc(all, func(r *record.Record) bool { return !math.IsNaN(multiplesOf(r)[k][0]) }) {
			t.Errorf("nothing was measured of %q", row.work)
		}
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
	var lines []record.Entrant
	for _, kind := range []struct {
		n           int
		ours, other bool
	}{{5, true, false}, {8, false, false}, {2, true, true}} {
		for range kind.n {
			lines = append(lines, record.Entrant{Ours: kind.ours, Other: kind.other})
		}
	}
	seen := map[look]int{}
	for i, l := range looks(lines) {
		if before, ok := seen[l]; ok {
			t.Errorf("lines %d and %d look alike: %+v", before, i, l)
		}
		seen[l] = i
	}
}
