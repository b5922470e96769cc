// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"cmp"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// exitSSH is the exit status if the command did not finish, as in ssh(1).
const exitSSH = 255

const noAnswer = "%s does not answer: received nothing for %v"

func execCommand() *cli.Command {
	return &cli.Command{
		Name:  "exec",
		Args:  "[FLAGS] [USER@]HOST[:PORT] COMMAND…",
		Short: "run a command on an SSH server",
		Long: `Runs a command on an SSH server, connected to standard input, output and error, and
exits with the status of the command, or with 255 if the command did not run to its end.

exec exists to try UMAC and the faster ciphers against a server. It obeys its flags alone and
does not read ssh_config. It supports no terminal, no shell without a command and no
certificates; use ssh for these. An IPv6 address is written [ADDRESS]:PORT.

Without -i and -agent, exec tries the keys of the agent at SSH_AUTH_SOCK, if there is one,
and then id_ed25519, id_ecdsa and id_rsa in ~/.ssh. An encrypted key must be in the agent.
-accept-new adds the key of a server that is not in the file of known hosts, but never
replaces one. -timeout limits connecting and logging in, and then how long nothing may arrive
from the server, which exec regularly asks for a reply. A long command is not cut off.`,
		Verbatim: true,
		Examples: []string{
			"unimac ssh exec -accept-new -p 2222 localhost uname -a",
			"tar c folder | unimac ssh exec user@example.org 'tar x'",
		},
		Values: map[string][]string{"cipher": allCiphers(), "mac": allMACs()},
		New:    newExec,
	}
}

type client struct {
	*ssh.Client // set by connect
	call        *cli.Call
	hosts       hostChecker
	keys        loginKeys
	port        string
	address     string // of the server
	timeout     *time.Duration
	verbose     bool
	algorithms  *ssh.Config
	aborted     atomic.Pointer[error] // reason why the client closed the connection
}

func newExec(call *cli.Call) func() int {
	c := &client{call: call, hosts: hostChecker{call: call}, keys: loginKeys{call: call}, algorithms: algorithmFlags(call)}
	c.timeout = call.Duration("timeout", 30*time.Second, "give up if the server does not answer for this `time`")
	call.Flags.Func("i", "try the private key in this `file`; may be repeated", func(file string) error {
		c.keys.files = append(c.keys.files, file)
		return nil
	})
	call.Flags.BoolVar(&c.keys.useAgent, "agent", false, "try the keys of the agent at SSH_AUTH_SOCK")
	call.Flags.StringVar(&c.hosts.file, "known-hosts", "", "the `file` of known hosts (default ~/.ssh/known_hosts)")
	call.Flags.BoolVar(&c.hosts.add, "accept-new", false, "add the key of an unknown server to the file of known hosts")
	call.Flags.StringVar(&c.port, "p", "", "the `port` of the server (default 22)")
	call.Flags.BoolVar(&c.verbose, "v", false, "print the negotiated MAC and cipher on standard error")
	return func() int {
		if len(call.Args) < 2 {
			return call.Usagef("want a server, as [USER@]HOST[:PORT], and a command; for a shell or a terminal, use ssh")
		}
		login, address, err := parseTarget(call.Args[0], c.port)
		if err != nil {
			return call.Usagef("%v", err)
		}
		status := exitSSH
		if err = c.connect(login, address); err == nil {
			defer c.Close()
			status, err = c.run(strings.Join(call.Args[1:], " "))
		}
		if err != nil && call.Stdout.Err == nil { // cli.Run reports Stdout.Err
			call.Errorf("%s", cli.Visible(err.Error())) // on one line, because part of the text comes from a peer
		}
		return status
	}
}

// parseTarget parses [USER@]HOST[:PORT]. The port argument is the value of -p. If text
// contains no user, login is empty.
func parseTarget(text, port string) (login, address string, err error) {
	at := strings.LastIndex(text, "@")
	login, host := text[:max(at, 0)], text[at+1:]
	if h, p, err := net.SplitHostPort(host); err == nil && p != "" {
		if port != "" {
			return "", "", errors.New("the port is given twice")
		}
		host, port = h, p
	} else if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	if host == "" || at == 0 || strings.ContainsAny(host+port, "[]/") || strings.Count(host, ":") == 1 {
		return "", "", fmt.Errorf("got %q, want a server, as [USER@]HOST[:PORT]", text)
	}
	return login, net.JoinHostPort(host, cmp.Or(port, "22")), nil
}

func (c *client) connect(login, address string) error {
	self, err := currentUser()
	if login = cmp.Or(login, self); login == "" {
		return err
	}
	algorithms, err := Config(c.algorithms.MACs, c.algorithms.Ciphers)
	if err = cmp.Or(err, c.hosts.read()); err != nil {
		return err
	}
	c.address, c.keys.end = address, time.Now().Add(*c.timeout)
	raw, err := net.DialTimeout("tcp", address, *c.timeout)
	if err != nil {
		return err
	}
	timer := time.AfterFunc(time.Until(c.keys.end), func() { raw.Close() })
	conn, channels, requests, err := ssh.NewClientConn(&timedConn{raw, *c.timeout}, address, &ssh.ClientConfig{
		Config:            algorithms,
		User:              login,
		Auth:              []ssh.AuthMethod{ssh.PublicKeysCallback(c.keys.signers)},
		HostKeyCallback:   c.hosts.check,
		HostKeyAlgorithms: c.hosts.algorithms(address),
		BannerCallback: func(text string) error {
			c.call.Errorf("%s says: %s", address, cli.Visible(strings.TrimSpace(text)))
			return nil
		},
		ClientVersion: "SSH-2.0-unimac",
	})
	if inTime := timer.Stop(); err != nil {
		explained, ok := errors.AsType[*explainedError](err)
		switch keyed := c.hosts.accepted.Load() && !c.keys.asked; {
		case ok:
			return explained // without package ssh's prefix, which adds nothing
		case !inTime, errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf(noAnswer, c.address, *c.timeout)
		case keyed && !strings.Contains(err.Error(), "unable to authenticate"):
			return fmt.Errorf("%w; %s", err, otherAlgorithms)
		}
		return fmt.Errorf("%s as %q: %w%s", address, login, err, c.keys.tried)
	}
	if c.verbose {
		c.call.Errorf("%s: %s", address, negotiated(conn))
	}
	c.Client = ssh.NewClient(conn, channels, requests)
	go func() { // Send one request at a time, because each write extends the read deadline.
		for err := error(nil); err == nil; time.Sleep(*c.timeout / 3) {
			_, _, err = c.SendRequest("keepalive@openssh.com", true, nil)
		}
	}()
	return nil
}

// run runs command and returns its exit status, or exitSSH and the reason if there is
// no status.
func (c *client) run(command string) (status int, err error) {
	session, err := c.NewSession()
	if err != nil {
		return exitSSH, c.cause(err)
	}
	stdin, err1 := session.StdinPipe()
	stdout, err2 := session.StdoutPipe()
	stderr, err3 := session.StderrPipe()
	if err := cmp.Or(err1, err2, err3, session.Start(command)); err != nil {
		return exitSSH, c.cause(err)
	}
	// If a local stream fails, close the connection so that the server stops waiting.
	fail := func(name string, err error) {
		err = fmt.Errorf("standard %s: %s", name, cli.Reason(err))
		c.aborted.CompareAndSwap(nil, &err)
		c.Close()
	}
	go func() { // io.Copy would not distinguish read errors from write errors.
		defer stdin.Close()
		for buffer := make([]byte, 32<<10); ; {
			n, err := c.call.Stdin.Read(buffer)
			if err != nil && err != io.EOF {
				fail("input", err)
			}
			if _, remote := stdin.Write(buffer[:n]); err != nil || remote != nil {
				return
			}
		}
	}()
	var output sync.WaitGroup
	forward := func(name string, w io.Writer, r io.Reader) {
		if _, err := io.Copy(w, r); err != nil { // reading r returns no error but io.EOF
			fail(name, err)
		}
	}
	output.Go(func() { forward("output", c.call.Stdout, stdout) })
	output.Go(func() { forward("error", c.call.Stderr, stderr) })
	err = session.Wait()
	output.Wait()
	exit, exited := errors.AsType[*ssh.ExitError](err)
	switch {
	case c.aborted.Load() != nil || err != nil && !exited:
		return exitSSH, c.cause(err)
	case err != nil && uint(exit.ExitStatus()) > 255: // os.Exit would truncate it, possibly to 0
		return exitSSH, nil
	case err != nil:
		return exit.ExitStatus(), nil // above 128 after a signal
	}
	return cli.ExitOK, nil
}

// cause returns the underlying reason for a channel error, such as a MAC failure. It
// waits up to a second for the connection to end and returns the reason for that. If
// the connection does not end, cause returns err.
func (c *client) cause(err error) error {
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err = <-ended:
	case <-time.After(time.Second):
		return err
	}
	if reason := c.aborted.Load(); reason != nil {
		return *reason
	} else if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf(noAnswer, c.address, *c.timeout)
	}
	return fmt.Errorf("the connection ended before the command: %w", err)
}

// A timedConn is a connection whose Read times out if nothing is sent or received.
type timedConn struct {
	net.Conn
	timeout time.Duration
}

func (c *timedConn) Read(p []byte) (int, error) {
	c.SetReadDeadline(time.Now().Add(c.timeout))
	return c.Conn.Read(p)
}

func (c *timedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.SetReadDeadline(time.Now().Add(c.timeout))
	return n, err
}

// An explainedError is printed without the text added by package ssh.
type explainedError struct{ error }

func explained(format string, args ...any) error { return &explainedError{fmt.Errorf(format, args...)} }

type hostChecker struct {
	call     *cli.Call
	file     string
	add      bool   // add the key of an unknown server
	newline  string // "\n" if the last line of file lacks a newline, else ""
	known    ssh.HostKeyCallback
	accepted atomic.Bool // a key was accepted
}

// hostNames matches the optional marker and the host names at the start of a
// known-hosts line, so that they can be converted to lower case. It does not match
// hashed names, because they are case-sensitive.
var hostNames = regexp.MustCompile(`^(@\S+\s+)?[^|\s]\S*`)

// read reads the file of known hosts. If the file does not exist, read treats it as
// empty. Malformed lines are skipped with a warning, but a malformed @revoked line is
// an error.
func (h *hostChecker) read() error {
	h.file = cmp.Or(h.file, inHome(".ssh", "known_hosts"))
	data, err := os.ReadFile(h.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %s", cli.Name(h.file), cli.Reason(err))
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		h.newline = "\n"
	}
	dir, err := os.MkdirTemp("", "unimac")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	parse := func(text string) (ssh.HostKeyCallback, error) { // Package knownhosts can only parse files.
		file := filepath.Join(dir, "known_hosts")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		return knownhosts.New(file)
	}
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		line = hostNames.ReplaceAllStringFunc(strings.TrimSpace(line), strings.ToLower)
		_, err := parse(line) // Parse each line on its own: in a whole file, a malformed line could be skipped silently.
		switch place := fmt.Sprintf("%s:%d", cli.Name(h.file), i+1); {
		case err != nil && strings.HasPrefix(line, "@revoked"):
			return fmt.Errorf("%s: malformed, so it is unclear which key is revoked", place)
		case err != nil:
			h.call.Errorf("%s: skipped, because the line is malformed", place)
			line = ""
		case strings.HasPrefix(line, "@cert-authority"): // Package knownhosts would accept its key as a host key.
			h.call.Errorf("%s: skipped, because exec supports no certificates", place)
			line = ""
		}
		lines[i] = line
	}
	h.known, err = parse(strings.Join(lines, "\n"))
	return err
}

func (h *hostChecker) check(address string, remote net.Addr, key ssh.PublicKey) error {
	name, fingerprint := cli.Name(h.file), ssh.FingerprintSHA256(key)
	line := knownhosts.Line([]string{strings.ToLower(address)}, key)
	err := h.known(strings.ToLower(address), remote, key)
	revoked, isRevoked := errors.AsType[*knownhosts.RevokedError](err)
	unknown, isUnknown := errors.AsType[*knownhosts.KeyError](err)
	switch {
	case isRevoked:
		return explained("the key of %s is revoked by %s:%d: never trust it", address, name, revoked.Revoked.Line)
	case isUnknown && unknown.Want != nil:
		return explained("the key of %s is %s, and not the one in %s:%d: the server has a new key, or this is another server",
			address, fingerprint, name, unknown.Want[0].Line)
	case isUnknown && !h.add:
		return explained("%s is not in %s; if its key should have the fingerprint %s, add this line, which -accept-new does: %s",
			address, name, fingerprint, line)
	case isUnknown:
		os.MkdirAll(filepath.Dir(h.file), 0o700) // if this fails, OpenFile fails, too
		var f *os.File
		if f, err = os.OpenFile(h.file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
			_, err = f.WriteString(h.newline + line + "\n")
			err = cmp.Or(err, f.Close())
		}
		if err != nil {
			return explained("%s: %s", name, cli.Reason(err))
		}
		h.call.Errorf("added %s with the key %s to %s", address, fingerprint, name)
	}
	h.accepted.Store(err == nil)
	return err
}

// algorithms returns the host key algorithms to offer, starting with those of known
// keys.
func (h *hostChecker) algorithms(address string) []string {
	probe, _ := ssh.NewPublicKey(make(ed25519.PublicKey, ed25519.PublicKeySize))
	unknown, ok := errors.AsType[*knownhosts.KeyError](h.known(strings.ToLower(address), &net.TCPAddr{}, probe))
	isKnown := func(name string) bool {
		return ok && slices.ContainsFunc(unknown.Want, func(k knownhosts.KnownKey) bool {
			return k.Key.Type() == name || k.Key.Type() == ssh.KeyAlgoRSA && strings.HasPrefix(name, "rsa-")
		})
	}
	names := slices.DeleteFunc(ssh.SupportedAlgorithms().HostKeys, func(name string) bool { return strings.Contains(name, "-cert-v0") })
	slices.Reverse(names) // Ed25519 before RSA
	others := slices.DeleteFunc(slices.Clone(names), isKnown)
	return append(slices.DeleteFunc(names, func(name string) bool { return !isKnown(name) }), others...)
}

// loginKeys specifies which keys the client tries. If files is empty and useAgent is
// false, the client tries the keys of a running agent and the default key files.
type loginKeys struct {
	call     *cli.Call
	files    []string
	useAgent bool
	end      time.Time // deadline of the login

	asked bool   // the server asked for keys
	tried string // the sources tried, for error messages
}

// signers returns the keys to try. The agent's keys can sign only until k.end.
func (k *loginKeys) signers() (signers []ssh.Signer, err error) {
	k.asked, k.tried = true, ""
	socket, byDefault := os.Getenv("SSH_AUTH_SOCK"), k.files == nil && !k.useAgent
	sources := slices.Clone(k.files)
	if k.useAgent || byDefault && socket != "" {
		sources = append(sources, socket)
	}
	if byDefault {
		sources = append(sources, inHome(".ssh", "id_ed25519"), inHome(".ssh", "id_ecdsa"), inHome(".ssh", "id_rsa"))
	}
	for _, path := range sources {
		var keys []ssh.Signer
		name := cli.Name(path)
		if path == socket {
			name = "agent"
			keys, err = k.readAgent(socket)
		} else {
			keys, err = k.readFile(path)
		}
		switch {
		case err == nil:
			signers, k.tried = append(signers, keys...), k.tried+"; tried "+name
		case !byDefault || !errors.Is(err, fs.ErrNotExist):
			k.tried += "; " + name + ": " + cli.Reason(err)
		}
	}
	if len(signers) == 0 {
		return nil, explained("no key to log in with: name one with -i, or start an agent%s", k.tried)
	}
	return signers, nil
}

func (k *loginKeys) readFile(path string) ([]ssh.Signer, error) {
	if _, err := os.Stat(path + "-cert.pub"); err == nil {
		k.call.Errorf("%s-cert.pub: not used, because exec supports no certificates", cli.Name(path))
	}
	signer, err := readSigner(path)
	return []ssh.Signer{signer}, err
}

func (k *loginKeys) readAgent(socket string) (signers []ssh.Signer, err error) {
	half := time.Until(k.end) / 2 // leaves time to try other keys
	conn, err := net.DialTimeout("unix", socket, half)
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(half))
	all, err := agent.NewClient(conn).Signers()
	conn.SetDeadline(k.end)
	for _, signer := range all {
		if strings.Contains(signer.PublicKey().Type(), "-cert-v0") {
			k.call.Errorf("agent: a certificate is not used, because exec supports none")
		} else if signer, err := modern(signer); err == nil {
			signers = append(signers, signer)
		}
	}
	return signers, err
}
