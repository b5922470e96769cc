// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// A session is a channel for running one command or shell, or for transferring files
// (RFC 4254, section 6).
type session struct {
	login    *login
	channel  ssh.Channel
	env      *environment
	term     *terminal // nil without a pseudo-terminal
	process  *process  // nil before it is started
	files    bool      // SFTP was started
	reported []string  // types of refused requests already in the journal
}

type terminal struct {
	windowSize
	modes string // encoded as in RFC 4254, section 8
}

// A windowSize is a terminal's size in characters and in pixels.
type windowSize struct{ Cols, Rows, Width, Height uint32 }

func newSession(l *login, channel ssh.Channel) *session {
	return &session{login: l, channel: channel, env: newEnvironment(l.conn.RemoteAddr(), l.conn.LocalAddr())}
}

// serve handles the channel's requests. When the channel closes, it sends SIGHUP to the
// command.
func (s *session) serve(requests <-chan *ssh.Request) {
	defer func() {
		s.channel.Close()
		if s.process != nil {
			s.process.hangup()
		}
	}()
	for request := range requests {
		begin, err := s.handle(request)
		if err != nil && !errors.Is(err, errUnsupported) && !slices.Contains(s.reported, request.Type) {
			s.reported = append(s.reported, request.Type) // log each type once, because a client may repeat it endlessly
			s.login.server.journal.errorf("%v: %s: %v", s.login.conn.RemoteAddr(), request.Type, err)
		}
		if request.WantReply {
			request.Reply(err == nil, nil)
		}
		if err == nil && begin != nil {
			go begin() // after the reply, so that no data precedes it
		}
	}
}

var errUnsupported = errors.New("unsupported request")

// handle carries out a session request. If it succeeds, the caller must send the reply
// and then call begin, if begin is not nil. After an error, the caller must not call it.
func (s *session) handle(request *ssh.Request) (begin func(), err error) {
	started := s.process != nil || s.files
	if started && slices.Contains([]string{"env", "pty-req", "exec", "shell", "subsystem"}, request.Type) {
		return nil, errors.New("the session already has a command")
	}
	switch request.Type {
	case "env":
		p, err := unmarshal[struct{ Name, Value string }](request)
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
		if err != nil || s.process == nil {
			return nil, cmp.Or(err, errUnsupported)
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
		if err != nil || p.Name != "sftp" {
			return nil, cmp.Or(err, errUnsupported)
		}
		begin, err = s.serveFiles()
		s.files = err == nil
		return begin, err
	}
	return nil, errUnsupported
}

func unmarshal[T any](request *ssh.Request) (p T, err error) {
	err = ssh.Unmarshal(request.Payload, &p)
	return p, err
}

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
	case !supportsTerminals:
		return errUnsupported
	case s.login.grant.noTerminal:
		return errors.New("not allowed for this key")
	}
	if err := s.env.set("TERM", p.Term); err != nil {
		return err
	}
	s.term = &terminal{windowSize{p.Cols, p.Rows, p.Width, p.Height}, p.Modes}
	return nil
}

// start starts the command. The caller must then call finish.
func (s *session) start(cmd *exec.Cmd) (err error) {
	if s.login.server.options.readOnly {
		return errors.New("with -read-only, the server runs no commands")
	}
	cmd.Env = s.env.all()
	cmd.Dir = homeDirectory()
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

// homeDirectory returns the home directory, or "" if it does not exist.
func homeDirectory() string {
	home := inHome()
	if info, err := os.Stat(home); home == "" || err != nil || !info.IsDir() {
		return ""
	}
	return home
}

// An environment collects a remote command's variables. The client's variables override
// the server's, and variables describing the connection override both.
type environment struct {
	client     []string
	bytes      int // total size of client
	connection []string
}

// maxVariables limits the total size of a client's variables in bytes.
const maxVariables = 16 << 10

func newEnvironment(remote, local net.Addr) *environment {
	e := new(environment)
	remoteHost, remotePort, err1 := net.SplitHostPort(remote.String())
	localHost, localPort, err2 := net.SplitHostPort(local.String())
	if err1 == nil && err2 == nil {
		e.connection = []string{
			fmt.Sprintf("SSH_CONNECTION=%s %s %s %s", remoteHost, remotePort, localHost, localPort),
			fmt.Sprintf("SSH_CLIENT=%s %s %s", remoteHost, remotePort, localPort),
		}
	}
	return e
}

// set adds a variable from the client. It allows only LANG, LC_*, TERM and COLORTERM.
func (e *environment) set(name, value string) error {
	switch {
	case name == "LANG", name == "COLORTERM", name == "TERM":
	case strings.HasPrefix(name, "LC_") && !strings.ContainsAny(name, "=\x00"):
	default:
		return errUnsupported
	}
	if strings.Contains(value, "\x00") || e.bytes+len(name)+len(value) > maxVariables {
		return fmt.Errorf("variable %q cannot be set", name)
	}
	e.bytes += len(name) + len(value)
	e.client = append(e.client, name+"="+value)
	return nil
}

// inherited lists the server's variables passed to commands, in addition to LC_*.
var inherited = []string{"PATH", "LANG", "TZ", "USER", "LOGNAME", "HOME", "SHELL", "MAIL"}

// all returns all variables in order of increasing precedence, because package exec
// uses the last value of a name that occurs more than once.
func (e *environment) all() []string {
	user, _ := currentUser()
	own := []string{"USER=" + user, "LOGNAME=" + user, "SHELL=" + shell()} // a server need not have them
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		// Windows programs need many of the system's variables.
		if slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_") || runtime.GOOS == "windows" && !strings.HasPrefix(name, "SSH_") {
			own = append(own, variable)
		}
	}
	return slices.Concat(own, e.client, e.connection)
}
