// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chart draws the records in doc/speed.
package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/bench/record"
)

const (
	chartHeight  = 444.0
	titleHeight  = 70.0
	leftMargin   = 66.0
	bottomMargin = 54.0
	legendWidth  = 262.0 // about 38 letters and the key
	labelWidth   = 262.0 // of the bars
	barHeight    = 30.0
	barsWidth    = 860.0
	panelGap     = 56.0
	valueWidth   = 56.0 // of the figure after a bar
)

// Draw returns a chart. If there is one size, the chart contains bars. If the contest
// has RatioTo, the chart contains multiples of one entrant's speed. Otherwise, it
// contains lines over the sizes.
func Draw(c *record.Charted, machine string) []byte {
	switch {
	case len(c.Panels[0].Sizes) == 1:
		return bars(c, machine)
	case c.Panels[0].RatioTo != "":
		return ratios(c, machine)
	}
	return speedLines(c, machine)
}

// title writes a chart's title, the machine and the conditions of the measurement in
// separate lines, because a chart of bars is narrow.
func (d *drawing) title(title, machine, conditions string) {
	d.text("title", 12, 23, start, title)
	d.text("note", 12, 40, start, machine)
	d.text("note", 12, 54, start, conditions)
}

type plot struct {
	*drawing
	left, right, top, bottom float64
	x, y                     func(v float64) float64
}

func newPlots(c *record.Charted, machine string) (plots []*plot) {
	width, top := 508.0, titleHeight
	if len(c.Panels) > 1 {
		width, top = 400, titleHeight+14
	}
	n := float64(len(c.Panels))
	d := newDrawing(leftMargin+n*width+(n-1)*panelGap+24+legendWidth, chartHeight)
	d.title(c.Title(), machine, c.Conditions)
	for i := range c.Panels {
		left := leftMargin + float64(i)*(width+panelGap)
		p := &plot{drawing: d, left: left, right: left + width, top: top, bottom: chartHeight - bottomMargin}
		if len(c.Panels) > 1 {
			p.text("axis", p.left, p.top-6, start, panelTitle(&c.Panels[i]))
		}
		plots = append(plots, p)
	}
	return plots
}

// panelTitle returns the part of a title after the comma, "Seal" or "Open".
func panelTitle(c *record.Contest) string {
	_, title, _ := strings.Cut(c.Title, ", ")
	return title
}

func logarithmic(low, high, from, to float64) func(v float64) float64 {
	return func(v float64) float64 { return from + (to-from)*math.Log(v/low)/math.Log(high/low) }
}

// axes draws the grid and the labels. If y is empty, it omits the vertical axis's
// labels, because the panel on the left shows them.
func (p *plot) axes(x, y string, xTicks, yTicks []tick) {
	for _, t := range xTicks {
		p.line("grid", p.x(t.value), p.top, p.x(t.value), p.bottom, "")
		p.text("", p.x(t.value), p.bottom+16, middle, t.label)
	}
	for _, t := range yTicks {
		p.line("grid", p.left, p.y(t.value), p.right, p.y(t.value), "")
		if y != "" {
			p.text("", p.left-7, p.y(t.value)+4, end, t.label)
		}
	}
	p.text("axis", (p.left+p.right)/2, p.bottom+40, middle, x)
	if y != "" {
		p.upright("axis", 18, (p.top+p.bottom)/2, y)
	}
}

func (p *plot) lines(c *record.Contest, highlight string, value func(e *record.Entrant, i int) float64) {
	for _, name := range slices.Backward(ordered(names(c), highlight)) {
		e, l := c.Entrant(name), lookOf(name, highlight)
		var points []point
		for i, size := range c.Sizes {
			points = append(points, point{p.x(float64(size)), p.y(value(e, i))})
		}
		p.curve(l.class, points, l.dash)
		if len(points) < 40 {
			for _, at := range points {
				p.mark(l.class, l.shape, at)
			}
		}
	}
}

func (p *plot) key(c *record.Contest, highlight string) {
	for k, name := range ordered(names(c), highlight) {
		l := lookOf(name, highlight)
		x, y := p.right+20, p.top+12+19*float64(k)
		p.line("key "+l.class, x, y, x+34, y, l.dash)
		p.mark(l.class, l.shape, point{x + 17, y})
		p.text(labelClass(name, highlight), x+42, y+4, start, c.Entrant(name).Label)
	}
}

func labelClass(name, highlight string) string {
	if name == highlight {
		return "highlight"
	}
	return ""
}

func names(c *record.Contest) (all []string) {
	for _, e := range c.Entrants {
		all = append(all, e.Name)
	}
	return all
}

func bounds(panels []record.Contest, value func(c *record.Contest, e *record.Entrant, i int) float64) (low, high float64) {
	low = math.Inf(1)
	for k := range panels {
		c := &panels[k]
		for n := range c.Entrants {
			for i := range c.Sizes {
				v := value(c, &c.Entrants[n], i)
				low, high = min(low, v), max(high, v)
			}
		}
	}
	return low, high
}

func speedLines(c *record.Charted, machine string) []byte {
	low, high := bounds(c.Panels, (*record.Contest).GBs)
	low, high = roundDown(low), roundUp(high)
	plots := newPlots(c, machine)
	for i, p := range plots {
		contest := &c.Panels[i]
		first, last := float64(slices.Min(contest.Sizes)), float64(slices.Max(contest.Sizes))
		p.x, p.y = logarithmic(first, last, p.left, p.right), logarithmic(low, high, p.bottom, p.top)
		y := ""
		if i == 0 {
			y = "speed, GB/s (logarithmic)"
		}
		p.axes("message size (logarithmic)", y, sizeTicks(first, last), speedTicks(low, high))
		p.lines(contest, c.Highlight, contest.GBs)
	}
	plots[len(plots)-1].key(&c.Panels[0], c.Highlight)
	return plots[0].bytes()
}

// ratios draws the speeds as multiples of one entrant's speed, for all sizes from 0.
// The logarithmic axis shows size 0 at one half.
func ratios(c *record.Charted, machine string) []byte {
	contest := c.Panels[0]
	peer := contest.Entrant(contest.RatioTo)
	contest.Entrants = slices.DeleteFunc(slices.Clone(contest.Entrants), func(e record.Entrant) bool { return e.Name == contest.RatioTo })
	ratio := func(e *record.Entrant, i int) float64 { return peer.NS[i] / e.NS[i] }
	_, high := bounds([]record.Contest{contest}, func(_ *record.Contest, e *record.Entrant, i int) float64 { return ratio(e, i) })
	high = math.Ceil(max(1, high)*2) / 2
	p := newPlots(c, machine)[0]
	last := float64(slices.Max(contest.Sizes))
	scale := logarithmic(0.5, last, p.left, p.right)
	p.x = func(v float64) float64 { return scale(max(v, 0.5)) }
	p.y = func(v float64) float64 { return p.bottom + (p.top-p.bottom)*v/high }
	ticks := append([]tick{{0, "0"}}, sizeTicks(1, last)...)
	p.axes("message size (logarithmic)", "speed, multiples of "+peer.Label+"'s", ticks, evenTicks(high))
	p.line("one", p.left, p.y(1), p.right, p.y(1), "")
	p.lines(&contest, c.Highlight, ratio)
	p.key(&contest, c.Highlight)
	p.text("note", p.right+20, p.y(1)+4, start, "the speed of "+peer.Label)
	return p.bytes()
}

func bars(c *record.Charted, machine string) []byte {
	_, high := bounds(c.Panels, (*record.Contest).GBs)
	rows := ordered(names(&c.Panels[0]), c.Highlight)
	top := titleHeight + 14
	height := top + barHeight*float64(len(rows)) + bottomMargin
	d := newDrawing(barsWidth, height)
	d.title(c.Title(), machine, c.Conditions)
	width := (barsWidth - labelWidth) / float64(len(c.Panels))
	for i := range c.Panels {
		contest := &c.Panels[i]
		left := labelWidth + width*float64(i)
		p := &plot{drawing: d, left: left, right: left + width - valueWidth, top: top, bottom: height - bottomMargin}
		p.x = func(v float64) float64 { return p.left + (p.right-p.left)*v/high }
		p.axes("speed, GB/s", "", evenTicks(high), nil)
		if len(c.Panels) > 1 {
			p.text("axis", p.left, p.top-6, start, panelTitle(contest))
		}
		for k, name := range rows {
			y := p.top + barHeight*float64(k)
			if i == 0 {
				p.text(labelClass(name, c.Highlight), p.left-8, y+barHeight/2+4, end, contest.Entrant(name).Label)
			}
			e := contest.Entrant(name)
			if e == nil {
				p.text("note", p.left+6, y+barHeight/2+4, start, "not measured")
				continue
			}
			speed := contest.GBs(e, 0)
			p.bar(lookOf(name, c.Highlight).class, p.left, y+5, p.x(speed)-p.left, barHeight-10)
			p.text(labelClass(name, c.Highlight), p.x(speed)+6, y+barHeight/2+4, start, record.Three(speed))
		}
	}
	return d.bytes()
}

type tick struct {
	value float64
	label string
}

func sizeTicks(low, high float64) (ticks []tick) {
	for n := 1; float64(n) <= high; n *= 4 {
		if float64(n) >= low {
			ticks = append(ticks, tick{float64(n), record.Size(n)})
		}
	}
	return ticks
}

func speedTicks(low, high float64) (ticks []tick) {
	for _, v := range speeds {
		if v >= low && v <= high {
			ticks = append(ticks, tick{v, fmt.Sprint(v)})
		}
	}
	return ticks
}

// evenTicks returns up to seven ticks, beginning at 0. Their distance is 1, 2 or 5
// times a power of ten.
func evenTicks(high float64) (ticks []tick) {
	step := roundUp(high / 6)
	for i := 0; float64(i)*step <= high; i++ {
		v := float64(i) * step
		ticks = append(ticks, tick{v, fmt.Sprintf("%.3g", v)})
	}
	return ticks
}

// speeds lists 1, 2 and 5 times powers of ten, in order.
var speeds = func() (all []float64) {
	for power := -4; power <= 4; power++ {
		for _, digit := range []float64{1, 2, 5} {
			v := digit * math.Pow10(max(power, 0)) / math.Pow10(max(-power, 0))
			all = append(all, v)
		}
	}
	return all
}()

// roundDown returns the greatest element of speeds up to v, or else the least element.
func roundDown(v float64) float64 {
	r := speeds[0]
	for _, s := range speeds {
		if s <= v {
			r = s
		}
	}
	return r
}

// roundUp returns the least element of speeds not below v, or v if there is none.
func roundUp(v float64) float64 {
	for _, s := range speeds {
		if s >= v {
			return s
		}
	}
	return v
}
