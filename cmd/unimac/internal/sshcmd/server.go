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
	// handshakeTime is how long a client may take to log in.
	handshakeTime = 60 * time.Second // enough to type a passphrase
	// wakeTime is when a client is sent a packet after the end of a session: dropbear's, if
	// it had output to write when the session was closed, notices that with the next packet.
	wakeTime = time.Second
	// maxSessions is how many sessions a connection may have at once.
	maxSessions = 10
	// acceptPause is between an error of the listener and the next attempt.
	acceptPause = 100 * time.Millisecond
	// journalPatience is how long the end waits for those who read the output.
	journalPatience = time.Second
)

// A server is an SSH server.
type server struct {
	config     *ssh.ServerConfig // without what is of one connection
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
	allowHangup()
	return s
}

// explainUser tells a client that logs in with another name than that of the user who runs
// the server that this does not make it another user.
func explainUser(conn ssh.ConnMetadata) error {
	self, err := currentUser()
	banner, ok := conn.(ssh.ServerPreAuthConn)
	if err != nil || !ok || conn.User() == self {
		return nil
	}
	return banner.SendAuthBanner(fmt.Sprintf("all that you do here is done as %s, whatever name you log in with\n", self))
}

// authorize returns what a key may do by the file as it is now.
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

// grantKey is where ssh.Permissions keep the grant.
type grantKey struct{}

// An attempt is what a client shows until it is logged in.
type attempt struct {
	ssh.AlgorithmSigner // the server's key
	signed              atomic.Bool
	user                string
	keys                []string // with their fingerprints
}

// Sign signs a key exchange. The new keys take effect with the next packets.
func (a *attempt) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return a.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm does the same.
func (a *attempt) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	a.signed.Store(true)
	return a.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}

// configure returns the configuration of a connection, which records the attempt in a.
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

// failed adds to an error who could not log in. The keys come first, as the name may be long.
func (a *attempt) failed(err error) error {
	if reasons, ok := errors.AsType[*ssh.ServerAuthError](err); ok && len(reasons.Errors) > 1 && reasons.Errors[0] == ssh.ErrNoAuth {
		reasons.Errors = reasons.Errors[1:] // that was the question which keys are taken
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

// serve accepts connections until ctx is done, and then ends them all and their
// commands.
func (s *server) serve(ctx context.Context, listener net.Listener) error {
	defer s.journal.flush(journalPatience)
	s.journal.put(s.journal.stdout, fmt.Sprintf("listening on %v with host key %s", listener.Addr(), fingerprint(s.hostKey.PublicKey())))
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
			// Such as too many open files: the next may work.
			s.journal.errorf("%v", err)
			time.Sleep(acceptPause)
			continue
		}
		v, dropped := s.admission.enter(conn)
		if dropped != nil {
			s.journal.errorf("%v: dropped, as too many clients are logging in", dropped.conn.RemoteAddr())
			dropped.conn.Close()
		}
		connections.Go(func() {
			defer s.admission.leave(v)
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
	s.admission.leave(v)
	netConn.SetDeadline(time.Time{})
	grant := conn.Permissions.ExtraData[grantKey{}].(*grant)
	began := time.Now()
	s.journal.printf("%v logged in as %q: %s, key %s", conn.RemoteAddr(), conn.User(), negotiated(conn.Conn), grant.fingerprint)
	l := &login{server: s, conn: conn, grant: grant}
	l.serve(ctx, channels, requests)
	s.journal.printf("%v ended after %v", conn.RemoteAddr(), time.Since(began).Round(time.Millisecond))
}

// A login is a connection that is logged in.
type login struct {
	server *server
	conn   *ssh.ServerConn
	grant  *grant

	sessions atomicCount
	forwards atomicCount // channels
}

// serve answers what the client asks for, until the connection ends and its
// commands were told.
func (l *login) serve(ctx context.Context, channels <-chan ssh.NewChannel, requests <-chan *ssh.Request) {
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	parts.Go(func() { ssh.DiscardRequests(requests) })
	for channel := range channels {
		switch kind := channel.ChannelType(); kind {
		case "session":
			if !l.sessions.enter(maxSessions) {
				channel.Reject(ssh.ResourceShortage, "too many sessions")
				continue
			}
			parts.Go(func() {
				defer l.sessions.leave()
				accepted, requests, err := channel.Accept()
				if err != nil {
					return // the connection has ended
				}
				newSession(l, accepted).serve(requests)
				time.AfterFunc(wakeTime, func() { l.conn.SendRequest("keepalive@openssh.com", false, nil) })
			})
		case "direct-tcpip":
			// What is refused is refused here: a client that asks without end, and reads no
			// answer, then waits itself.
			if to, ok := l.admitForward(channel); ok {
				parts.Go(func() {
					defer l.forwards.leave()
					openForward(ctx, channel, to)
				})
			}
		default:
			channel.Reject(ssh.UnknownChannelType, "no channels of this type")
		}
	}
}
