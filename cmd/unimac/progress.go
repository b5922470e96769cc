// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows how much of an input was read, and how fast. The bar is nil
// where nobody would see it.
type progress struct {
	r   io.Reader
	bar *progressbar.ProgressBar
}

// newProgress reads from in, of size bytes, or -1 if that shows at its end. The bar goes to standard error if that is a terminal
// that nothing else is written to.
func (c *call) newProgress(in io.Reader, size int64, out *output) *progress {
	p := &progress{r: in}
	if size == 0 || !isTerminal(c.stderr) || out.path == "-" && isTerminal(c.stdout.w) {
		return p
	}
	p.bar = progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(c.stderr),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine of its own
	)
	return p
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if p.bar != nil {
		p.bar.Add(n)
	}
	return n, err
}

// end leaves the bar as it is where all went well, and removes it otherwise.
func (p *progress) end(c *call, ok bool) {
	switch {
	case p.bar == nil:
	case ok:
		if p.bar.GetMax64() > 0 {
			p.bar.Finish()
		}
		p.bar.Exit()
		fmt.Fprintln(c.stderr)
	default:
		p.bar.Clear()
		p.bar.Exit()
	}
}

// inputSize returns how many bytes an input has, or -1 if that shows at its end.
func inputSize(in io.Reader) int64 {
	if f, ok := in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return -1
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
