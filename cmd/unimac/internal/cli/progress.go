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

// A Progress shows how much of an input was read, and how fast. The bar is nil
// where nobody would see it.
type Progress struct {
	r   io.Reader
	bar *progressbar.ProgressBar
}

// NewProgress reads from in, of size bytes, or -1 if that shows at its end. The bar
// goes to standard error if that is a terminal that nothing else is written to.
func (c *Call) NewProgress(in io.Reader, size int64, out *Output) *Progress {
	p := &Progress{r: in}
	if size == 0 || !IsTerminal(c.Stderr) || out.Path == "-" && IsTerminal(c.Stdout.W) {
		return p
	}
	p.bar = progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(c.Stderr),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine of its own
	)
	return p
}

func (p *Progress) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if p.bar != nil {
		p.bar.Add(n)
	}
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
