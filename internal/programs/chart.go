// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// The sizes of the chart, in pixels.
const (
	chartWidth = 760
	barsAt     = 400 // where the bars begin
	perTimes   = 100 // for each time as fast
	rowHeight  = 26
	topMargin  = 60
)

// A bar is a row of the README's table: how many times as fast a work is with the copy.
type bar struct {
	what  string
	times float64
}

var tableRow = regexp.MustCompile(`(?m)^\| ([^|]+: [^|]+) \|[^|]+\|[^|]+\| ([0-9.]+) \|$`)

// readTable returns the rows of the README's table. The table is what was measured, program
// by program, so the chart is drawn from there.
func readTable() ([]bar, error) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		return nil, err
	}
	var bars []bar
	for _, row := range tableRow.FindAllStringSubmatch(string(readme), -1) {
		times, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			return nil, err
		}
		bars = append(bars, bar{row[1], times})
	}
	return bars, nil
}

func drawChart() error {
	bars, err := readTable()
	if err != nil {
		return err
	}
	return os.WriteFile("programs.svg", []byte(chart(bars)), 0o666)
}

// chart draws how many times as fast each work is with the copy. Text is anchored, so that
// it does not depend on a font's widths, and colours follow the reader's choice of a light
// or a dark page.
func chart(bars []bar) string {
	var b strings.Builder
	height := topMargin + rowHeight*len(bars) + 30
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">
<style>
text { fill: #1f2328 } .bar { fill: #2f6fb5 } .axis { stroke: #8c959f } .page { fill: #ffffff }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .bar { fill: #6cb0f2 } .axis { stroke: #6e7681 } .page { fill: #0d1117 } }
</style>
<rect class="page" width="100%%" height="100%%"/>
<text x="20" y="24" font-size="15">Programs with the copy of x/crypto: times as fast as released</text>
<text x="20" y="44" font-size="12">1 is as released. The axis is linear.</text>
`, chartWidth, height)
	bottom := topMargin + rowHeight*len(bars)
	for times := range 4 {
		x := barsAt + times*perTimes
		fmt.Fprintf(&b, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke-dasharray=\"2 4\"/>\n", x, x, topMargin-6, bottom)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"12\">%d</text>\n", x, bottom+18, times)
	}
	for i, r := range bars {
		y := topMargin + rowHeight*i
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", barsAt-10, y+14, escaped.Replace(r.what))
		fmt.Fprintf(&b, "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"18\"/>\n", barsAt, y, r.times*perTimes)
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\">%.2f</text>\n", barsAt+r.times*perTimes+6, y+14, r.times)
	}
	return b.String() + "</svg>\n"
}

var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
