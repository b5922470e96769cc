// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	// maxForwards is how many channels for forwarding a connection may have at
	// once, and maxListeners how many ports it may have the server listen on.
	maxForwards  = 200
	maxListeners = 20
	// forwardTime is how long a server that a client asks for may take to answer.
	forwardTime = 20 * time.Second
	// acceptPause is between an error of a listener and the next attempt.
	acceptPause = 100 * time.Millisecond
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

// forwards are the ports that a connection forwards.
type forwards struct {
	channels  atomicCount
	listeners []net.Listener // of answer alone
}

// mayForward reports whether a connection may forward ports.
func (l *login) mayForward() bool { return l.server.options.forward && !l.grant.noForwarding }

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
	case !l.mayForward():
		channel.Reject(ssh.Prohibited, "forwarding is not allowed")
	case err != nil || p.Port > 65535:
		channel.Reject(ssh.ConnectionFailed, "malformed request")
	case !l.forwards.channels.enter(maxForwards):
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

// A listenRequest asks the server to listen: ssh -R.
type listenRequest struct {
	Host string
	Port uint32
}

// answer answers the requests of a connection.
func (l *login) answer(ctx context.Context, requests <-chan *ssh.Request) {
	defer l.closeListeners()
	for request := range requests {
		var reply []byte
		err := errUnsupported
		if request.Type == "tcpip-forward" {
			reply, err = l.listen(ctx, request.Payload)
		}
		if err != nil && !errors.Is(err, errUnsupported) {
			l.server.journal.errorf("%v: %s: %v", l.conn.RemoteAddr(), request.Type, err)
		}
		if request.WantReply {
			request.Reply(err == nil, reply)
		}
	}
}

// listen listens on the loopback interface, whatever the client asks for, and
// forwards what connects.
func (l *login) listen(ctx context.Context, payload []byte) (reply []byte, err error) {
	var p listenRequest
	if err := ssh.Unmarshal(payload, &p); err != nil {
		return nil, err
	}
	if !l.mayForward() || p.Port > 65535 {
		return nil, errForbidden
	}
	host := "127.0.0.1"
	if p.Host == "::1" {
		host = p.Host
	}
	if len(l.forwards.listeners) == maxListeners {
		return nil, errors.New("too many ports")
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(int(p.Port))))
	if err != nil {
		return nil, err
	}
	port := uint32(listener.Addr().(*net.TCPAddr).Port)
	if p.Port == 0 {
		p.Port = port
		reply = ssh.Marshal(&struct{ Port uint32 }{port})
	}
	l.forwards.listeners = append(l.forwards.listeners, listener)
	go l.accept(ctx, listener, p)
	return reply, nil
}

// accept forwards what connects to a listener.
func (l *login) accept(ctx context.Context, listener net.Listener, p listenRequest) {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files: the next may work
			time.Sleep(acceptPause)
			continue
		}
		if !l.forwards.channels.enter(maxForwards) {
			conn.Close()
			continue
		}
		go func() {
			defer l.forwards.channels.leave()
			from := conn.RemoteAddr().(*net.TCPAddr)
			channel, requests, err := l.conn.OpenChannel("forwarded-tcpip", ssh.Marshal(&struct {
				Host       string
				Port       uint32
				OriginHost string
				OriginPort uint32
			}{p.Host, p.Port, from.IP.String(), uint32(from.Port)}))
			if err != nil {
				conn.Close()
				return
			}
			splice(ctx, channel, requests, conn)
		}()
	}
}

func (l *login) closeListeners() {
	for _, listener := range l.forwards.listeners {
		listener.Close()
	}
}
