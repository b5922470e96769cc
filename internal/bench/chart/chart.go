// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chart draws what was measured.
package chart

import (
	"fmt"
	"math"
	"slices"

	"github.com/unimac/unimac/internal/bench/record"
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

// Contest draws what a contest gave: speeds as lines over the sizes, or as bars where there
// is one size; or, where the contest is about a ratio, that.
func Contest(c *record.Contest, machine string) []byte {
	switch {
	case len(c.Sizes) == 1:
		return bars(c, machine)
	case c.RatioTo != "":
		return ratios(c, machine)
	}
	return speedLines(c, machine)
}

// title writes the title above a chart.
func (d *drawing) title(title, note string) {
	d.text("title", 12, 23, start, title)
	d.text("note", 12, 41, start, note)
}

// A look is how a line can be told from others: by colour, dash and mark.
type look struct {
	class, dash, shape string
}

// looks returns one for each line. Ours are blue: the first is thick and solid, the
// others have dashes, and a limit has no marks.
func looks(lines []record.Entrant) (all []look) {
	own, peers, limits := 0, 0, 0
	dashes := []string{"7 3", "2 2", "9 3 2 3", "1 3"}
	for k, l := range lines {
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
func newPlot(c *record.Contest, machine string) *plot {
	d := newDrawing(chartWidth, chartHeight)
	d.title(c.Title, machine)
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
func (p *plot) lines(sizes []int, lines []record.Entrant, value func(e *record.Entrant, i int) float64) {
	all := looks(lines)
	for k := range slices.Backward(lines) {
		var points []point
		for i, size := range sizes {
			points = append(points, point{p.x(float64(size)), p.y(value(&lines[k], i))})
		}
		p.curve(all[k].class, points, all[k].dash)
		if len(points) < 40 {
			for _, at := range points {
				p.mark(all[k].class, all[k].shape, at)
			}
		}
	}
	for k, e := range lines {
		x, y := p.right+20, p.top+12+19*float64(k)
		p.line("key "+all[k].class, x, y, x+34, y, all[k].dash)
		p.mark(all[k].class, all[k].shape, point{x + 17, y})
		p.text("", x+42, y+4, start, e.Label)
	}
}

// bounds returns the least and the most of values.
func bounds(sizes []int, lines []record.Entrant, value func(e *record.Entrant, i int) float64) (low, high float64) {
	low = math.Inf(1)
	for k := range lines {
		for i := range sizes {
			low, high = min(low, value(&lines[k], i)), max(high, value(&lines[k], i))
		}
	}
	return low, high
}

// speedLines draws speeds over the sizes, both by their logarithms.
func speedLines(c *record.Contest, machine string) []byte {
	low, high := bounds(c.Sizes, c.Entrants, c.GBs)
	low, high = roundDown(low), roundUp(high)
	p := newPlot(c, machine)
	first, last := float64(slices.Min(c.Sizes)), float64(slices.Max(c.Sizes))
	p.x, p.y = logarithmic(first, last, p.left, p.right), logarithmic(low, high, p.bottom, p.top)
	p.axes("length of a message (logarithmic)", "speed, GB/s (logarithmic)", sizeTicks(first, last), speedTicks(low, high))
	p.lines(c.Sizes, c.Entrants, c.GBs)
	return p.bytes()
}

// ratios draws the speeds as multiples of one entrant's, over all sizes from 0 on. On
// its axis, 0 is where a half would be.
func ratios(c *record.Contest, machine string) []byte {
	peer := c.Entrant(c.RatioTo)
	shown := slices.DeleteFunc(slices.Clone(c.Entrants), func(e record.Entrant) bool { return e.Name == c.RatioTo })
	ratio := func(e *record.Entrant, i int) float64 { return peer.NS[i] / e.NS[i] }
	_, high := bounds(c.Sizes, shown, ratio)
	high = math.Ceil(max(1, high)*2) / 2
	p := newPlot(c, machine)
	last := float64(slices.Max(c.Sizes))
	scale := logarithmic(0.5, last, p.left, p.right)
	p.x = func(v float64) float64 { return scale(max(v, 0.5)) }
	p.y = func(v float64) float64 { return p.bottom + (p.top-p.bottom)*v/high }
	ticks := append([]tick{{0, "0"}}, sizeTicks(1, last)...)
	p.axes("length of a message (logarithmic)", "speed, multiples of "+peer.Label+"'s", ticks, evenTicks(high))
	p.line("one", p.left, p.y(1), p.right, p.y(1), "")
	p.lines(c.Sizes, shown, ratio)
	p.text("note", p.right+20, p.y(1)+4, start, "the speed of "+peer.Label)
	return p.bytes()
}

// bars draws a bar for each entrant.
func bars(c *record.Contest, machine string) []byte {
	_, high := bounds(c.Sizes, c.Entrants, c.GBs)
	height := titleHeight + barHeight*float64(len(c.Entrants)) + bottomMargin
	d := newDrawing(chartWidth, height)
	d.title(c.Title, machine)
	p := &plot{drawing: d, left: labelWidth, right: chartWidth - 70, top: titleHeight, bottom: height - bottomMargin}
	p.x = func(v float64) float64 { return p.left + (p.right-p.left)*v/high }
	p.axes("speed, GB/s", "", evenTicks(high), nil)
	all := looks(c.Entrants)
	for k := range c.Entrants {
		e := &c.Entrants[k]
		y, speed := p.top+barHeight*float64(k), c.GBs(e, 0)
		class := all[k].class
		if e.Ours && k > 0 {
			class = "other-own"
		}
		p.bar(class, p.left, y+5, p.x(speed)-p.left, barHeight-10)
		p.text("", p.left-8, y+barHeight/2+4, end, e.Label)
		p.text("", p.x(speed)+6, y+barHeight/2+4, start, record.Three(speed))
	}
	return p.bytes()
}

// A tick is a mark on an axis.
type tick struct {
	value float64
	label string
}

// sizeTicks marks the powers of four.
func sizeTicks(low, high float64) (ticks []tick) {
	for n := 1; float64(n) <= high; n *= 4 {
		if float64(n) >= low {
			ticks = append(ticks, tick{float64(n), record.Size(n)})
		}
	}
	return ticks
}

// speedTicks marks 1, 2 and 5 of each power of ten.
func speedTicks(low, high float64) (ticks []tick) {
	for _, v := range speeds {
		if v >= low && v <= high {
			ticks = append(ticks, tick{v, fmt.Sprint(v)})
		}
	}
	return ticks
}

// evenTicks marks six steps at most, of 1, 2 or 5 of a power of ten each.
func evenTicks(high float64) (ticks []tick) {
	step := roundUp(high / 6)
	for i := 0; float64(i)*step <= high; i++ {
		v := float64(i) * step
		ticks = append(ticks, tick{v, fmt.Sprintf("%.3g", v)})
	}
	return ticks
}

// speeds are the marks that an axis may have, in order.
var speeds = func() (all []float64) {
	for power := -4; power <= 4; power++ {
		for _, digit := range []float64{1, 2, 5} {
			// Not by math.Pow, whose negative powers are not what is printed.
			v := digit * math.Pow10(max(power, 0)) / math.Pow10(max(-power, 0))
			all = append(all, v)
		}
	}
	return all
}()

func roundDown(v float64) float64 {
	r := speeds[0]
	for _, s := range speeds {
		if s <= v {
			r = s
		}
	}
	return r
}

func roundUp(v float64) float64 {
	for _, s := range speeds {
		if s >= v {
			return s
		}
	}
	return v
}
