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

// A journal writes one line per event. When its queue is full, it drops lines and
// counts them, so that a stalled reader cannot block the server.
type journal struct {
	stdout, stderr io.Writer
	prefix         string // prefix of lines on stderr
	queue          chan func()
	dropped        atomic.Int64
}

const (
	journalSize = 1024
	maxEntry    = 1000 // bytes per line, limited because part of a line may come from a peer
)

func newJournal(stdout, stderr io.Writer, prefix string) *journal {
	j := &journal{stdout: stdout, stderr: stderr, prefix: prefix, queue: make(chan func(), journalSize)}
	go func() {
		for write := range j.queue {
			write()
			if n := j.dropped.Swap(0); n > 0 {
				fmt.Fprintf(stderr, "%s%s %d messages were dropped because nobody read them in time\n", prefix, timestamp(), n)
			}
		}
	}()
	return j
}

// printf logs a successful event to standard output.
func (j *journal) printf(format string, args ...any) {
	j.enqueue(j.stdout, timestamp()+" "+fmt.Sprintf(format, args...))
}

// errorf logs an error to standard error.
func (j *journal) errorf(format string, args ...any) {
	j.enqueue(j.stderr, j.prefix+timestamp()+" "+fmt.Sprintf(format, args...))
}

func timestamp() string { return time.Now().UTC().Format(time.RFC3339) }

// enqueue queues line, or drops it if the queue is full. It escapes line with
// [cli.Visible], because line may contain text from an unauthenticated peer.
func (j *journal) enqueue(to io.Writer, line string) {
	line = cli.Visible(line)
	if len(line) > maxEntry {
		line = line[:maxEntry] + "…"
	}
	select {
	case j.queue <- func() { io.WriteString(to, line+"\n") }: // there is nowhere to report an error
	default:
		j.dropped.Add(1)
	}
}

// flush waits until all queued lines have been written or patience has elapsed.
func (j *journal) flush(patience time.Duration) {
	written := make(chan struct{})
	go func() { j.queue <- func() { close(written) } }()
	select {
	case <-written:
	case <-time.After(patience):
	}
}
