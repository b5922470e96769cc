// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package report

import "github.com/unimac/unimac/internal/speed"

// Programs draws how many times as fast programs are with a copy of x/crypto, by processors.
func Programs(r *speed.Record) []byte {
	const labels = 430.0
	rows, high, height := r.ByProcessor(), 1.0, 0.0
	heading := func(k int) bool { return k == 0 || rows[k].Processor != rows[k-1].Processor }
	for k := range rows {
		high = max(high, rows[k].Times())
		height += barHeight
		if heading(k) {
			height += barHeight
		}
	}
	d := newDrawing(chartWidth, titleHeight+22+height+bottomMargin)
	d.text("title", 12, 23, start, "Programs with the copy of x/crypto: times as fast as released")
	d.text("note", 12, 41, start, "1 is the program as released; two cores")
	d.levels("the processor as it is", "AVX2 alone")
	p := &plot{drawing: d, left: labels, right: chartWidth - 60, top: titleHeight + 22, bottom: d.height - bottomMargin}
	p.x = func(v float64) float64 { return p.left + (p.right-p.left)*v/high }
	p.axes("times as fast", "", evenTicks(high), nil)
	y := p.top
	for k := range rows {
		if heading(k) {
			p.text("axis", 12, y+barHeight/2+4, start, rows[k].Processor)
			y += barHeight
		}
		p.text("", p.left-8, y+barHeight/2+4, end, rows[k].Name+": "+rows[k].What)
		p.multiples(y, rows[k].Times(), rows[k].TimesAVX2())
		y += barHeight
	}
	p.line("one", p.x(1), p.top, p.x(1), p.bottom, "")
	return d.bytes()
}
