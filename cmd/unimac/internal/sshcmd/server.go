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
	handshakeTime = 60 * time.Second // enough to type a passphrase
	maxSessions   = 10               // per connection
	acceptPause   = 100 * time.Millisecond
	// wakeTime is the delay between the end of a session and an extra packet from the
	// server. Without that packet, the Dropbear client might not notice the end of the
	// session.
	wakeTime = time.Second
	grantKey = "grant" // key of the grant in ssh.Permissions
	// journalPatience is how long the server waits for the journal's readers on
	// shutdown.
	journalPatience = time.Second
)

type server struct {
	config     ssh.Config
	hostKey    ssh.Signer
	authorized authorizedKeys
	options    serveOptions
	journal    *journal
	admission  *admission
}

func newServer(config ssh.Config, hostKey ssh.Signer, authorized authorizedKeys, options serveOptions, j *journal) *server {
	resetSignals()
	return &server{config, hostKey, authorized, options, j, new(admission)}
}

// An attempt records what is known about a client's login, for error messages: the user
// name, the keys offered, and whether the server has signed the key exchange. The
// server signs through the attempt, which wraps the host key and notes the signature.
type attempt struct {
	ssh.AlgorithmSigner // host key
	signed              atomic.Bool
	user                string
	keys                []string // types and fingerprints
}

// Sign and SignWithAlgorithm set a.signed. The connection then switches to new keys.
func (a *attempt) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return a.SignWithAlgorithm(rand, data, "")
}

func (a *attempt) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	a.signed.Store(true)
	return a.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}

// configure returns the configuration for one connection. Its callbacks update a.
func (s *server) configure(a *attempt) *ssh.ServerConfig {
	config := &ssh.ServerConfig{
		Config:                  s.config,
		ServerVersion:           "SSH-2.0-unimac",
		PublicKeyAuthAlgorithms: ssh.SupportedAlgorithms().PublicKeyAuths,
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if name := described(key); !slices.Contains(a.keys, name) {
				a.keys = append(a.keys, name)
			}
			list, err := s.authorized.read() // for each login, so that changes take effect immediately
			if err != nil {
				return nil, err
			}
			g, err := list.find(key)
			if err != nil {
				return nil, err
			}
			return &ssh.Permissions{ExtraData: map[any]any{grantKey: g}}, nil
		},
		VerifiedPublicKeyCallback: func(conn ssh.ConnMetadata, _ ssh.PublicKey, permissions *ssh.Permissions, _ string) (*ssh.Permissions, error) {
			self, err := currentUser()
			banner, ok := conn.(ssh.ServerPreAuthConn)
			if err != nil || !ok || conn.User() == self {
				return permissions, nil
			}
			return permissions, banner.SendAuthBanner(fmt.Sprintf("everything runs as %s, regardless of the user name\n", self))
		},
		AuthLogCallback: func(conn ssh.ConnMetadata, _ string, _ error) { a.user = conn.User() },
	}
	a.AlgorithmSigner = s.hostKey.(ssh.AlgorithmSigner)
	if key, err := modern(a); err == nil {
		config.AddHostKey(key)
	}
	return config
}

// failed adds the failed login's keys and user name to err. The keys come first,
// because the user name may be long and the journal truncates lines.
func (a *attempt) failed(err error) error {
	if reasons, ok := errors.AsType[*ssh.ServerAuthError](err); ok && len(reasons.Errors) > 1 && reasons.Errors[0] == ssh.ErrNoAuth {
		reasons.Errors = reasons.Errors[1:] // the client's query for authentication methods
	}
	switch {
	case a.keys != nil:
		return fmt.Errorf("failed login with %s as %q: %w", strings.Join(a.keys, ", "), a.user, err)
	case a.user != "":
		return fmt.Errorf("failed login without a key as %q: %w", a.user, err)
	case a.signed.Load():
		return fmt.Errorf("%w; the client may have refused the host key, or %s", err, otherAlgorithms)
	}
	return err
}

// serve accepts connections until ctx is done. It then closes all connections, sends
// SIGHUP to their commands, and waits for the connections' goroutines. It does not wait
// for commands that ignore SIGHUP.
func (s *server) serve(ctx context.Context, listener net.Listener) error {
	defer s.journal.flush(journalPatience)
	s.journal.enqueue(s.journal.stdout, fmt.Sprintf("listening on %v with host key %s", listener.Addr(), ssh.FingerprintSHA256(s.hostKey.PublicKey())))
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
			// Some errors, such as too many open files, are temporary.
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
	grant := conn.Permissions.ExtraData[grantKey].(*grant)
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

	sessions, forwards atomic.Int32 // numbers of open channels
}

// serve answers requests for channels until the connection ends. It then waits until
// all sessions and forwarded connections have ended.
func (l *login) serve(ctx context.Context, channels <-chan ssh.NewChannel, requests <-chan *ssh.Request) {
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	parts.Go(func() { ssh.DiscardRequests(requests) })
	for channel := range channels {
		switch kind := channel.ChannelType(); kind {
		case "session":
			if l.sessions.Add(1) > maxSessions {
				l.sessions.Add(-1)
				channel.Reject(ssh.ResourceShortage, "too many sessions")
				continue
			}
			parts.Go(func() {
				defer l.sessions.Add(-1)
				accepted, requests, err := channel.Accept()
				if err != nil {
					return // the connection has ended
				}
				newSession(l, accepted).serve(requests)
				time.AfterFunc(wakeTime, func() { l.conn.SendRequest("keepalive@openssh.com", false, nil) })
			})
		case "direct-tcpip":
			// Reject channels in this goroutine. Rejecting may block if the client does
			// not read the rejections, but the blocking affects only this client.
			if to, ok := l.admitForward(channel); ok {
				parts.Go(func() {
					defer l.forwards.Add(-1)
					openForward(ctx, channel, to)
				})
			}
		default:
			channel.Reject(ssh.UnknownChannelType, "no channels of this type")
		}
	}
}
