// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package report

import (
	"slices"

	"github.com/unimac/unimac/internal/speed"
)

// Programs draws how many times as fast programs are with a copy of x/crypto. A colour stands
// for a processor.
func Programs(r *speed.Record) []byte {
	const rowHeight, labels = 22.0, 430.0
	rows, high := r.ByProcessor(), 1.0
	var processors []string
	for _, p := range rows {
		high = max(high, p.Times())
		if !slices.Contains(processors, p.Processor) {
			processors = append(processors, p.Processor)
		}
	}
	classes := []string{"own", "p3", "p1", "p0"}
	class := func(processor string) string { return classes[slices.Index(processors, processor)%len(classes)] }
	height := titleHeight + 22 + rowHeight*float64(len(rows)) + bottomMargin
	d := newDrawing(chartWidth, height)
	d.text("title", 12, 23, start, "Programs with the copy of x/crypto: times as fast as released")
	d.text("note", 12, 41, start, "1 is the program as released; two cores")
	for i, processor := range processors {
		x := 12 + 330*float64(i)
		d.bar(class(processor), x, 52, 12, 9)
		d.text("", x+17, 61, start, processor)
	}
	p := &plot{drawing: d, left: labels, right: chartWidth - 60, top: titleHeight + 22, bottom: height - bottomMargin}
	p.x = func(v float64) float64 { return p.left + (p.right-p.left)*v/high }
	p.axes("times as fast", "", evenTicks(high), nil)
	for k := range rows {
		y := p.top + rowHeight*float64(k)
		p.text("", p.left-8, y+rowHeight/2+4, end, rows[k].Name+": "+rows[k].What)
		p.multiple(class(rows[k].Processor), y+5, rows[k].Times())
	}
	p.line("one", p.x(1), p.top, p.x(1), p.bottom, "")
	return d.bytes()
}
