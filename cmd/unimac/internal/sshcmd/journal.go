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

// A journal writes what happens, one line for each event. Whoever has something to
// say never waits for those who read it: there is a queue with one writer, and what
// does not fit into the queue is dropped and counted.
type journal struct {
	stdout, stderr io.Writer
	prefix         string // of what is written to stderr
	queue          chan entry
	dropped        atomic.Int64
}

type entry struct {
	to      io.Writer
	line    string
	written chan struct{} // closed in place of a line, if there is one
}

const (
	journalSize = 1024
	// maxEntry is the most bytes of a line: peers choose some of them.
	maxEntry = 1000
)

func newJournal(stdout, stderr io.Writer, prefix string) *journal {
	j := &journal{stdout: stdout, stderr: stderr, prefix: prefix, queue: make(chan entry, journalSize)}
	go j.write()
	return j
}

// printf reports what went well, on standard output.
func (j *journal) printf(format string, args ...any) {
	j.put(j.stdout, timestamp()+" "+fmt.Sprintf(format, args...))
}

// errorf reports what did not, on standard error.
func (j *journal) errorf(format string, args ...any) {
	j.put(j.stderr, j.prefix+timestamp()+" "+fmt.Sprintf(format, args...))
}

func timestamp() string { return time.Now().UTC().Format(time.RFC3339) }

// put queues a line, made visible: a peer chose some of it, perhaps before it has
// logged in.
func (j *journal) put(to io.Writer, line string) {
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

// write is the one writer.
func (j *journal) write() {
	for e := range j.queue {
		if e.written != nil {
			close(e.written)
			continue
		}
		io.WriteString(e.to, e.line) // nothing can be done about an error
		if n := j.dropped.Swap(0); n > 0 {
			fmt.Fprintf(j.stderr, "%s%s %d messages were dropped, as nobody read them in time\n", j.prefix, timestamp(), n)
		}
	}
}

// flush waits until all is written that is queued, as long as it is patient.
func (j *journal) flush(patience time.Duration) {
	written := make(chan struct{})
	go func() { j.queue <- entry{written: written} }()
	select {
	case <-written:
	case <-time.After(patience):
	}
}
