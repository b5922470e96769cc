// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A connector connects to servers, as its flags say.
type connector struct {
	call       *cli.Call
	identity   *string
	known      *string
	acceptNew  *bool
	port       *string
	config     *string
	timeout    *time.Duration
	verbose    *bool
	algorithms *algorithmChoice
}

func newConnector(c *cli.Call) *connector {
	return &connector{
		call:       c,
		identity:   c.Flags.String("i", "", "the `file` of the private key to log in with"),
		known:      c.Flags.String("known-hosts", "", "the `file` of known hosts (default ~/.ssh/known_hosts and the system's)"),
		acceptNew:  c.Flags.Bool("accept-new", false, "add the key of a server that is not known yet to the file of known hosts"),
		port:       c.Flags.String("p", "", "the `port` of the server (default 22)"),
		config:     c.Flags.String("F", "", "the configuration `file` of ssh, or none (default ~/.ssh/config and the system's)"),
		timeout:    c.Duration("timeout", 30*time.Second, "give up where the server does not answer for this `time`"),
		verbose:    c.Flags.Bool("v", false, "print the MAC and cipher that were negotiated on standard error"),
		algorithms: algorithmFlags(c),
	}
}

// check returns what is wrong with the flags. Their port becomes that of the target.
func (k *connector) check(t *target) error {
	if t.port != "" && *k.port != "" {
		return errors.New("the port is given twice")
	}
	t.port += *k.port
	return k.algorithms.check()
}

// A connection is a client that is logged in.
type connection struct {
	*ssh.Client
	address string
	timeout time.Duration
	moved   *movement
	silent  atomic.Bool // it was closed as the server did not answer
}

// connect logs in to a target.
func (k *connector) connect(t target) (*connection, error) {
	warnf := func(format string, args ...any) { k.call.Errorf(format, args...) }
	d, err := (&clientConfig{path: *k.config, warnf: warnf}).resolve(t)
	if err != nil {
		return nil, err
	}
	if *k.known != "" {
		d.user, d.system = []string{*k.known}, nil
	}
	hosts := &hostChecker{add: *k.acceptNew || d.acceptNew, minRSA: d.minRSA, tell: warnf}
	if hosts.known, err = readKnownHosts(slices.Concat(d.user, d.system), warnf); err != nil {
		return nil, err
	}
	if len(d.user) > 0 {
		hosts.addTo = d.user[0]
	}
	conn, err := k.logIn(hosts, d)
	if err != nil {
		return nil, err
	}
	if *k.verbose {
		k.call.Errorf("%s: %s", cli.Visible(conn.address), negotiated(conn.Conn))
	}
	return conn, nil
}

// logIn connects and logs in.
func (k *connector) logIn(hosts *hostChecker, d *destination) (*connection, error) {
	algorithms, err := k.algorithms.configFor(d)
	if err != nil {
		return nil, err
	}
	hostKeys := hosts.algorithms(cmp.Or(d.alias, d.address))
	if d.hostKeys != nil {
		if hostKeys = cut(d.hostKeys, hostKeys); len(hostKeys) == 0 {
			return nil, errors.New("none of the HostKeyAlgorithms of ssh's configuration is there")
		}
	}
	end := time.Now().Add(*k.timeout)
	raw, err := net.DialTimeout("tcp", d.address, *k.timeout)
	if err != nil {
		return nil, err
	}
	raw.SetDeadline(end)
	moved := &movement{Conn: raw}
	keys := &loginKeys{destination: d, identity: *k.identity, patience: *k.timeout / 2, end: end}
	defer keys.close()
	// The errors of the callbacks are the reasons of those that package ssh returns.
	var hostErr, keyErr error
	conn, channels, requests, err := ssh.NewClientConn(moved, d.address, &ssh.ClientConfig{
		Config: algorithms,
		User:   d.login,
		Auth: []ssh.AuthMethod{ssh.PublicKeysCallback(func() (signers []ssh.Signer, err error) {
			signers, keyErr = keys.signers()
			return signers, keyErr
		})},
		HostKeyCallback: func(address string, remote net.Addr, key ssh.PublicKey) error {
			hostErr = hosts.check(cmp.Or(d.alias, address), remote, key)
			return hostErr
		},
		HostKeyAlgorithms: hostKeys,
		BannerCallback:    k.banner(d.address),
		ClientVersion:     "SSH-2.0-unimac",
	})
	switch {
	case err == nil:
	case hostErr != nil:
		err = hostErr
	case keyErr != nil:
		err = keyErr
	case !time.Now().Before(end):
		err = noAnswer(d.address, *k.timeout)
	default:
		err = keys.refused(err)
	}
	if err != nil {
		raw.Close()
		return nil, err
	}
	raw.SetDeadline(time.Time{})
	c := &connection{Client: ssh.NewClient(conn, channels, requests), address: d.address, timeout: *k.timeout, moved: moved}
	go c.watch()
	return c, nil
}

func (k *connector) banner(address string) ssh.BannerCallback {
	return func(text string) error {
		k.call.Errorf("%s says: %s", cli.Visible(address), cli.Visible(strings.TrimSpace(text)))
		return nil
	}
}

func noAnswer(address string, timeout time.Duration) error {
	return fmt.Errorf("%s does not answer: nothing came for %v", address, timeout)
}

// watch asks the server for a sign of life again and again. It closes the connection if nothing
// at all comes for as long as the time-out.
func (c *connection) watch() {
	answered := make(chan error, 1)
	for {
		go func() {
			_, _, err := c.SendRequest("keepalive@openssh.com", true, nil)
			answered <- err
		}()
		for waits := true; waits; {
			before := c.moved.bytes.Load()
			select {
			case err := <-answered:
				if waits = false; err != nil {
					return
				}
			case <-time.After(c.timeout):
				if c.moved.bytes.Load() == before {
					c.silent.Store(true)
					c.moved.Close()
					return
				}
			}
		}
		time.Sleep(c.timeout / 3)
	}
}

// why returns the error of the connection, such as a wrong MAC, if it has ended,
// or else err. That is the error of a channel, which the connection closes just before it
// says why.
func (c *connection) why(err error) error {
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case lost := <-ended:
		if c.silent.Load() {
			return noAnswer(c.address, c.timeout)
		}
		return fmt.Errorf("the connection ended before the command: %w", lost)
	case <-time.After(time.Second):
		return err
	}
}

// A movement counts the bytes that a connection moves.
type movement struct {
	net.Conn
	bytes atomic.Int64
}

func (m *movement) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	m.bytes.Add(int64(n))
	return n, err
}

func (m *movement) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	m.bytes.Add(int64(n))
	return n, err
}
