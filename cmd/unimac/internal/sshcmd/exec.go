// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// exitSSH is the status of exec where the command did not come to an end, as
// that of ssh(1).
const exitSSH = 255

func execCommand() *cli.Command {
	return &cli.Command{
		Name:  "exec",
		Args:  "[FLAGS] [USER@]HOST[:PORT] [COMMAND…]",
		Short: "run a command or a shell on an SSH server",
		Long: `Runs a command on an SSH server, with standard input, output and error, and exits
with the command's status, or with 255 if it could not be run to its end. Without
COMMAND it is a shell, in a terminal if standard input is one.

It logs in with the key that -i names. Without -i it tries the keys that the configuration
names and those of the agent at SSH_AUTH_SOCK. If the configuration names none, it tries
the agent's, and then id_ed25519, id_ecdsa and id_rsa in ~/.ssh. An encrypted key has to be
in the agent. The server's key must be in the file of known hosts. -accept-new adds the
key of a server that is not in the file; it never replaces one. An IPv6 address is written
[ADDRESS]:PORT.

It asks ssh itself, by ssh -G, what ~/.ssh/config and the system's configuration mean. That
runs a command if Match exec says so. Without an ssh program it reads no configuration, and
a warning says so if there is one. These options are followed: HostName, Port, User,
IdentityFile, IdentitiesOnly, IdentityAgent, HostKeyAlias, UserKnownHostsFile,
GlobalKnownHostsFile, StrictHostKeyChecking (no is accept-new), RequiredRSASize, and, as far
as the algorithms are there, Ciphers, MACs, KexAlgorithms, HostKeyAlgorithms and
PubkeyAcceptedAlgorithms. An option that chooses another way to the server, restricts whom
to trust, or makes something else happen is an error, such as ProxyJump, ProxyCommand,
RevokedHostKeys, BindAddress or CertificateFile; with -F none no file is read. A warning
names other options that would matter here.`,
		Verbatim: true,
		Examples: []string{
			"unimac ssh exec -accept-new -p 2222 localhost uname -a",
			"tar c folder | unimac ssh exec user@example.org 'tar x'",
			"unimac ssh exec user@example.org",
		},
		Values: map[string][]string{"cipher": allCiphers(), "mac": allMACs()},
		New:    newExec,
	}
}

func newExec(c *cli.Call) func() int {
	k := newConnector(c)
	terminal := c.Flags.Bool("t", false, "run the command in a terminal")
	return func() int {
		if len(c.Args) < 1 {
			return c.Usagef("want a server, as [USER@]HOST[:PORT]")
		}
		t, err := parseTarget(c.Args[0])
		if err == nil {
			err = k.check(&t)
		}
		if err != nil {
			return c.Usagef("%v", err)
		}
		conn, err := k.connect(t)
		if err != nil {
			return sshError(c, err)
		}
		defer conn.Close()
		r := &remote{call: c, conn: conn, command: strings.Join(c.Args[1:], " "), shell: len(c.Args) == 1}
		if f, ok := c.Stdin.(*os.File); ok && cli.IsTerminal(f) && (r.shell || *terminal) {
			r.terminal = f
		}
		return r.run()
	}
}

// A remote is a command or a shell on a server.
type remote struct {
	call     *cli.Call
	conn     *connection
	command  string
	shell    bool
	terminal *os.File // to run in one, as this is; or nil
}

// run runs the command and returns the exit status.
func (r *remote) run() int {
	session, err := r.conn.NewSession()
	if err != nil {
		if _, refused := errors.AsType[*ssh.OpenChannelError](err); !refused {
			err = r.conn.why(err)
		}
		return sshError(r.call, err)
	}
	defer session.Close()
	session.Stdout, session.Stderr = r.call.Stdout, r.call.Stderr
	stdin, err := session.StdinPipe()
	if err == nil && r.terminal != nil {
		var restore func()
		if restore, err = r.useTerminal(session); err == nil {
			defer restore()
		}
	}
	if err == nil && r.shell {
		err = session.Shell()
	} else if err == nil {
		err = session.Start(r.command)
	}
	if err != nil {
		if err == io.EOF { // instead of an answer
			err = r.conn.why(err)
		}
		return sshError(r.call, err)
	}
	// Session's own Stdin would make an error of a command that leaves some of
	// it unread.
	unread := make(chan error, 1)
	go func() {
		in := &checkedReader{r: r.call.Stdin}
		io.Copy(stdin, in)
		if in.err != nil {
			unread <- in.err
			session.Close()
		}
		stdin.Close()
	}()
	err = session.Wait()
	select {
	case err := <-unread:
		r.call.Errorf("standard input: %s", cli.Reason(err))
		return exitSSH
	default:
	}
	return r.status(err)
}

// status returns the exit status that belongs to how a session ended.
func (r *remote) status(err error) int {
	if exit, ok := errors.AsType[*ssh.ExitError](err); ok {
		// 128 and more for a signal. A larger one than a process can have must not
		// become another, least of all 0.
		if status := exit.ExitStatus(); status >= 0 && status <= 255 {
			return status
		}
		return exitSSH
	}
	if _, ok := errors.AsType[*ssh.ExitMissingError](err); ok {
		err = r.conn.why(err)
	}
	if err != nil {
		return sshError(r.call, err)
	}
	return cli.ExitOK
}

// sshError prints an error, in which there may be text of the peer, and returns the
// status for it.
func sshError(c *cli.Call, err error) int {
	if trusted, ok := errors.AsType[*hostKeyError](err); ok {
		c.Errorf("%s", trusted.text)
	} else {
		c.Errorf("%s", cli.Visible(err.Error()))
	}
	return exitSSH
}

// useTerminal gives the session a terminal like the one that this runs in, which is
// raw until restore.
func (r *remote) useTerminal(session *ssh.Session) (restore func(), err error) {
	cols, rows, err := term.GetSize(int(r.terminal.Fd()))
	if err != nil {
		cols, rows = 80, 24
	}
	if err := session.RequestPty(cmp.Or(os.Getenv("TERM"), "dumb"), rows, cols, nil); err != nil {
		return nil, err
	}
	cook, err := cli.MakeRaw(r.terminal)
	if err != nil {
		return nil, err
	}
	stop := onResize(func() {
		if cols, rows, err := term.GetSize(int(r.terminal.Fd())); err == nil {
			session.WindowChange(rows, cols)
		}
	})
	return func() {
		stop()
		cook()
	}, nil
}

// checkedReader keeps the error of a reader apart from those of what is done with
// its data.
type checkedReader struct {
	r   io.Reader
	err error // except io.EOF
}

func (r *checkedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != io.EOF {
		r.err = err
	}
	return n, err
}
