// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	maxForwards = 200              // per connection
	forwardTime = 20 * time.Second // for connecting to the requested address
)

// admitForward returns the address requested by "ssh -L" or "ssh -D", and counts the
// channel toward maxForwards. It rejects the channel if forwarding is not allowed, or
// if there are too many channels.
func (l *login) admitForward(channel ssh.NewChannel) (address string, ok bool) {
	var p struct {
		Host       string
		Port       uint32
		OriginHost string
		OriginPort uint32
	}
	err := ssh.Unmarshal(channel.ExtraData(), &p)
	switch {
	case !l.server.options.forward || l.grant.noForwarding:
		channel.Reject(ssh.Prohibited, "forwarding is not allowed")
	case err != nil || p.Port > 65535:
		channel.Reject(ssh.ConnectionFailed, "malformed request")
	case l.forwards.Add(1) > maxForwards:
		l.forwards.Add(-1)
		channel.Reject(ssh.ResourceShortage, "too many forwarded connections")
	default:
		return net.JoinHostPort(p.Host, strconv.Itoa(int(p.Port))), true
	}
	return "", false
}

func openForward(ctx context.Context, channel ssh.NewChannel, address string) {
	dialer := net.Dialer{Timeout: forwardTime}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		channel.Reject(ssh.ConnectionFailed, "no connection")
		return
	}
	accepted, requests, err := channel.Accept()
	if err != nil {
		conn.Close()
		return
	}
	splice(ctx, accepted, requests, conn)
}

// splice copies data in both directions until both sides have sent all their data, the
// client closes the channel, or ctx is done.
func splice(ctx context.Context, channel ssh.Channel, requests <-chan *ssh.Request, conn net.Conn) {
	defer channel.Close()
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close(); channel.Close() })()
	closed := make(chan struct{})
	go func() {
		ssh.DiscardRequests(requests)
		close(closed)
	}()
	var both sync.WaitGroup
	both.Go(func() {
		io.Copy(channel, conn)
		channel.CloseWrite()
	})
	both.Go(func() {
		io.Copy(conn, channel)
		conn.(*net.TCPConn).CloseWrite()
		go func() {
			<-closed
			conn.Close() // nobody reads from it any more
		}()
	})
	both.Wait()
}
