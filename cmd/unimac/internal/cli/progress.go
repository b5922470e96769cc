// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A Progress shows how many bytes of some work are done, how fast, and the time left. It uses
// one line of the terminal that standard error is, from one second after the first call of
// Progress on. If standard error is not a terminal, or with -progress=false, it shows nothing.
type Progress struct {
	bar     *progressbar.ProgressBar // nil if nothing is shown
	started time.Time
	out     io.Writer
}

// ProgressFlag defines -progress.
func (c *Call) ProgressFlag() {
	c.Flags.BoolVar(&c.progress, "progress", true, "show the progress, if standard error is a terminal")
}

// Progress returns the progress of work on total bytes, or on an unknown number if total is not
// positive.
func (c *Call) Progress(total int64) *Progress {
	if c.started.IsZero() {
		c.started = time.Now()
	}
	p := &Progress{started: c.started, out: c.Stderr}
	if c.progress && IsTerminal(c.Stderr) {
		if total <= 0 {
			total = -1
		}
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p), progressbar.OptionShowBytes(true), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(10), progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetSpinnerChangeInterval(0)) // without a goroutine that draws
	}
	return p
}

// ProgressOf returns the progress of reading files, where "-" is standard input.
func (c *Call) ProgressOf(names ...string) *Progress {
	total := int64(0)
	for _, name := range names {
		info, err := os.Stat(name)
		if stdin, ok := c.Stdin.(*os.File); ok && name == "-" {
			info, err = stdin.Stat()
		}
		if err != nil || !info.Mode().IsRegular() {
			return c.Progress(-1)
		}
		total += info.Size()
	}
	return c.Progress(total)
}

// Add adds n bytes to those that are done.
func (p *Progress) Add(n int64) {
	if p.bar != nil {
		p.bar.Add64(n)
	}
}

// Write draws the line. Only the bar calls it.
func (p *Progress) Write(line []byte) (int, error) {
	if time.Since(p.started) < time.Second {
		return len(line), nil
	}
	return p.out.Write(line)
}

// Reader returns a reader of r that adds the bytes which are read.
func (p *Progress) Reader(r io.Reader) io.Reader {
	if p.bar == nil {
		return r
	}
	return countedReader{r, p}
}

type countedReader struct {
	io.Reader
	progress *Progress
}

func (r countedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.progress.Add(int64(n))
	return n, err
}

// Clear erases the line, before something else is printed.
func (p *Progress) Clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
