// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A Progress shows the number of bytes processed, the speed and the remaining time in a
// line on standard error. The line appears only on a terminal, and no earlier than one
// second after the first call to [Call.Progress].
type Progress struct {
	bar     *progressbar.ProgressBar // nil if nothing is shown
	started time.Time
	out     io.Writer
}

// ProgressFlag defines -progress.
func (c *Call) ProgressFlag() {
	c.Flags.BoolVar(&c.progress, "progress", true, "show the progress, if standard error is a terminal")
}

// Progress returns a Progress for total bytes. If total is not positive, the number of
// bytes is unknown.
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
			progressbar.OptionSetSpinnerChangeInterval(0)) // does not start a goroutine
	}
	return p
}

// ProgressOf returns a Progress for reading the named files. "-" means standard input.
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

// Add adds n to the number of bytes processed.
func (p *Progress) Add(n int64) {
	if p.bar != nil {
		p.bar.Add64(n)
	}
}

// Write writes the line. Only the progress bar calls it.
func (p *Progress) Write(line []byte) (int, error) {
	if time.Since(p.started) < time.Second {
		return len(line), nil
	}
	return p.out.Write(line)
}

// Reader returns a reader that counts the bytes read from r.
func (p *Progress) Reader(r io.Reader) io.Reader {
	if p.bar == nil {
		return r
	}
	counted := progressbar.NewReader(r, p.bar)
	return &counted
}

// Clear erases the line. Call it before printing anything else.
func (p *Progress) Clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
