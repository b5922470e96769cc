// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// A refusedChannel is a channel that is rejected. It counts concurrent rejections.
type refusedChannel struct {
	ssh.NewChannel
	current, peak *atomic.Int32
}

func (refusedChannel) ChannelType() string { return "direct-tcpip" }
func (refusedChannel) ExtraData() []byte   { return nil }
func (c refusedChannel) Reject(ssh.RejectionReason, string) error {
	if n := c.current.Add(1); n > c.peak.Load() {
		c.peak.Store(n)
	}
	time.Sleep(time.Millisecond)
	c.current.Add(-1)
	return nil
}

// TestManyRefused requests many channels for forwarding. Each request must wait for the
// answer to the previous one.
func TestManyRefused(t *testing.T) {
	t.Parallel()
	var current, peak atomic.Int32
	channels, requests := make(chan ssh.NewChannel), make(chan *ssh.Request)
	go func() {
		for range 50 {
			channels <- refusedChannel{current: &current, peak: &peak}
		}
		close(channels)
		close(requests)
	}()
	l := &login{server: &server{}, grant: &grant{}}
	l.serve(t.Context(), channels, requests)
	if peak.Load() != 1 {
		t.Errorf("got %d concurrent rejections, want 1", peak.Load())
	}
}

// TestForwardClosed closes channels whose other ends send nothing and stay open. These
// ends must receive all data, and closed channels must not count towards the limit.
func TestForwardClosed(t *testing.T) {
	t.Parallel()
	client := startSiteWith(t, serveOptions{forward: true}).dial(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	address := listener.Addr().(*net.TCPAddr)
	request := ssh.Marshal(&struct {
		Host       string
		Port       uint32
		OriginHost string
		OriginPort uint32
	}{address.IP.String(), uint32(address.Port), "", 0})
	data := randomBytes(1 << 20)
	for i := range maxForwards + 2 { // the first channel ends by itself
		var channel ssh.Channel
		var requests <-chan *ssh.Request
		if !eventually(func() bool {
			channel, requests, err = client.OpenChannel("direct-tcpip", request)
			return err == nil
		}) {
			t.Fatalf("opening channel %d: %v", i+1, err)
		}
		go ssh.DiscardRequests(requests)
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(channel, data); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			channel.CloseWrite()
		} else {
			channel.Close()
		}
		conn.SetDeadline(time.Now().Add(soon))
		got, err := io.ReadAll(conn)
		if err != nil || string(got) != data {
			t.Fatalf("channel %d: got %d bytes, error %v, want %d bytes", i+1, len(got), err, len(data))
		}
		if i == 0 { // the other direction is still open
			io.WriteString(conn, "answer")
			conn.Close()
			if got, err := io.ReadAll(channel); err != nil || string(got) != "answer" {
				t.Errorf("got %q, error %v, want %q", got, err, "answer")
			}
		}
		data = "little"
	}
}

// A poorListener temporarily fails as if there were no file descriptors left.
type poorListener struct {
	net.Listener
	poor atomic.Int32
}

func (l *poorListener) Accept() (net.Conn, error) {
	if l.poor.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// TestServeContinues checks that the server continues after a temporary error of the
// listener.
func TestServeContinues(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, err := Config(allMACs(), allCiphers())
	if err != nil {
		t.Fatal(err)
	}
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := &poorListener{Listener: inner}
	listener.poor.Store(2)
	server := newServer(config, s.host, authorizedKeys(s.authorized), serveOptions{}, newJournal(new(lockedBuffer), new(lockedBuffer), ""))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- server.serve(ctx, listener) }()
	conn, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(soon))
	version := make([]byte, len("SSH-2.0-unimac"))
	if _, err := io.ReadFull(conn, version); err != nil || string(version) != "SSH-2.0-unimac" {
		t.Errorf("got version %q, error %v, want SSH-2.0-unimac", version, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
