// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// A session is a channel on which a client runs one command or shell
// (RFC 4254, section 6).
type session struct {
	server  *server
	channel ssh.Channel
	env     []string
	term    *terminal // nil without a pseudo-terminal
	process *process  // nil before it started
}

// A terminal is what a client tells of the one that it runs in.
type terminal struct {
	kind       string // the value of TERM
	cols, rows uint32
}

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

func newSession(s *server, conn *ssh.ServerConn, channel ssh.Channel) *session {
	env := os.Environ()
	remote, remotePort, err1 := net.SplitHostPort(conn.RemoteAddr().String())
	local, localPort, err2 := net.SplitHostPort(conn.LocalAddr().String())
	if err1 == nil && err2 == nil {
		env = append(env, fmt.Sprintf("SSH_CONNECTION=%s %s %s %s", remote, remotePort, local, localPort))
	}
	return &session{server: s, channel: channel, env: env}
}

// serve answers requests until the channel is closed, which ends the command.
func (s *session) serve(ctx context.Context, requests <-chan *ssh.Request) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.channel.Close()
	for request := range requests {
		err := s.answer(ctx, request)
		if err != nil && !errors.Is(err, errUnsupported) {
			s.server.errorf("%s: %v", request.Type, err)
		}
		if request.WantReply {
			request.Reply(err == nil, nil)
		}
		if err == nil && (request.Type == "exec" || request.Type == "shell") {
			// Not before the reply, which it would overtake.
			go s.finish()
		}
	}
}

var (
	errUnsupported = errors.New("unsupported request")
	errStarted     = errors.New("the session has a command already")
)

func (s *session) answer(ctx context.Context, request *ssh.Request) error {
	switch request.Type {
	case "env":
		var p struct{ Name, Value string }
		if err := ssh.Unmarshal(request.Payload, &p); err != nil {
			return err
		}
		return s.setenv(p.Name, p.Value)
	case "pty-req":
		var p struct {
			Term                      string
			Cols, Rows, Width, Height uint32
			Modes                     string
		}
		if err := ssh.Unmarshal(request.Payload, &p); err != nil {
			return err
		}
		if s.process != nil {
			return errStarted
		}
		if !haveTerminals {
			return errUnsupported
		}
		s.term = &terminal{p.Term, p.Cols, p.Rows}
		return s.setenv("TERM", p.Term)
	case "window-change":
		var p struct{ Cols, Rows, Width, Height uint32 }
		if err := ssh.Unmarshal(request.Payload, &p); err != nil {
			return err
		}
		if s.process == nil || s.process.tty == nil {
			return errUnsupported
		}
		return resize(s.process.tty, p.Cols, p.Rows)
	case "signal":
		var p struct{ Signal string }
		if err := ssh.Unmarshal(request.Payload, &p); err != nil {
			return err
		}
		if s.process == nil {
			return errUnsupported
		}
		return s.process.signal(ssh.Signal(p.Signal))
	case "exec":
		var p struct{ Command string }
		if err := ssh.Unmarshal(request.Payload, &p); err != nil {
			return err
		}
		return s.start(ctx, commandInShell(p.Command))
	case "shell":
		return s.start(ctx, loginShell())
	}
	return errUnsupported
}

func (s *session) setenv(name, value string) error {
	if s.process != nil {
		return errStarted
	}
	if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
		return fmt.Errorf("variable %q cannot be set", name)
	}
	s.env = append(s.env, name+"="+value)
	return nil
}

// start starts the command, whose output finish takes.
func (s *session) start(ctx context.Context, cmd *exec.Cmd) (err error) {
	if s.process != nil {
		return errStarted
	}
	cmd.Env = s.env
	if home := inHome(); home != "" {
		if info, err := os.Stat(home); err == nil && info.IsDir() {
			cmd.Dir = home
		}
	}
	p := &process{cmd: cmd}
	if s.term != nil {
		if p.tty, err = startInTerminal(cmd, s.term); err != nil {
			return err
		}
		p.stdin, p.stdout = p.tty, p.tty
	} else if err := p.startWithPipes(); err != nil {
		return err
	}
	s.process = p
	context.AfterFunc(ctx, p.hangup)
	return nil
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
	inOwnGroup(p.cmd)
	return p.cmd.Start()
}

// signal sends a signal to the command.
func (p *process) signal(name ssh.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return errUnsupported
	}
	return sendSignal(p.cmd, name)
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
	s.channel.CloseWrite()
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
