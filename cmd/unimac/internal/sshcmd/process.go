// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr io.ReadCloser // nil if tty is set
	tty    *os.File      // nil without a terminal

	mu    sync.Mutex
	ended bool // another process may have the process ID
}

func (p *process) startWithPipes() error {
	var err1, err2, err3 error
	p.stdin, err1 = p.cmd.StdinPipe()
	p.stdout, err2 = p.cmd.StdoutPipe()
	p.stderr, err3 = p.cmd.StderrPipe()
	if err := cmp.Or(err1, err2, err3); err != nil {
		return err
	}
	inOwnSession(p.cmd)
	return p.cmd.Start()
}

// hangup sends SIGHUP to the command and closes its streams. If the command ignores
// SIGHUP, it keeps running without them.
func (p *process) hangup() {
	p.signal(ssh.SIGHUP)
	p.stdin.Close()
	p.stdout.Close()
	if p.stderr != nil {
		p.stderr.Close()
	}
}

func (p *process) signal(name ssh.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return errUnsupported
	}
	return signalGroup(p.cmd, name)
}

func (p *process) wait() {
	p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

// finish copies the command's streams until it exits, and then sends its exit status.
func (s *session) finish() {
	p := s.process
	go func() {
		io.Copy(p.stdin, s.channel)
		if p.tty == nil {
			p.stdin.Close()
		}
	}()
	var output sync.WaitGroup
	if p.tty == nil {
		output.Go(func() { io.Copy(s.channel, p.stdout) })
		output.Go(func() { io.Copy(s.channel.Stderr(), p.stderr) })
		// Read all output first, because wait closes the pipes.
		output.Wait()
		p.wait()
	} else {
		tty := &terminalReader{tty: p.tty, rest: maxPending}
		output.Go(func() { io.Copy(s.channel, tty) })
		p.wait()
		p.tty.SetReadDeadline(time.Now().Add(drainTime))
		output.Wait()
		p.tty.Close()
	}
	// Send the status before closing the output. When the output ends, the Dropbear and
	// PuTTY clients close the channel, and report success if no status has arrived.
	if status, signal := exitOf(p.cmd.ProcessState); signal != "" {
		s.channel.SendRequest("exit-signal", false, ssh.Marshal(&struct {
			Signal     string
			CoreDumped bool
			Message    string
			Language   string
		}{Signal: string(signal)}))
	} else {
		s.channel.SendRequest("exit-status", false, ssh.Marshal(&struct{ Status uint32 }{status}))
	}
	s.channel.CloseWrite()
	s.channel.Close()
}

// A terminalReader reads a command's output from its terminal. It stops soon after the
// command exits, even if background processes keep the terminal open.
type terminalReader struct {
	tty  *os.File
	rest int // number of bytes to read after the deadline
}

const (
	// drainTime is how long to read output after a command exits.
	drainTime = 200 * time.Millisecond
	// maxPending is the maximum number of bytes to read from the terminal after
	// drainTime has passed. It is larger than the system's terminal buffer, so that
	// slow clients lose no output.
	maxPending = 64 << 10
)

func (r *terminalReader) Read(p []byte) (int, error) {
	n, err := r.tty.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		n, err = readPending(r.tty, p[:min(len(p), r.rest)])
		r.rest -= n
	}
	return n, err
}
