// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The sizes of a chart in points.
const (
	chartWidth  vg.Length = 720
	chartHeight vg.Length = 400
	titleHeight vg.Length = 52
	barHeight   vg.Length = 32
)

// Colours that people who see few colours can also tell apart (Okabe and Ito).
var (
	blue    = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	skyBlue = color.RGBA{0x56, 0xb4, 0xe9, 0xff}
	others  = []color.Color{
		color.RGBA{0xd5, 0x5e, 0x00, 0xff}, // vermilion
		color.RGBA{0x00, 0x9e, 0x73, 0xff}, // green
		color.RGBA{0xcc, 0x79, 0xa7, 0xff}, // purple
		color.RGBA{0xe6, 0x9f, 0x00, 0xff}, // orange
		color.RGBA{0x55, 0x55, 0x55, 0xff},
	}
	dashes = [][]vg.Length{{6, 3}, {2, 2}, {8, 3, 2, 3}, {1, 3}}
	glyphs = []draw.GlyphDrawer{draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}}
)

// Chart draws the speeds of a contest: lines over the sizes, or bars where there
// is one size.
func Chart(r *Result, machine string) ([]byte, error) {
	p := plot.New()
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(12)
		axis.Tick.Label.Font = sans(11)
		axis.Label.Padding = 4
	}
	title := func(c draw.Canvas) {
		style := text.Style{Font: sans(15), YAlign: text.YTop, Handler: p.TextHandler}
		style.Font.Weight = xfont.WeightBold
		c.FillText(style, vg.Point{X: 12, Y: c.Max.Y - 8}, r.Contest.Title)
		style.Font = sans(10)
		style.Color = color.Gray{0x55}
		c.FillText(style, vg.Point{X: 12, Y: c.Max.Y - 28}, machine)
	}
	if len(r.Contest.Sizes) == 1 {
		return bars(p, r, title)
	}
	return lines(p, r, title)
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// lines draws a line for each entrant.
func lines(p *plot.Plot, r *Result, title func(c draw.Canvas)) ([]byte, error) {
	p.X.Label.Text, p.Y.Label.Text = "length of a message", "speed, GB/s"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = sizeTicks{}, speedTicks{}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xdd}, color.Gray{0xee}
	p.Add(grid)
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.TextStyle.Font = sans(11)
	legend.Padding = 4
	legend.ThumbnailWidth = 30
	own, other := 0, 0
	// What matters is drawn last, on top, and named first.
	var drawn []plot.Plotter
	for k := range r.Lines {
		l := &r.Lines[k]
		var points plotter.XYs
		for i, size := range r.Contest.Sizes {
			points = append(points, plotter.XY{X: float64(size), Y: r.speed(l, i)})
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Width, marks.Radius = 1.5, 2.5
		switch {
		case k == 0:
			line.Color, marks.Color, line.Width, marks.Shape = blue, blue, 2.5, draw.CircleGlyph{}
		case l.Ours && l.Other:
			// No way to do the work, but a limit.
			line.Color, marks.Color, line.Dashes = color.Gray{0x88}, color.Gray{0x88}, dashes[3]
			marks.Radius = 0
		case l.Ours:
			line.Color, marks.Color, line.Dashes, marks.Shape = skyBlue, skyBlue, dashes[own%len(dashes)], draw.CircleGlyph{}
			marks.Radius = 1.5
			own++
		default:
			colour := others[other%len(others)]
			line.Color, marks.Color, marks.Shape = colour, colour, glyphs[other%len(glyphs)]
			other++
		}
		legend.Add(l.Label, line, marks)
		drawn = append([]plot.Plotter{line, marks}, drawn...)
	}
	p.Add(drawn...)
	p.Y.Min, p.Y.Max = roundDown(p.Y.Min), roundUp(p.Y.Max)
	return svg(chartWidth, chartHeight, func(c draw.Canvas) {
		title(c)
		// The legend has a column of its own, so that it covers no line.
		size := legend.Rectangle(c).Size()
		p.Draw(draw.Crop(c, 8, -size.X-24, 8, -titleHeight))
		legend.Draw(draw.Crop(c, c.Size().X-size.X-12, 0, 0, -titleHeight))
	})
}

// bars draws a bar for each entrant.
func bars(p *plot.Plot, r *Result, title func(c draw.Canvas)) ([]byte, error) {
	p.X.Label.Text = "speed, GB/s"
	p.X.Tick.Marker = evenTicks{}
	p.X.Min = 0
	n := len(r.Lines)
	labels, values := make([]string, n), plotter.XYLabels{}
	other := 0
	for k := range r.Lines {
		l := &r.Lines[k]
		at := n - 1 - k // the first is on top
		bar, err := plotter.NewBarChart(plotter.Values{r.speed(l, 0)}, barHeight*2/3)
		if err != nil {
			return nil, err
		}
		bar.Horizontal, bar.XMin, bar.LineStyle.Width = true, float64(at), 0
		switch {
		case k == 0:
			bar.Color = blue
		case l.Ours:
			bar.Color = skyBlue
		default:
			bar.Color = others[other%len(others)]
			other++
		}
		p.Add(bar)
		labels[at] = l.Label
		values.XYs = append(values.XYs, plotter.XY{X: r.speed(l, 0), Y: float64(at)})
		values.Labels = append(values.Labels, figures(r.speed(l, 0)))
		p.X.Max = max(p.X.Max, r.speed(l, 0)*1.1)
	}
	texts, err := plotter.NewLabels(values)
	if err != nil {
		return nil, err
	}
	for i := range texts.TextStyle {
		texts.TextStyle[i].Font = sans(11)
		texts.TextStyle[i].YAlign = draw.YCenter
	}
	texts.Offset = vg.Point{X: 4, Y: 2}
	p.Add(texts)
	p.NominalY(labels...)
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	return svg(chartWidth, titleHeight+vg.Length(n)*barHeight+56, func(c draw.Canvas) {
		title(c)
		p.Draw(draw.Crop(c, 12, -16, 8, -titleHeight))
	})
}

// svg returns a drawing as SVG.
func svg(width, height vg.Length, paint func(c draw.Canvas)) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	paint(c)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// Who lacks the font gets one that is as wide.
	out := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	const header = "<!-- SPDX-License-Identifier: BSD-3-Clause -->\n<!-- Copyright 2026 The unimac Authors -->\n<!-- Generated by internal/bench. DO NOT EDIT. -->\n"
	at := bytes.IndexByte(out, '\n') + 1 // behind <?xml …?>
	return append(append(bytes.Clone(out[:at]), header...), out[at:]...), nil
}

// sizeTicks marks the powers of four.
type sizeTicks struct{}

func (sizeTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for n := 1; float64(n) <= high; n *= 4 {
		if float64(n) >= low {
			ticks = append(ticks, plot.Tick{Value: float64(n), Label: Size(n)})
		}
	}
	return ticks
}

// speedTicks marks 1, 2 and 5 of each power of ten.
type speedTicks struct{}

func (speedTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for _, v := range speeds {
		if v >= low && v <= high {
			ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprint(v)})
		}
	}
	return ticks
}

// evenTicks marks six steps at most, of 1, 2 or 5 of a power of ten each.
type evenTicks struct{}

func (evenTicks) Ticks(_, high float64) (ticks []plot.Tick) {
	step := roundUp(high / 6)
	for i := 0; float64(i)*step <= high; i++ {
		v := float64(i) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.3g", v)})
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
