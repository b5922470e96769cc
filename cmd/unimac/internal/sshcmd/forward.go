// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	// maxForwards is how many channels for forwarding a connection may have at once.
	maxForwards = 200
	// forwardTime is how long a server that a client asks for may take to answer.
	forwardTime = 20 * time.Second
)

// An atomicCount counts up to a limit.
type atomicCount struct{ n atomic.Int32 }

func (c *atomicCount) enter(limit int32) bool {
	if c.n.Add(1) > limit {
		c.n.Add(-1)
		return false
	}
	return true
}

func (c *atomicCount) leave() { c.n.Add(-1) }

// admitForward returns the address that a client asks for, ssh -L and -D, and counts the
// channel if it may have it.
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
	case !l.forwards.enter(maxForwards):
		channel.Reject(ssh.ResourceShortage, "too many forwarded connections")
	default:
		return net.JoinHostPort(p.Host, strconv.Itoa(int(p.Port))), true
	}
	return "", false
}

// openForward connects a channel to an address.
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

// splice moves data both ways until both ends have sent all, the client has closed the
// channel, or ctx is done.
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
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		} else {
			conn.Close()
		}
		go func() {
			<-closed
			conn.Close() // as nobody wants more of it
		}()
	})
	both.Wait()
}
