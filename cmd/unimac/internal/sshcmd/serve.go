// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Args:  "[FLAGS]",
		Short: "run an SSH server",
		Long: `Runs an SSH server until it is interrupted. A client whose public key is in the
file of authorized keys may run commands and shells, as the user who started the
server and whatever name it logs in with. Lines of that file that have options,
such as command= or cert-authority, let nobody in. There is no forwarding and no
SFTP.

The server prints its address and the fingerprint of its key, and for each
connection the MAC and cipher that were negotiated.`,
		New: newServe,
	}
}

func newServe(c *cli.Call) func() int {
	hostKeyDefault := ""
	if dir, err := os.UserConfigDir(); err == nil {
		hostKeyDefault = filepath.Join(dir, "unimac", "ssh_host_ed25519_key")
	}
	listen := c.Flags.String("listen", "127.0.0.1:2222", "the `address` to listen on")
	authorized := c.Flags.String("authorized-keys", inHome(".ssh", "authorized_keys"), "the `file` of the keys that may log in")
	hostKeyPath := c.Flags.String("host-key", hostKeyDefault, "the `file` of the server's private key, made if it does not exist")
	algorithms := algorithmFlags(c)
	return func() int {
		if len(c.Args) > 0 {
			return c.Usagef("%d arguments, want none", len(c.Args))
		}
		if err := algorithms.check(); err != nil {
			return c.Usagef("%v", err)
		}
		config, err := algorithms.config()
		if err != nil {
			return c.Errorf("%v", err)
		}
		keys, ignored, err := authorizedKeys(*authorized).keys()
		switch {
		case err != nil:
			return c.Errorf("%s: %s", cli.Escape(*authorized), cli.Reason(err))
		case ignored > 0:
			c.Errorf("%s: %d lines with options or certificates let nobody in", cli.Escape(*authorized), ignored)
		}
		if len(keys) == 0 {
			return c.Errorf("%s: no key that may log in", cli.Escape(*authorized))
		}
		signer, err := hostKey(*hostKeyPath)
		if err != nil {
			return c.Errorf("%s: %s", cli.Escape(*hostKeyPath), cli.Reason(err))
		}
		listener, err := net.Listen("tcp", *listen)
		if err != nil {
			return c.Errorf("%v", err)
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		s := newServer(c, config, signer, authorizedKeys(*authorized))
		s.printf("listening on %v with host key %s", listener.Addr(), ssh.FingerprintSHA256(signer.PublicKey()))
		if err := s.serve(ctx, listener); err != nil {
			return c.Errorf("%v", err)
		}
		return cli.ExitOK
	}
}

const (
	// handshakeTime is how long a client may take to log in.
	handshakeTime = 30 * time.Second
	// maxHandshakes is how many clients may be logging in at once.
	maxHandshakes = 64
)

// A server is an SSH server.
type server struct {
	config     *ssh.ServerConfig
	handshakes chan struct{} // holds a value for each client that is logging in

	mu   sync.Mutex // for call's streams
	call *cli.Call
}

func newServer(c *cli.Call, config ssh.Config, hostKey ssh.Signer, authorized authorizedKeys) *server {
	s := &server{
		call:       c,
		handshakes: make(chan struct{}, maxHandshakes),
		config: &ssh.ServerConfig{
			Config:        config,
			ServerVersion: "SSH-2.0-unimac",
			PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
				return nil, authorized.check(key)
			},
		},
	}
	s.config.AddHostKey(hostKey)
	allowHangup()
	return s
}

func (s *server) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.call.Stdout, format+"\n", args...)
}

func (s *server) errorf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call.Errorf(format, args...)
}

// serve accepts connections until ctx is done, and then ends them all.
func (s *server) serve(ctx context.Context, listener net.Listener) error {
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
			s.errorf("%v", err)
			time.Sleep(100 * time.Millisecond)
			continue
		}
		select {
		case s.handshakes <- struct{}{}:
			connections.Go(func() { s.handle(ctx, conn) })
		default:
			s.errorf("%v: too many clients are logging in", conn.RemoteAddr())
			conn.Close()
		}
	}
}

// handle serves one connection.
func (s *server) handle(ctx context.Context, netConn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the connection's commands
	defer netConn.Close()
	defer context.AfterFunc(ctx, func() { netConn.Close() })()

	netConn.SetDeadline(time.Now().Add(handshakeTime))
	conn, channels, requests, err := ssh.NewServerConn(netConn, s.config)
	<-s.handshakes
	if err != nil {
		if ctx.Err() == nil {
			s.errorf("%v: %v", netConn.RemoteAddr(), err)
		}
		return
	}
	netConn.SetDeadline(time.Time{})
	mac, cipher := Negotiated(conn.Conn)
	s.printf("%v logged in as %q: %s, %s", conn.RemoteAddr(), conn.User(), mac, cipher)
	go ssh.DiscardRequests(requests)
	for newChannel := range channels {
		if kind := newChannel.ChannelType(); kind != "session" {
			newChannel.Reject(ssh.UnknownChannelType, fmt.Sprintf("no channels of type %q", kind))
			continue
		}
		channel, requests, err := newChannel.Accept()
		if err != nil {
			continue // the connection has ended
		}
		go newSession(s, conn, channel).serve(ctx, requests)
	}
}
