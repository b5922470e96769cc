// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package report shows what was measured: as Markdown tables and as charts.
package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/bench/contest"
)

// A Result is what a contest gave.
type Result struct {
	Contest *contest.Contest
	Lines   []Line // in the contest's order, without who is absent
}

// A Line holds the times of an entrant, one for each size of the contest.
type Line struct {
	*contest.Entrant
	NS []float64 // nanoseconds for a message
}

// speed returns the speed of a line, in GB/s, for the size with an index.
func (r *Result) speed(l *Line, i int) float64 {
	return float64(r.Contest.Worked(r.Contest.Sizes[i])) / l.NS[i]
}

// bestPeer returns the line of the fastest who is not ours, nil if there is none. Who does
// the same comes before another algorithm.
func (r *Result) bestPeer(i int) (best *Line) {
	for k := range r.Lines {
		l := &r.Lines[k]
		if l.Ours {
			continue
		}
		if best == nil || best.Other && !l.Other || best.Other == l.Other && l.NS[i] < best.NS[i] {
			best = l
		}
	}
	return best
}

// Table formats a table of Markdown that is also legible as it is.
func Table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for i, row := range rows {
		for k, cell := range row {
			fmt.Fprintf(&b, "| %-*s ", widths[k], cell)
		}
		b.WriteString("|\n")
		if i == 0 {
			for _, width := range widths {
				b.WriteString("|" + strings.Repeat("-", width+2))
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

// summarySizes are those that the table of everything shows.
var summarySizes = []int{32, 1 << 10, 16 << 10, 1 << 20, 64 << 20}

// Summary returns the table of everything: ours next to the best peer. Where
// messages are short, their time says more than a speed.
func Summary(results []Result) string {
	rows := [][]string{{"work", "message", "unimac", "best peer", "ratio"}}
	for _, r := range results {
		if r.Contest.RatioTo != "" {
			continue
		}
		for i, size := range r.Contest.Sizes {
			peer := r.bestPeer(i)
			if peer == nil || !slices.Contains(summarySizes, size) {
				continue
			}
			ours := &r.Lines[0]
			show := func(l *Line) string {
				if size < 1<<10 {
					return Duration(l.NS[i])
				}
				return figures(r.speed(l, i)) + " GB/s"
			}
			rows = append(rows, []string{
				r.Contest.Title, Size(size), show(ours), peer.Label + ", " + show(peer), figures(peer.NS[i]/ours.NS[i]) + " ×",
			})
		}
	}
	return Table(rows)
}

// DetailSizes are those that the table of one contest shows, of those it has.
var DetailSizes = []int{0, 16, 32, 64, 256, 1 << 10, 1420, 4 << 10, 16 << 10, 64 << 10, 1 << 20, 64 << 20}

// Detail returns the table of one contest: everyone's speed in GB/s, or the ratio that it
// is about.
func Detail(r *Result) string {
	value := func(l *Line, i int) string { return figures(r.speed(l, i)) }
	head := []string{"GB/s"}
	if base := slices.IndexFunc(r.Lines, func(l Line) bool { return l.Name == r.Contest.RatioTo }); base >= 0 {
		head[0] = "multiples of the speed of " + r.Lines[base].Label
		value = func(l *Line, i int) string { return figures(r.Lines[base].NS[i] / l.NS[i]) }
	}
	rows := make([][]string, len(r.Lines))
	for k := range r.Lines {
		rows[k] = []string{r.Lines[k].Label}
	}
	for i, size := range r.Contest.Sizes {
		if !slices.Contains(DetailSizes, size) {
			continue
		}
		head = append(head, Size(size))
		for k := range r.Lines {
			rows[k] = append(rows[k], value(&r.Lines[k], i))
		}
	}
	return Table(append([][]string{head}, rows...))
}

// Size returns a number of bytes as people write it.
func Size(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// Duration returns nanoseconds in a unit that suits them.
func Duration(ns float64) string {
	switch {
	case ns >= 1e6:
		return figures(ns/1e6) + " ms"
	case ns >= 1e3:
		return figures(ns/1e3) + " µs"
	}
	return figures(ns) + " ns"
}

// figures rounds to what can be measured: three figures, at most three of them
// after the point.
func figures(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.9995:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
