// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package report

import (
	"fmt"
	"math"
	"slices"
)

// The sizes of a chart.
const (
	chartWidth   = 860.0
	chartHeight  = 430.0
	titleHeight  = 56.0
	leftMargin   = 66.0
	bottomMargin = 54.0
	legendWidth  = 262.0 // for about 38 letters and the key
	labelWidth   = 262.0 // of the bars
	barHeight    = 30.0
)

// Chart draws what a contest gave: speeds as lines over the sizes, or as bars where there
// is one size; or, where the contest is about a ratio, that.
func Chart(r *Result, machine string) []byte {
	switch {
	case len(r.Contest.Sizes) == 1:
		return bars(r, machine)
	case r.Contest.RatioTo != "":
		return ratios(r, machine)
	}
	return speedLines(r, machine)
}

// title writes the title above a chart.
func (d *drawing) title(r *Result, machine string) {
	d.text("title", 12, 23, start, r.Contest.Title)
	d.text("note", 12, 41, start, machine)
}

// A look is how a line can be told from others: by colour, dash and mark.
type look struct {
	class, dash, shape string
}

// looks returns one for each line. Ours are blue: the first is thick and solid, the
// others have dashes, and a limit has no marks.
func looks(r *Result) (all []look) {
	own, peers, limits := 0, 0, 0
	dashes := []string{"7 3", "2 2", "9 3 2 3", "1 3"}
	for k := range r.Lines {
		l := &r.Lines[k]
		switch {
		case k == 0:
			all = append(all, look{"own", "", "dot"})
		case l.Ours && l.Other:
			all = append(all, look{"limit", []string{"1 3", "4 3"}[limits%2], ""})
			limits++
		case l.Ours:
			all = append(all, look{"other-own", dashes[own%len(dashes)], "dot"})
			own++
		default:
			n := peers % len(shapes)
			all = append(all, look{fmt.Sprintf("p%d", n), []string{"", "6 2"}[peers/4%2], shapes[n]})
			peers++
		}
	}
	return all
}

// A plot is the part of a chart between the axes.
type plot struct {
	*drawing
	left, right, top, bottom float64
	x, y                     func(v float64) float64
}

// newPlot begins a chart of lines, with a column for the legend.
func newPlot(r *Result, machine string) *plot {
	d := newDrawing(chartWidth, chartHeight)
	d.title(r, machine)
	return &plot{drawing: d, left: leftMargin, right: chartWidth - legendWidth - 24, top: titleHeight, bottom: chartHeight - bottomMargin}
}

// logarithmic maps the values from low to high to a range.
func logarithmic(low, high, from, to float64) func(v float64) float64 {
	return func(v float64) float64 { return from + (to-from)*math.Log(v/low)/math.Log(high/low) }
}

// axes draws the grid and the labels.
func (p *plot) axes(x, y string, xTicks, yTicks []tick) {
	for _, t := range xTicks {
		p.line("grid", p.x(t.value), p.top, p.x(t.value), p.bottom, "")
		p.text("", p.x(t.value), p.bottom+16, middle, t.label)
	}
	for _, t := range yTicks {
		p.line("grid", p.left, p.y(t.value), p.right, p.y(t.value), "")
		p.text("", p.left-7, p.y(t.value)+4, end, t.label)
	}
	p.text("axis", (p.left+p.right)/2, p.bottom+40, middle, x)
	p.upright("axis", 18, (p.top+p.bottom)/2, y)
}

// lines draws the lines, the one that matters last, on top, and the legend.
func (p *plot) lines(r *Result, value func(l *Line, i int) float64) {
	all := looks(r)
	for k := len(r.Lines) - 1; k >= 0; k-- {
		var points []point
		for i, size := range r.Contest.Sizes {
			points = append(points, point{p.x(float64(size)), p.y(value(&r.Lines[k], i))})
		}
		p.curve(all[k].class, points, all[k].dash)
		if len(points) < 40 {
			for _, at := range points {
				p.mark(all[k].class, all[k].shape, at)
			}
		}
	}
	for k := range r.Lines {
		x, y := p.right+20, p.top+12+19*float64(k)
		p.line("key "+all[k].class, x, y, x+34, y, all[k].dash)
		p.mark(all[k].class, all[k].shape, point{x + 17, y})
		p.text("", x+42, y+4, start, r.Lines[k].Label)
	}
}

// speedLines draws speeds over the sizes, both by their logarithms.
func speedLines(r *Result, machine string) []byte {
	low, high := math.Inf(1), 0.0
	for k := range r.Lines {
		for i := range r.Contest.Sizes {
			low, high = min(low, r.speed(&r.Lines[k], i)), max(high, r.speed(&r.Lines[k], i))
		}
	}
	low, high = roundDown(low), roundUp(high)
	p := newPlot(r, machine)
	first, last := float64(slices.Min(r.Contest.Sizes)), float64(slices.Max(r.Contest.Sizes))
	p.x, p.y = logarithmic(first, last, p.left, p.right), logarithmic(low, high, p.bottom, p.top)
	p.axes("length of a message (logarithmic)", "speed, GB/s (logarithmic)", sizeTicks(first, last), speedTicks(low, high))
	p.lines(r, r.speed)
	return p.bytes()
}

// ratios draws the speeds as multiples of one entrant's, over all sizes from 0 on. On
// its axis, 0 is where a half would be.
func ratios(r *Result, machine string) []byte {
	base := slices.IndexFunc(r.Lines, func(l Line) bool { return l.Name == r.Contest.RatioTo })
	if base < 0 {
		return speedLines(r, machine)
	}
	peer := r.Lines[base]
	shown := &Result{r.Contest, slices.Delete(slices.Clone(r.Lines), base, base+1)}
	ratio := func(l *Line, i int) float64 { return peer.NS[i] / l.NS[i] }
	high := 1.0
	for k := range shown.Lines {
		for i := range r.Contest.Sizes {
			high = max(high, ratio(&shown.Lines[k], i))
		}
	}
	high = math.Ceil(high*2) / 2
	p := newPlot(r, machine)
	last := float64(slices.Max(r.Contest.Sizes))
	scale := logarithmic(0.5, last, p.left, p.right)
	p.x = func(v float64) float64 { return scale(max(v, 0.5)) }
	p.y = func(v float64) float64 { return p.bottom + (p.top-p.bottom)*v/high }
	ticks := append([]tick{{0, "0"}}, sizeTicks(1, last)...)
	p.axes("length of a message (logarithmic)", "speed, multiples of "+peer.Label+"'s", ticks, evenTicks(high))
	p.line("one", p.left, p.y(1), p.right, p.y(1), "")
	p.lines(shown, ratio)
	p.text("note", p.right+20, p.y(1)+4, start, "the speed of "+peer.Label)
	return p.bytes()
}

// bars draws a bar for each entrant.
func bars(r *Result, machine string) []byte {
	high := 0.0
	for k := range r.Lines {
		high = max(high, r.speed(&r.Lines[k], 0))
	}
	height := titleHeight + barHeight*float64(len(r.Lines)) + bottomMargin
	d := newDrawing(chartWidth, height)
	d.title(r, machine)
	p := &plot{drawing: d, left: labelWidth, right: chartWidth - 70, top: titleHeight, bottom: height - bottomMargin}
	p.x = func(v float64) float64 { return p.left + (p.right-p.left)*v/high }
	p.axes("speed, GB/s", "", evenTicks(high), nil)
	all := looks(r)
	for k := range r.Lines {
		l := &r.Lines[k]
		y := p.top + barHeight*float64(k)
		class := all[k].class
		if l.Ours && k > 0 {
			class = "other-own"
		}
		p.bar(class, p.left, y+5, p.x(r.speed(l, 0))-p.left, barHeight-10)
		p.text("", p.left-8, y+barHeight/2+4, end, l.Label)
		p.text("", p.x(r.speed(l, 0))+6, y+barHeight/2+4, start, figures(r.speed(l, 0)))
	}
	return p.bytes()
}
