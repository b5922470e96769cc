// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	// handshakeTime is the time limit for logging in.
	handshakeTime = 60 * time.Second // enough to type a passphrase
	// wakeTime is the delay between the end of a session and an extra packet to the
	// client. The extra packet is necessary because dropbear's client notices the end
	// only at the next packet if it had output to write when the session was closed.
	wakeTime = time.Second
	// maxSessions is the maximum number of concurrent sessions per connection.
	maxSessions = 10
	// acceptPause is the pause after an error of the listener.
	acceptPause = 100 * time.Millisecond
	// journalPatience limits how long serve waits for readers of the journal before it
	// returns.
	journalPatience = time.Second
)

// A server is an SSH server.
type server struct {
	config     *ssh.ServerConfig // settings shared by all connections
	hostKey    ssh.Signer
	authorized authorizedKeys
	options    serveOptions
	journal    *journal
	admission  *admission
}

func newServer(config ssh.Config, hostKey ssh.Signer, authorized authorizedKeys, options serveOptions, j *journal) *server {
	s := &server{
		hostKey:    hostKey,
		authorized: authorized,
		options:    options,
		journal:    j,
		admission:  new(admission),
		config: &ssh.ServerConfig{
			Config:                  config,
			ServerVersion:           "SSH-2.0-unimac",
			PublicKeyAuthAlgorithms: ssh.SupportedAlgorithms().PublicKeyAuths,
			VerifiedPublicKeyCallback: func(conn ssh.ConnMetadata, _ ssh.PublicKey, permissions *ssh.Permissions, _ string) (*ssh.Permissions, error) {
				return permissions, explainUser(conn)
			},
		},
	}
	resetSignals()
	return s
}

// explainUser sends a banner if the client's login name differs from the name of the
// server's user. The banner explains that the login name has no effect.
func explainUser(conn ssh.ConnMetadata) error {
	self, err := currentUser()
	banner, ok := conn.(ssh.ServerPreAuthConn)
	if err != nil || !ok || conn.User() == self {
		return nil
	}
	return banner.SendAuthBanner(fmt.Sprintf("everything runs as %s, regardless of the user name\n", self))
}

// authorize returns the permissions of key. It reads the file of authorized keys for
// each call, so that changes take effect immediately.
func (s *server) authorize(key ssh.PublicKey) (*ssh.Permissions, error) {
	list, err := s.authorized.read()
	if err != nil {
		return nil, err
	}
	g, err := list.find(key)
	if err != nil {
		return nil, err
	}
	return &ssh.Permissions{ExtraData: map[any]any{grantKey{}: g}}, nil
}

// grantKey is the key of the grant in ssh.Permissions.
type grantKey struct{}

// An attempt records the data that a client presents before it is logged in. It also
// serves as the host key, so that it can record that a key exchange was signed.
type attempt struct {
	ssh.AlgorithmSigner // host key
	signed              atomic.Bool
	user                string
	keys                []string // types and fingerprints
}

// Sign signs a key exchange and records the signature, because the new keys take effect
// with the next packets.
func (a *attempt) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return a.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm is like Sign, with an explicit algorithm.
func (a *attempt) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	a.signed.Store(true)
	return a.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}

// configure returns the configuration of one connection, whose login is recorded in a.
func (s *server) configure(a *attempt) *ssh.ServerConfig {
	config := *s.config
	a.AlgorithmSigner = s.hostKey.(ssh.AlgorithmSigner)
	if key, err := modern(a); err == nil {
		config.AddHostKey(key)
	}
	config.PublicKeyCallback = func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if name := described(key); !slices.Contains(a.keys, name) {
			a.keys = append(a.keys, name)
		}
		return s.authorize(key)
	}
	config.AuthLogCallback = func(conn ssh.ConnMetadata, _ string, _ error) { a.user = conn.User() }
	return &config
}

// failed adds the keys and the user name of the failed login to err. The keys come
// first, because the user name may be long.
func (a *attempt) failed(err error) error {
	if reasons, ok := errors.AsType[*ssh.ServerAuthError](err); ok && len(reasons.Errors) > 1 && reasons.Errors[0] == ssh.ErrNoAuth {
		reasons.Errors = reasons.Errors[1:] // the client's initial query for authentication methods
	}
	switch {
	case a.keys != nil:
		return fmt.Errorf("failed login with %s as %q: %w", strings.Join(a.keys, ", "), a.user, err)
	case a.user != "":
		return fmt.Errorf("failed login without a key as %q: %w", a.user, err)
	case a.signed.Load():
		return fmt.Errorf("%w; %s", err, otherAlgorithms)
	}
	return err
}

// serve accepts connections until ctx is done. It then closes all connections, sends a
// hangup signal to their commands and waits until the connections have ended.
func (s *server) serve(ctx context.Context, listener net.Listener) error {
	defer s.journal.flush(journalPatience)
	s.journal.enqueue(s.journal.stdout, fmt.Sprintf("listening on %v with host key %s", listener.Addr(), fingerprint(s.hostKey.PublicKey())))
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	var connections sync.WaitGroup
	defer connections.Wait()
	for {
		conn, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil:
			// Continue after errors such as too many open files, because the next
			// attempt may succeed.
			s.journal.errorf("%v", err)
			time.Sleep(acceptPause)
			continue
		}
		v, dropped := s.admission.admit(conn)
		if dropped != nil {
			s.journal.errorf("%v: dropped because too many clients are logging in", dropped.conn.RemoteAddr())
			dropped.conn.Close()
		}
		connections.Go(func() {
			defer s.admission.release(v)
			s.handle(ctx, v)
		})
	}
}

// handle serves one connection.
func (s *server) handle(ctx context.Context, v *visitor) {
	netConn := v.conn
	defer netConn.Close()
	defer context.AfterFunc(ctx, func() { netConn.Close() })()

	netConn.SetDeadline(time.Now().Add(handshakeTime))
	var a attempt
	conn, channels, requests, err := ssh.NewServerConn(netConn, s.configure(&a))
	if err != nil {
		if ctx.Err() == nil {
			s.journal.errorf("%v: %v", netConn.RemoteAddr(), a.failed(err))
		}
		return
	}
	s.admission.release(v)
	netConn.SetDeadline(time.Time{})
	grant := conn.Permissions.ExtraData[grantKey{}].(*grant)
	began := time.Now()
	s.journal.printf("%v logged in as %q: %s, key %s", conn.RemoteAddr(), conn.User(), negotiated(conn.Conn), grant.fingerprint)
	l := &login{server: s, conn: conn, grant: grant}
	l.serve(ctx, channels, requests)
	s.journal.printf("%v ended after %v", conn.RemoteAddr(), time.Since(began).Round(time.Millisecond))
}

// A login is a connection whose client has logged in.
type login struct {
	server *server
	conn   *ssh.ServerConn
	grant  *grant

	sessions atomicCount
	forwards atomicCount // forwarded channels
}

// serve answers requests for channels until the connection ends. Before it returns, it
// tells the commands of all sessions to hang up.
func (l *login) serve(ctx context.Context, channels <-chan ssh.NewChannel, requests <-chan *ssh.Request) {
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	parts.Go(func() { ssh.DiscardRequests(requests) })
	for channel := range channels {
		switch kind := channel.ChannelType(); kind {
		case "session":
			if !l.sessions.acquire(maxSessions) {
				channel.Reject(ssh.ResourceShortage, "too many sessions")
				continue
			}
			parts.Go(func() {
				defer l.sessions.release()
				accepted, requests, err := channel.Accept()
				if err != nil {
					return // the connection has ended
				}
				newSession(l, accepted).serve(requests)
				time.AfterFunc(wakeTime, func() { l.conn.SendRequest("keepalive@openssh.com", false, nil) })
			})
		case "direct-tcpip":
			// Reject channels in this goroutine. A client that sends requests without
			// reading the answers then blocks only itself.
			if to, ok := l.admitForward(channel); ok {
				parts.Go(func() {
					defer l.forwards.release()
					openForward(ctx, channel, to)
				})
			}
		default:
			channel.Reject(ssh.UnknownChannelType, "no channels of this type")
		}
	}
}
