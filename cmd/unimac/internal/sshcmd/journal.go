// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A journal writes one line for each event. Reporting an event never blocks, because a
// single goroutine writes the queued lines. If the queue is full, the journal drops and
// counts new lines.
type journal struct {
	stdout, stderr io.Writer
	prefix         string // prefix of lines on stderr
	queue          chan entry
	dropped        atomic.Int64
}

type entry struct {
	to      io.Writer
	line    string
	written chan struct{} // if not nil, write closes it instead of writing a line
}

const (
	journalSize = 1024
	// maxEntry is the maximum size of a line in bytes. The limit is necessary because a
	// peer may choose part of the line.
	maxEntry = 1000
)

func newJournal(stdout, stderr io.Writer, prefix string) *journal {
	j := &journal{stdout: stdout, stderr: stderr, prefix: prefix, queue: make(chan entry, journalSize)}
	go j.write()
	return j
}

// printf reports a successful event on standard output.
func (j *journal) printf(format string, args ...any) {
	j.enqueue(j.stdout, timestamp()+" "+fmt.Sprintf(format, args...))
}

// errorf reports an error on standard error.
func (j *journal) errorf(format string, args ...any) {
	j.enqueue(j.stderr, j.prefix+timestamp()+" "+fmt.Sprintf(format, args...))
}

func timestamp() string { return time.Now().UTC().Format(time.RFC3339) }

// enqueue adds a line to the queue. It passes the line through [cli.Visible], because a
// peer may have chosen part of the line, possibly before logging in.
func (j *journal) enqueue(to io.Writer, line string) {
	line = cli.Visible(line)
	if len(line) > maxEntry {
		line = line[:maxEntry] + "…"
	}
	select {
	case j.queue <- entry{to: to, line: line + "\n"}:
	default:
		j.dropped.Add(1)
	}
}

// write writes the queued lines. newJournal runs it in a goroutine.
func (j *journal) write() {
	for e := range j.queue {
		if e.written != nil {
			close(e.written)
			continue
		}
		io.WriteString(e.to, e.line) // there is nowhere to report an error
		if n := j.dropped.Swap(0); n > 0 {
			fmt.Fprintf(j.stderr, "%s%s %d messages were dropped because nobody read them in time\n", j.prefix, timestamp(), n)
		}
	}
}

// flush waits until all queued lines are written, but not longer than patience.
func (j *journal) flush(patience time.Duration) {
	written := make(chan struct{})
	go func() { j.queue <- entry{written: written} }()
	select {
	case <-written:
	case <-time.After(patience):
	}
}
