// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// exitSSH is the status of exec where the command did not come to an end, as
// that of ssh(1).
const exitSSH = 255

func execCommand() *cli.Command {
	return &cli.Command{
		Name:  "exec",
		Args:  "[FLAGS] [USER@]HOST[:PORT] COMMAND…",
		Short: "run a command on an SSH server",
		Long: `Runs a command on an SSH server, with standard input, output and error, and exits
with the command's status, or with 255 if it could not be run to its end.

It logs in with the key that -i names, or with those of the agent that
SSH_AUTH_SOCK leads to and then id_ed25519, id_ecdsa and id_rsa in ~/.ssh. The
server's key must be in the file of known hosts. An address of IPv6 is written
[ADDRESS]:PORT.`,
		New: newExec,
	}
}

func newExec(c *cli.Call) func() int {
	identity := c.Flags.String("i", "", "the `file` of the private key to log in with")
	known := c.Flags.String("known-hosts", "", "the `file` of known hosts (default ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts)")
	verbose := c.Flags.Bool("v", false, "print the MAC and cipher that were negotiated on standard error")
	algorithms := algorithmFlags(c)
	return func() int {
		if len(c.Args) < 2 {
			return c.Usagef("want a server and a command")
		}
		login, address, err := parseTarget(c.Args[0])
		if err != nil {
			return c.Usagef("%v", err)
		}
		if err := algorithms.check(); err != nil {
			return c.Usagef("%v", err)
		}
		client, err := dial(login, address, *identity, *known, algorithms)
		if err != nil {
			c.Errorf("%s", err)
			return exitSSH
		}
		defer client.Close()
		if *verbose {
			mac, cipher := Negotiated(client.Conn)
			c.Errorf("%s: %s, %s", address, mac, cipher)
		}
		return runRemote(c, client, strings.Join(c.Args[1:], " "))
	}
}

// runRemote runs a command over a connection.
func runRemote(c *cli.Call, client *ssh.Client, command string) int {
	session, err := client.NewSession()
	if err != nil {
		if _, refused := errors.AsType[*ssh.OpenChannelError](err); !refused {
			err = whyEnded(client, err)
		}
		c.Errorf("%v", err)
		return exitSSH
	}
	defer session.Close()
	session.Stdout, session.Stderr = c.Stdout, c.Stderr
	stdin, err := session.StdinPipe()
	if err == nil {
		err = session.Start(command)
	}
	if err != nil {
		if err == io.EOF { // instead of an answer
			err = whyEnded(client, err)
		}
		c.Errorf("%v", err)
		return exitSSH
	}
	// Session's own Stdin would make an error of a command that leaves some of
	// it unread.
	unread := make(chan error, 1)
	go func() {
		in := &checkedReader{r: c.Stdin}
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
		c.Errorf("standard input: %s", cli.Reason(err))
		return exitSSH
	default:
	}
	if exit, ok := errors.AsType[*ssh.ExitError](err); ok {
		return exit.ExitStatus() // 128 and more for a signal
	}
	if _, ok := errors.AsType[*ssh.ExitMissingError](err); ok {
		err = whyEnded(client, err)
	}
	if err != nil {
		c.Errorf("%v", err)
		return exitSSH
	}
	return cli.ExitOK
}

// whyEnded returns the error of the connection, such as a wrong MAC, if it has ended,
// or else err: that of a channel, which the connection closes just before it tells
// why.
func whyEnded(client *ssh.Client, err error) error {
	ended := make(chan error, 1)
	go func() { ended <- client.Wait() }()
	select {
	case lost := <-ended:
		return fmt.Errorf("the connection ended before the command: %w", lost)
	case <-time.After(time.Second):
		return err
	}
}

// checkedReader keeps the error of a reader apart from those of what is done with
// its data.
type checkedReader struct {
	r   io.Reader
	err error // but for io.EOF
}

func (r *checkedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != io.EOF {
		r.err = err
	}
	return n, err
}

// parseTarget reads [USER@]HOST[:PORT]. The user is the one who runs the
// program unless named, the port 22.
func parseTarget(target string) (login, address string, err error) {
	host := target
	if at := strings.LastIndex(target, "@"); at >= 0 {
		login, host = target[:at], target[at+1:]
		if login == "" {
			return "", "", fmt.Errorf("%q has no user before the @", target)
		}
	} else if login, err = currentUser(); err != nil {
		return "", "", err
	}
	port := "22"
	switch {
	case strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]"):
		host = host[1 : len(host)-1]
	case strings.HasPrefix(host, "[") || strings.Count(host, ":") == 1:
		if host, port, err = net.SplitHostPort(host); err != nil {
			return "", "", fmt.Errorf("%q is no server: %w", target, err)
		}
	}
	if host == "" || port == "" {
		return "", "", fmt.Errorf("%q has no host or an empty port", target)
	}
	return login, net.JoinHostPort(host, port), nil
}

// currentUser returns the name of the user, on Windows without the domain.
func currentUser() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.Username[strings.LastIndex(u.Username, `\`)+1:], nil
}

func dial(login, address, identity, known string, algorithms *algorithmChoice) (*ssh.Client, error) {
	config, err := algorithms.config()
	if err != nil {
		return nil, err
	}
	hosts, err := readKnownHosts(known)
	if err != nil {
		return nil, err
	}
	signers, closeAgent, err := loginKeys(identity)
	if err != nil {
		return nil, err
	}
	defer closeAgent()
	const patience = 30 * time.Second
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(patience))
	sshConn, channels, requests, err := ssh.NewClientConn(conn, address, &ssh.ClientConfig{
		Config:            config,
		User:              login,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signers...)},
		HostKeyCallback:   hosts.check,
		HostKeyAlgorithms: hosts.algorithms(address),
		ClientVersion:     "SSH-2.0-unimac",
	})
	if err != nil {
		conn.Close()
		return nil, err
	}
	conn.SetDeadline(time.Time{})
	return ssh.NewClient(sshConn, channels, requests), nil
}

// loginKeys returns the keys to try. They work until done is called.
func loginKeys(identity string) (signers []ssh.Signer, done func(), err error) {
	done = func() {}
	if identity != "" {
		signer, err := readSigner(identity)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s", cli.Escape(identity), cli.Reason(err))
		}
		return []ssh.Signer{signer}, done, nil
	}
	var problems []string
	if socket := os.Getenv("SSH_AUTH_SOCK"); socket != "" {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			done = func() { conn.Close() }
			signers, err = agent.NewClient(conn).Signers()
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("agent: %v", err))
		}
	}
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		path := inHome(".ssh", name)
		signer, err := readSigner(path)
		switch {
		case err == nil:
			signers = append(signers, signer)
		case !errors.Is(err, os.ErrNotExist):
			problems = append(problems, fmt.Sprintf("%s: %s", filepath.Base(path), cli.Reason(err)))
		}
	}
	if len(signers) == 0 {
		done()
		problems = append([]string{"no key to log in with: name one with -i, or start an agent"}, problems...)
		return nil, nil, errors.New(strings.Join(problems, "; "))
	}
	return signers, done, nil
}
