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

// A process is a command that runs.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr io.ReadCloser // nil with a terminal
	tty    *os.File      // nil without

	mu    sync.Mutex
	ended bool // its number may be another's
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

// hangup tells the command that its client is gone. One that does not listen
// goes on without streams.
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

// wait waits until the command has ended.
func (p *process) wait() {
	p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

// finish moves the streams of the command until it ends, and tells the client
// how it ended.
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
		// To wait for the command closes the pipes, so they have to be empty.
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
	// Before the end of the output: dropbear's and PuTTY's clients close the channel when
	// that comes, and take a status that is not there for success.
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

// terminalReader reads what a command prints on its terminal. What a shell
// leaves in the background keeps the terminal open, but not the session: after
// drain, it is at its end when nothing comes for a moment.
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
