// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// A process is a running command.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr io.ReadCloser // nil if tty is set
	tty    *os.File      // nil without a terminal

	mu    sync.Mutex
	ended bool // the process ID may have been reused
}

func (p *process) startWithPipes() (err error) {
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	if p.stdout, err = p.cmd.StdoutPipe(); err != nil {
		return err
	}
	if p.stderr, err = p.cmd.StderrPipe(); err != nil {
		return err
	}
	inOwnSession(p.cmd)
	return p.cmd.Start()
}

// hangup signals the command that its client has disconnected, and closes its streams.
// A command that ignores the signal continues without them.
func (p *process) hangup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	hangup(p.cmd)
	p.stdin.Close()
	p.stdout.Close()
	if p.stderr != nil {
		p.stderr.Close()
	}
}

// wait waits for the command to exit.
func (p *process) wait() {
	p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

// finish copies the streams of the command until it exits, and sends its exit status to
// the client.
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
		// Read all output first, because waiting for the command closes the pipes.
		output.Wait()
		p.wait()
	} else {
		tty := &terminalReader{tty: p.tty}
		output.Go(func() { io.Copy(s.channel, tty) })
		p.wait()
		tty.drain()
		output.Wait()
		p.tty.Close()
	}
	// Send the status before the end of the output. The clients of dropbear and PuTTY
	// close the channel at the end of the output, and interpret a missing status as
	// success.
	if name, ok := endedBySignal(p.cmd.ProcessState); ok {
		s.channel.SendRequest("exit-signal", false, ssh.Marshal(&struct {
			Signal     string
			CoreDumped bool
			Message    string
			Language   string
		}{Signal: string(name)}))
	} else {
		s.channel.SendRequest("exit-status", false, ssh.Marshal(&struct{ Status uint32 }{exitStatus(p.cmd.ProcessState)}))
	}
	s.channel.CloseWrite()
	s.channel.Close()
}

// A terminalReader reads the output of a command on its terminal. Background processes
// of a shell may keep the terminal open, but must not keep the session open. After
// drain was called, reading ends when no output arrives for drainTime.
type terminalReader struct {
	tty   *os.File
	ended atomic.Bool
}

const drainTime = 200 * time.Millisecond

func (r *terminalReader) Read(p []byte) (int, error) {
	if r.ended.Load() {
		r.tty.SetReadDeadline(time.Now().Add(drainTime))
	}
	return r.tty.Read(p)
}

func (r *terminalReader) drain() {
	r.ended.Store(true)
	r.tty.SetReadDeadline(time.Now().Add(drainTime))
}
