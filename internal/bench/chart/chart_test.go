// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chart

import (
	"encoding/xml"
	"html"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/bench/record"
)

// texts returns the texts in a drawing. It fails the test if the drawing is not
// well-formed XML or contains NaN.
func texts(t *testing.T, svg []byte) (all []string) {
	t.Helper()
	if strings.Contains(string(svg), "NaN") {
		t.Error("the drawing contains NaN")
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

// TestDraw checks the texts in each kind of chart.
func TestDraw(t *testing.T) {
	lines := func(factor float64, sizes ...int) record.Contest {
		c := record.Contest{Title: "Work & more, Seal", Sizes: sizes, Bytes: sizes}
		for _, name := range []string{"x-crypto", "unimac"} {
			e := record.Entrant{Name: name, Label: "The " + name, Ours: name == "unimac"}
			for _, size := range sizes {
				e.NS = append(e.NS, factor*float64(size+1))
			}
			c.Entrants = append(c.Entrants, e)
			factor *= 2
		}
		return c
	}
	opened := lines(4, 1000)
	opened.Title, opened.Entrants = "Work & more, Open", opened.Entrants[:1]
	ratio := lines(1, 0, 16, 1024)
	ratio.RatioTo = "x-crypto"
	for _, tt := range []struct {
		panels []record.Contest
		want   []string
	}{
		{[]record.Contest{lines(1, 16, 1024)}, []string{"Work & more, Seal", "message size (logarithmic)", "speed, GB/s (logarithmic)", "16 B", "1 KiB", "The unimac", "The x-crypto"}},
		{[]record.Contest{lines(2, 1000)}, []string{"Work & more, Seal", "speed, GB/s", "The unimac", "The x-crypto", "0.500", "0.250"}},
		{[]record.Contest{lines(2, 1000), opened}, []string{"Work & more", "Seal", "Open", "speed, GB/s", "The unimac", "0.500", "0.250", "not measured"}},
		{[]record.Contest{lines(1, 16, 1024), lines(2, 16, 1024)}, []string{"Work & more", "Seal", "Seal", "The unimac"}},
		{[]record.Contest{ratio}, []string{"speed, multiples of The x-crypto's", "the speed of The x-crypto", "0", "1 KiB", "The unimac"}},
	} {
		c := &record.Charted{Chart: record.Chart{Highlight: "unimac", Conditions: "some conditions"}, Panels: tt.panels}
		got := texts(t, Draw(c, "Some processor"))
		for _, text := range append(tt.want, "Some processor", "some conditions") {
			if !slices.Contains(got, text) {
				t.Errorf("drawing lacks %q, contains %q", text, got)
			}
		}
	}
}

// TestScale checks that all panels of a chart have the same scale.
func TestScale(t *testing.T) {
	of := func(ns float64) record.Contest {
		return record.Contest{Title: "Work, Seal", Sizes: []int{1000}, Bytes: []int{1000}, Entrants: []record.Entrant{{Name: "unimac", NS: []float64{ns}}, {Name: "x-crypto", NS: []float64{1000}}}}
	}
	c := &record.Charted{Chart: record.Chart{Highlight: "unimac"}, Panels: []record.Contest{of(100), of(500)}}
	found := regexp.MustCompile(`<rect class="bar [^"]*" .*width="([0-9.]+)"`).FindAllStringSubmatch(string(Draw(c, "")), -1)
	var widths []float64
	for _, f := range found {
		width, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		widths = append(widths, width)
	}
	if len(widths) != 4 || widths[1] != widths[3] || math.Abs(widths[0]-5*widths[2]) > 0.3 {
		t.Errorf("bars of 10, 1, 2 and 1 GB/s have widths %v", widths)
	}
}

// TestOverview checks the texts in an overview of two processors with few results.
func TestOverview(t *testing.T) {
	one := &record.Record{Name: "First", Features: "AVX2", Programs: []record.Program{{Name: "age", What: "encrypt 1074 MB", Plain: record.Seconds{Median: 3}, Vendored: record.Seconds{Median: 2}}}}
	two := &record.Record{Name: "Second", Features: "AVX512", Programs: []record.Program{{Name: "age", What: "encrypt 1074 MB", Plain: record.Seconds{Median: 1}, Vendored: record.Seconds{Median: 2}, AVX2: record.Seconds{Median: 4}}}}
	got := texts(t, Overview([]*record.Record{one, two}))
	for _, text := range []string{"First (inferred)", "Second (inferred)", "AVX-512", "1.50", "0.50", "0.25"} {
		if !slices.Contains(got, text) {
			t.Errorf("drawing lacks %q, contains %q", text, got)
		}
	}
}

// TestRows checks that the records contain a result for each row of the overview, which
// would omit the row otherwise.
func TestRows(t *testing.T) {
	all, err := record.All("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for k, row := range rows {
		if !slices.ContainsFunc(all, func(r *record.Record) bool { return !math.IsNaN(multiplesOf(r)[k][0]) }) {
			t.Errorf("no record contains a result for %q", row.work)
		}
	}
}

func TestTicks(t *testing.T) {
	var got []string
	for _, tick := range speedTicks(0.05, 20) {
		got = append(got, tick.label)
	}
	if want := []string{"0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20"}; !slices.Equal(got, want) {
		t.Errorf("tick labels %q, want %q", got, want)
	}
	got = nil
	for _, tick := range sizeTicks(32, 1<<20) {
		got = append(got, tick.label)
	}
	if want := []string{"64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"}; !slices.Equal(got, want) {
		t.Errorf("tick labels %q, want %q", got, want)
	}
	for high, want := range map[float64][]string{2: {"0", "0.5", "1", "1.5", "2"}, 0.7: {"0", "0.2", "0.4", "0.6"}, 55: {"0", "10", "20", "30", "40", "50"}} {
		got = nil
		for _, tick := range evenTicks(high) {
			got = append(got, tick.label)
		}
		if !slices.Equal(got, want) {
			t.Errorf("evenTicks(%v) = %q, want %q", high, got, want)
		}
	}
	if roundDown(0.3) != 0.2 || roundUp(0.3) != 0.5 || roundDown(5) != 5 || roundUp(5) != 5 {
		t.Error("roundDown or roundUp returned a number without a tick")
	}
}

// TestSubtitles checks that the lines below the titles fit into all charts of the
// records. In their 10-unit font, characters are at most 5.5 units wide on average.
func TestSubtitles(t *testing.T) {
	all, err := record.All("../../..")
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string][]byte{"overview": Overview(all)}
	for _, r := range all {
		for _, c := range r.Charted() {
			drawn[c.Name+" of "+r.Name] = Draw(&c, r.Heading()+"; "+r.Level())
		}
	}
	size := regexp.MustCompile(`<svg [^>]* width="([0-9.]+)"`)
	line := regexp.MustCompile(`<text class="note" x="12.0" [^>]*>([^<]*)<`)
	for name, svg := range drawn {
		width, err := strconv.ParseFloat(string(size.FindSubmatch(svg)[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		lines := line.FindAllSubmatch(svg, -1)
		if len(lines) < 2 {
			t.Errorf("%s: %d lines below the title, want 2", name, len(lines))
		}
		for _, m := range lines {
			if text := html.UnescapeString(string(m[1])); 12+5.5*float64(len([]rune(text))) > width {
				t.Errorf("%s: line is wider than %g: %s", name, width, text)
			}
		}
	}
}

// TestColours checks that the entrants of each chart look different, that entrants
// share a colour only if they are variants of the same entrant, and that the chart
// contains the highlighted entrant.
func TestColours(t *testing.T) {
	all, err := record.All("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		for _, c := range r.Charted() {
			seen, bases := map[look]string{}, map[string]string{}
			for _, name := range names(&c.Panels[0]) {
				l := lookOf(name, c.Highlight)
				if l.colour() == "own" && !strings.HasPrefix(name, c.Highlight) || light.colours[l.colour()] == "" || dark.colours[l.colour()] == "" {
					t.Errorf("%s: %s has the wrong or an undefined colour %q", c.Name, name, l.colour())
				}
				if before, ok := seen[l]; ok {
					t.Errorf("%s: %s and %s look alike: %+v", c.Name, before, name, l)
				}
				seen[l] = name
				base := name
				for _, v := range variants {
					base = strings.TrimSuffix(base, v.suffix)
				}
				if before, ok := bases[l.colour()]; ok && before != base {
					t.Errorf("%s: %s and %s have the same colour", c.Name, before, base)
				}
				bases[l.colour()] = base
			}
			if bases["own"] != c.Highlight {
				t.Errorf("%s does not highlight %s", c.Name, c.Highlight)
			}
		}
	}
}
