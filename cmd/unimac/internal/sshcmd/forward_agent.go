// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// An agentSocket is where the commands of a session find the client's agent:
// ssh -A.
type agentSocket struct {
	listener net.Listener
	folder   string // nobody else may look into it
	cancel   func()
}

// forwardAgent makes a socket whose connections go to the client.
func (s *session) forwardAgent() error {
	switch {
	case s.started() || s.agent != nil:
		return errStarted
	case !s.login.server.options.forward || s.login.grant.noAgent || s.login.server.options.filesOnly():
		return errForbidden
	}
	folder, err := os.MkdirTemp("", "unimac-agent-")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, "socket")
	listener, err := net.Listen("unix", path)
	if err != nil {
		os.RemoveAll(folder)
		return fmt.Errorf("agent: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.agent = &agentSocket{listener, folder, cancel}
	s.env.setLast("SSH_AUTH_SOCK", path)
	go s.agent.accept(ctx, s.login)
	return nil
}

func (a *agentSocket) accept(ctx context.Context, l *login) {
	for {
		conn, err := a.listener.Accept()
		if err != nil {
			return // it was closed
		}
		if !l.forwards.channels.enter(maxForwards) {
			conn.Close()
			continue
		}
		go func() {
			defer l.forwards.channels.leave()
			channel, requests, err := l.conn.OpenChannel("auth-agent@openssh.com", nil)
			if err != nil {
				conn.Close()
				return
			}
			splice(ctx, channel, requests, conn)
		}()
	}
}

func (a *agentSocket) close() {
	a.cancel()
	a.listener.Close()
	os.RemoveAll(a.folder)
}
