// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/unimac/unimac/internal/speed"
)

// The sizes of the chart, in pixels.
const (
	chartWidth = 760
	barsAt     = 400 // where the bars begin
	perTimes   = 100 // for each time as fast
	rowHeight  = 26
	topMargin  = 60
)

func drawChart() error {
	r, err := speed.Load(root)
	if err != nil {
		return err
	}
	return os.WriteFile("programs.svg", []byte(chart(r.Programs)), 0o666)
}

// chart draws how many times as fast each work is with the copy. Text is anchored, so that
// it does not depend on a font's widths, and colours follow the reader's choice of a light
// or a dark page.
func chart(programs []speed.Program) string {
	var b strings.Builder
	height := topMargin + rowHeight*len(programs) + 30
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">
<style>
text { fill: #1f2328 } .bar { fill: #2f6fb5 } .axis { stroke: #8c959f } .page { fill: #ffffff }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .bar { fill: #6cb0f2 } .axis { stroke: #6e7681 } .page { fill: #0d1117 } }
</style>
<rect class="page" width="100%%" height="100%%"/>
<text x="20" y="24" font-size="15">Programs with the copy of x/crypto: times as fast as released</text>
<text x="20" y="44" font-size="12">1 is as released. The axis is linear.</text>
`, chartWidth, height)
	bottom := topMargin + rowHeight*len(programs)
	for times := range 4 {
		x := barsAt + times*perTimes
		fmt.Fprintf(&b, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke-dasharray=\"2 4\"/>\n", x, x, topMargin-6, bottom)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"12\">%d</text>\n", x, bottom+18, times)
	}
	for i, r := range programs {
		y := topMargin + rowHeight*i
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", barsAt-10, y+14, escaped.Replace(r.Name+": "+r.What))
		fmt.Fprintf(&b, "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"18\"/>\n", barsAt, y, r.Times()*perTimes)
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\">%.2f</text>\n", barsAt+r.Times()*perTimes+6, y+14, r.Times())
	}
	return b.String() + "</svg>\n"
}

var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
