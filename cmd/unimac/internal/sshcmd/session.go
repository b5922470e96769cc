// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/crypto/ssh"
)

// A session is a channel on which a client runs one command or shell, or copies
// files (RFC 4254, section 6).
type session struct {
	login   *login
	channel ssh.Channel
	env     *environment
	term    *terminal // nil without a pseudo-terminal
	process *process  // nil before it started
	files   bool      // SFTP was started
}

// A terminal is what a client tells of the one that it runs in.
type terminal struct {
	kind       string // the value of TERM
	cols, rows uint32
	modes      string // as RFC 4254, section 8, encodes them
}

func newSession(l *login, channel ssh.Channel) *session {
	return &session{login: l, channel: channel, env: newEnvironment(l.conn.RemoteAddr(), l.conn.LocalAddr())}
}

// serve answers requests until the channel is closed, which ends the command: when
// serve returns, the command was told.
func (s *session) serve(requests <-chan *ssh.Request) {
	defer func() {
		s.channel.Close()
		if s.process != nil {
			s.process.hangup()
		}
	}()
	for request := range requests {
		begin, err := s.answer(request)
		if err != nil && !errors.Is(err, errUnsupported) {
			s.login.server.journal.errorf("%v: %s: %v", s.login.conn.RemoteAddr(), request.Type, err)
		}
		if request.WantReply {
			request.Reply(err == nil, nil)
		}
		if err == nil && begin != nil {
			go begin() // not before the reply, which it would overtake
		}
	}
}

var (
	errUnsupported = errors.New("unsupported request")
	errForbidden   = errors.New("the key may not do that")
	errStarted     = errors.New("the session has a command already")
)

// answer does what a request asks for. What begins is what moves its data.
func (s *session) answer(request *ssh.Request) (begin func(), err error) {
	switch request.Type {
	case "env":
		var p struct{ Name, Value string }
		if err := ssh.Unmarshal(request.Payload, &p); err != nil {
			return nil, err
		}
		if s.started() {
			return nil, errStarted
		}
		return nil, s.env.set(p.Name, p.Value)
	case "pty-req":
		return nil, s.requestTerminal(request.Payload)
	case "window-change":
		var p struct{ Cols, Rows, Width, Height uint32 }
		if err := ssh.Unmarshal(request.Payload, &p); err != nil {
			return nil, err
		}
		if s.process == nil || s.process.tty == nil {
			return nil, errUnsupported
		}
		return nil, resize(s.process.tty, p.Cols, p.Rows)
	case "exec":
		var p struct{ Command string }
		if err := ssh.Unmarshal(request.Payload, &p); err != nil {
			return nil, err
		}
		return s.finish, s.start(commandInShell(p.Command))
	case "shell":
		return s.finish, s.start(loginShell())
	case "subsystem":
		var p struct{ Name string }
		if err := ssh.Unmarshal(request.Payload, &p); err != nil {
			return nil, err
		}
		if s.started() {
			return nil, errStarted
		}
		if p.Name != "sftp" {
			return nil, errUnsupported
		}
		serve, err := s.serveFiles()
		s.files = err == nil
		return serve, err
	}
	return nil, errUnsupported
}

func (s *session) started() bool { return s.process != nil || s.files }

func (s *session) requestTerminal(payload []byte) error {
	var p struct {
		Term                      string
		Cols, Rows, Width, Height uint32
		Modes                     string
	}
	if err := ssh.Unmarshal(payload, &p); err != nil {
		return err
	}
	switch {
	case s.started():
		return errStarted
	case !haveTerminals:
		return errUnsupported
	case s.login.grant.noTerminal:
		return errForbidden
	}
	if err := s.env.set("TERM", p.Term); err != nil {
		return err
	}
	s.term = &terminal{p.Term, p.Cols, p.Rows, p.Modes}
	return nil
}

// start starts the command, whose output finish takes.
func (s *session) start(cmd *exec.Cmd) (err error) {
	switch {
	case s.started():
		return errStarted
	case s.login.server.options.readOnly:
		return fmt.Errorf("commands: %w", errForbidden)
	}
	cmd.Env = s.env.all()
	cmd.Dir = homeFolder()
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
	return nil
}

// homeFolder returns the home, or "" where there is none.
func homeFolder() string {
	home := inHome()
	if info, err := os.Stat(home); home == "" || err != nil || !info.IsDir() {
		return ""
	}
	return home
}
