// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A Progress shows how much was read or written, and how fast. Nothing is shown
// where nobody would see it, nor, where the size is not known, of what is over soon.
type Progress struct {
	r     io.Reader
	bar   *progressbar.ProgressBar // nil until it is shown
	start func() *progressbar.ProgressBar
	from  time.Time // when it is shown; zero for never
	n     int64     // bytes before that
}

// soon is how long something of unknown size takes before it is shown.
const soon = time.Second

// NewProgress reads from in, of size bytes, or -1 if that shows at its end. The bar
// goes to standard error if that is a terminal which the result does not go to.
func (c *Call) NewProgress(in io.Reader, size int64, toStdout bool) *Progress {
	p := &Progress{r: in}
	if size == 0 || !IsTerminal(c.Stderr) || toStdout && IsTerminal(c.Stdout.W) {
		return p
	}
	p.from = time.Now()
	if size < 0 {
		p.from = p.from.Add(soon)
	}
	p.start = func() *progressbar.ProgressBar {
		return progressbar.NewOptions64(size,
			progressbar.OptionSetWriter(c.Stderr),
			progressbar.OptionShowBytes(true),
			progressbar.OptionUseIECUnits(true),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionFullWidth(),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine of its own
		)
	}
	return p
}

func (p *Progress) add(n int64) {
	switch {
	case p.from.IsZero():
	case p.bar != nil:
		p.bar.Add64(n)
	default:
		if p.n += n; time.Now().After(p.from) {
			p.bar = p.start()
			p.bar.Add64(p.n)
		}
	}
}

func (p *Progress) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.add(int64(n))
	return n, err
}

// End leaves the bar as it is where all went well, and removes it otherwise.
func (p *Progress) End(c *Call, ok bool) {
	switch {
	case p.bar == nil:
	case ok:
		if p.bar.GetMax64() > 0 {
			p.bar.Finish()
		}
		p.bar.Exit()
		fmt.Fprintln(c.Stderr)
	default:
		p.bar.Clear()
		p.bar.Exit()
	}
}

// InputSize returns how many bytes an input has, or -1 if that shows at its end.
func InputSize(in io.Reader) int64 {
	if f, ok := in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return -1
}
