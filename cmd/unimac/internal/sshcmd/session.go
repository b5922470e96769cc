// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"os"
	"os/exec"
	"slices"

	"golang.org/x/crypto/ssh"
)

// A session is a channel on which a client runs one command or shell, or transfers
// files (RFC 4254, section 6).
type session struct {
	login    *login
	channel  ssh.Channel
	env      *environment
	term     *terminal // nil without a pseudo-terminal
	process  *process  // nil before it is started
	files    bool      // SFTP was started
	reported []string  // request types whose refusal was reported in the journal
}

// A terminal describes the terminal that a client requests.
type terminal struct {
	windowSize
	modes string // encoded as in RFC 4254, section 8
}

// A windowSize is the size of a terminal in characters and in pixels.
type windowSize struct{ Cols, Rows, Width, Height uint32 }

func newSession(l *login, channel ssh.Channel) *session {
	return &session{login: l, channel: channel, env: newEnvironment(l.conn.RemoteAddr(), l.conn.LocalAddr())}
}

// serve answers requests until the channel is closed. Before it returns, it tells the
// command to hang up.
func (s *session) serve(requests <-chan *ssh.Request) {
	defer func() {
		s.channel.Close()
		if s.process != nil {
			s.process.hangup()
		}
	}()
	for request := range requests {
		begin, err := s.answer(request)
		if err != nil && !errors.Is(err, errUnsupported) && !slices.Contains(s.reported, request.Type) {
			s.reported = append(s.reported, request.Type) // report each type once, because a client may repeat it without end
			s.login.server.journal.errorf("%v: %s: %v", s.login.conn.RemoteAddr(), request.Type, err)
		}
		if request.WantReply {
			request.Reply(err == nil, nil)
		}
		if err == nil && begin != nil {
			go begin() // only now, so that no data overtakes the reply
		}
	}
}

var (
	errUnsupported = errors.New("unsupported request")
	errForbidden   = errors.New("not allowed for this key")
	errReadOnly    = errors.New("with -read-only, the server runs no commands")
	errStarted     = errors.New("the session already has a command")
)

// answer handles a request. If it returns a function as begin, the caller must call
// begin to transfer the data of the command or the file server.
func (s *session) answer(request *ssh.Request) (begin func(), err error) {
	switch request.Type {
	case "env":
		p, err := unmarshal[struct{ Name, Value string }](request)
		if err == nil && s.started() {
			err = errStarted
		}
		if err == nil {
			err = s.env.set(p.Name, p.Value)
		}
		return nil, err
	case "pty-req":
		return nil, s.requestTerminal(request)
	case "window-change":
		size, err := unmarshal[windowSize](request)
		switch {
		case err != nil:
			return nil, err
		case s.term == nil:
			return nil, errUnsupported
		case s.process == nil:
			s.term.windowSize = size
			return nil, nil
		}
		return nil, resize(s.process.tty, size)
	case "signal":
		p, err := unmarshal[struct{ Signal string }](request)
		switch {
		case err != nil:
			return nil, err
		case s.process == nil:
			return nil, errUnsupported
		}
		return nil, s.process.signal(ssh.Signal(p.Signal))
	case "exec":
		p, err := unmarshal[struct{ Command string }](request)
		if err == nil {
			err = s.start(commandInShell(p.Command))
		}
		return s.finish, err
	case "shell":
		return s.finish, s.start(loginShell())
	case "subsystem":
		p, err := unmarshal[struct{ Name string }](request)
		switch {
		case err != nil:
			return nil, err
		case s.started():
			return nil, errStarted
		case p.Name != "sftp":
			return nil, errUnsupported
		}
		begin, err = s.serveFiles()
		s.files = err == nil
		return begin, err
	}
	return nil, errUnsupported
}

// unmarshal parses the payload of a request.
func unmarshal[T any](request *ssh.Request) (p T, err error) {
	err = ssh.Unmarshal(request.Payload, &p)
	return p, err
}

func (s *session) started() bool { return s.process != nil || s.files }

func (s *session) requestTerminal(request *ssh.Request) error {
	p, err := unmarshal[struct {
		Term                      string
		Cols, Rows, Width, Height uint32
		Modes                     string
	}](request)
	if err != nil {
		return err
	}
	switch {
	case s.started():
		return errStarted
	case !supportsTerminals:
		return errUnsupported
	case s.login.grant.noTerminal:
		return errForbidden
	}
	if err := s.env.set("TERM", p.Term); err != nil {
		return err
	}
	s.term = &terminal{windowSize{p.Cols, p.Rows, p.Width, p.Height}, p.Modes}
	return nil
}

// start starts the command. The caller must then call finish to transfer the command's
// data.
func (s *session) start(cmd *exec.Cmd) (err error) {
	switch {
	case s.started():
		return errStarted
	case s.login.server.options.readOnly:
		return errReadOnly
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

// homeFolder returns the home directory, or "" if it does not exist.
func homeFolder() string {
	home := inHome()
	if info, err := os.Stat(home); home == "" || err != nil || !info.IsDir() {
		return ""
	}
	return home
}
