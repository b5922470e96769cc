// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A connector connects to servers, with the flags that exec and copy share.
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
		known:      c.Flags.String("known-hosts", "", "the `file` of known hosts (default ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts)"),
		acceptNew:  c.Flags.Bool("accept-new", false, "add the key of a server that is not known yet to the file of known hosts"),
		port:       c.Flags.String("p", "", "the `port` of the server (default 22)"),
		config:     c.Flags.String("F", "", "the configuration `file`, or none (default ~/.ssh/config)"),
		timeout:    c.Flags.Duration("timeout", 30*time.Second, "give up where the server does not answer for this `time`"),
		verbose:    c.Flags.Bool("v", false, "print the MAC and cipher that were negotiated on standard error"),
		algorithms: algorithmFlags(c),
	}
}

// check returns what is wrong with the flags.
func (k *connector) check() error {
	if *k.timeout <= 0 {
		return fmt.Errorf("the timeout must be positive, not %v", *k.timeout)
	}
	return k.algorithms.check()
}

// A connection is a client that is logged in.
type connection struct {
	*ssh.Client
	address string
	timeout time.Duration
	moved   *movement
	silent  atomic.Bool // it was closed as the server did not answer
	via     *connection // the server before it, or nil
}

// Close closes the connection and those that it goes through.
func (c *connection) Close() error {
	err := c.Client.Close()
	if c.via != nil {
		c.via.Close()
	}
	return err
}

// connect logs in to a target.
func (k *connector) connect(t target) (*connection, error) {
	if err := t.setPort(*k.port); err != nil {
		return nil, err
	}
	warnf := func(format string, args ...any) { k.call.Errorf(format, args...) }
	config := readConfig(*k.config, warnf)
	known, err := readKnownHosts(*k.known, warnf)
	if err != nil {
		return nil, err
	}
	hosts := &hostChecker{known: known, add: *k.acceptNew, tell: warnf}
	const depth = 8 // of servers that are reached through others
	conn, err := k.reach(config, hosts, t, nil, depth)
	if err != nil {
		return nil, err
	}
	if *k.verbose {
		k.call.Errorf("%s: %s", cli.Visible(conn.address), negotiated(conn.Conn))
	}
	return conn, nil
}

// reach logs in to a target, through those servers before it that the configuration
// names.
func (k *connector) reach(config *clientConfig, hosts *hostChecker, t target, via *connection, depth int) (*connection, error) {
	if depth == 0 {
		return nil, errors.New("ProxyJump leads through too many servers")
	}
	d, err := config.resolve(t)
	if err != nil {
		return nil, err
	}
	if via == nil {
		for _, jump := range d.jumps {
			next, err := k.reach(config, hosts, jump, via, depth-1)
			if err != nil {
				if via != nil {
					via.Close()
				}
				return nil, err
			}
			via = next
		}
	}
	conn, err := k.logIn(hosts, d, via)
	if err != nil && via != nil {
		via.Close()
	}
	return conn, err
}

// logIn connects, over another connection where via is one, and logs in.
func (k *connector) logIn(hosts *hostChecker, d *destination, via *connection) (*connection, error) {
	algorithms, err := k.algorithms.config()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), *k.timeout)
	defer cancel()
	var raw net.Conn
	if via == nil {
		raw, err = new(net.Dialer).DialContext(ctx, "tcp", d.address)
	} else {
		raw, err = via.DialContext(ctx, "tcp", d.address)
	}
	if err != nil {
		return nil, err
	}
	moved := &movement{Conn: raw}
	keys := &loginKeys{identity: *k.identity, identities: d.identities, patience: *k.timeout / 2}
	limit := newTimeLimit(*k.timeout, func() {
		raw.Close()
		keys.close()
	})
	keys.pause = limit.pause
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
			hostErr = hosts.check(address, remote, key)
			return hostErr
		},
		HostKeyAlgorithms: hosts.algorithms(d.address),
		BannerCallback: func(text string) error {
			k.call.Errorf("%s says: %s", cli.Visible(d.address), cli.Visible(strings.TrimSpace(text)))
			return nil
		},
		ClientVersion: "SSH-2.0-unimac",
	})
	expired := limit.stop()
	switch {
	case err == nil:
	case hostErr != nil:
		err = hostErr
	case keyErr != nil:
		err = keyErr
	case keys.problem != nil:
		err = keys.problem
	case expired:
		err = noAnswer(d.address, *k.timeout)
	}
	if err != nil {
		raw.Close()
		return nil, err
	}
	c := &connection{Client: ssh.NewClient(conn, channels, requests), address: d.address, timeout: *k.timeout, moved: moved, via: via}
	go c.watch()
	return c, nil
}

func noAnswer(address string, timeout time.Duration) error {
	return fmt.Errorf("%s does not answer: nothing came for %v", address, timeout)
}

// watch closes a connection whose server has not answered for the time-out. Where
// nothing else moves, it asks.
func (c *connection) watch() {
	ended := make(chan struct{})
	go func() {
		c.Wait()
		close(ended)
	}()
	tick := c.timeout / 3
	var last int64
	var quiet time.Duration
	var asking atomic.Bool
	for {
		select {
		case <-ended:
			return
		case <-time.After(tick):
		}
		if now := c.moved.bytes.Load(); now != last {
			last, quiet = now, 0
			continue
		}
		if quiet += tick; quiet >= c.timeout {
			c.silent.Store(true)
			c.moved.Close()
			return
		}
		if asking.CompareAndSwap(false, true) {
			go func() {
				c.SendRequest("keepalive@openssh.com", true, nil)
				asking.Store(false)
			}()
		}
	}
}

// why returns the error of the connection, such as a wrong MAC, if it has ended,
// or else err: that of a channel, which the connection closes just before it tells
// why.
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
	bytes, most atomic.Int64
	over        atomic.Bool // there were more than the most
}

// limit has the connection end when more than n bytes move before lift.
func (m *movement) limit(n int64) (lift func()) {
	m.most.Store(m.bytes.Load() + n)
	return func() { m.most.Store(0) }
}

func (m *movement) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	moved, most := m.bytes.Add(int64(n)), m.most.Load()
	if most > 0 && moved > most {
		m.over.Store(true)
		m.Close()
	}
	return n, err
}

func (m *movement) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	m.bytes.Add(int64(n))
	return n, err
}

// A timeLimit calls a function after a time, of which pauses are no part.
type timeLimit struct {
	mu      sync.Mutex
	timer   *time.Timer
	after   time.Duration
	expired bool
}

func newTimeLimit(after time.Duration, end func()) *timeLimit {
	l := &timeLimit{after: after}
	l.timer = time.AfterFunc(after, func() {
		l.mu.Lock()
		l.expired = true
		l.mu.Unlock()
		end()
	})
	return l
}

// pause stops the time until resume, when it begins anew.
func (l *timeLimit) pause() (resume func()) {
	l.timer.Stop()
	return func() { l.timer.Reset(l.after) }
}

// stop ends it, and reports whether the time was over.
func (l *timeLimit) stop() (expired bool) {
	l.timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.expired
}
