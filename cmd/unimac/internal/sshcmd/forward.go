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
	// maxForwards is the maximum number of forwarded channels per connection.
	maxForwards = 200
	// forwardTime is the time limit for connecting to the address that a client
	// requests.
	forwardTime = 20 * time.Second
)

// An atomicCount is a counter with a limit.
type atomicCount struct{ n atomic.Int32 }

func (c *atomicCount) acquire(limit int32) bool {
	if c.n.Add(1) > limit {
		c.n.Add(-1)
		return false
	}
	return true
}

func (c *atomicCount) release() { c.n.Add(-1) }

// admitForward returns the address that a client requests with ssh -L or -D. If the
// client may use the address, admitForward counts the channel. Otherwise, it rejects
// the channel.
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
	case !l.forwards.acquire(maxForwards):
		channel.Reject(ssh.ResourceShortage, "too many forwarded connections")
	default:
		return net.JoinHostPort(p.Host, strconv.Itoa(int(p.Port))), true
	}
	return "", false
}

// openForward connects channel to address.
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

// splice copies data in both directions. It returns when both ends have sent all their
// data, the client has closed the channel, or ctx is done.
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
			conn.Close() // nobody reads from it any more
		}()
	})
	both.Wait()
}
