// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// If UNIMAC_FAULTS=N is set, the tests in this file, in flip_test.go and in
// soak_test.go cut N connections and flip bits in N connections, instead of 160, and
// keep 200 connections busy for a minute instead of two seconds.

package sshpatch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/internal/mactest"
)

// faultRounds returns the number of connections with a fault, and whether the tests may
// take long.
func faultRounds(t *testing.T) (rounds int, long bool) {
	t.Helper()
	if s := os.Getenv("UNIMAC_FAULTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("UNIMAC_FAULTS: %v", err)
		}
		return n, true
	}
	if testing.Short() {
		return 24, false
	}
	return 160, false
}

// loopback returns the two ends of a TCP connection.
func loopback(listener net.Listener) (client, server *net.TCPConn, err error) {
	accepted := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			server = conn.(*net.TCPConn)
		}
		accepted <- err
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err := errors.Join(err, <-accepted); err != nil {
		return nil, nil, err
	}
	return conn.(*net.TCPConn), server, nil
}

// An end is one side of an SSH connection, or the error of its handshake.
type end struct {
	ssh.Conn
	channels <-chan ssh.NewChannel
	requests <-chan *ssh.Request
	err      error
}

// ends are the two sides of a connection.
type ends struct{ client, server end }

// handshake connects an SSH client and a server. If a handshake fails, handshake closes
// the connection, as programs do.
func handshake(config ssh.Config, host ssh.Signer, client, server net.Conn, seen ssh.HostKeyCallback) (e ends) {
	served := make(chan struct{})
	go func() {
		defer close(served)
		c := &ssh.ServerConfig{Config: config, NoClientAuth: true}
		c.AddHostKey(host)
		s := &e.server
		if s.Conn, s.channels, s.requests, s.err = ssh.NewServerConn(server, c); s.err != nil {
			server.Close()
		}
	}()
	c := &e.client
	c.Conn, c.channels, c.requests, c.err = ssh.NewClientConn(client, "loopback", &ssh.ClientConfig{Config: config, HostKeyCallback: seen})
	if c.err != nil {
		client.Close()
	}
	<-served
	return e
}

// inTime runs f. If f does not return in time, the test fails.
func inTime(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(3 * time.Minute):
		stacks := make([]byte, 1<<18)
		t.Fatalf("%s: still running after 3 minutes\n%s", what, stacks[:runtime.Stack(stacks, true)])
	}
}

// checkGoroutines waits until at most as many goroutines run as before.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, want at most %d\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}

// cutter is a network connection that ends after some bytes in one direction.
type cutter struct {
	*net.TCPConn
	mu       sync.Mutex
	in, out  int // bytes transferred so far
	cutIn    int // limit after which the connection ends, or -1
	cutOut   int
	reset    bool // end by a reset
	happened bool
}

func (c *cutter) cut() {
	c.happened = true
	if c.reset {
		c.SetLinger(0)
	}
	c.Close()
}

func (c *cutter) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cutIn >= 0 && c.in+n >= c.cutIn && err == nil {
		n = max(c.cutIn-c.in, 0)
		c.cut()
		err = io.EOF
	}
	c.in += n
	return n, err
}

func (c *cutter) Write(p []byte) (int, error) {
	c.mu.Lock()
	rest := -1
	if c.cutOut >= 0 && c.out+len(p) >= c.cutOut {
		rest = max(c.cutOut-c.out, 0)
	}
	c.out += len(p)
	c.mu.Unlock()
	if rest < 0 {
		return c.TCPConn.Write(p)
	}
	n, _ := c.TCPConn.Write(p[:rest])
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut()
	return n, net.ErrClosed
}

// isCut reports whether err is an error of an end whose connection was cut.
func isCut(err error) bool {
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED} {
		if errors.Is(err, gone) {
			return true
		}
	}
	// A server returns this error if the connection ends before authentication.
	if auth, ok := errors.AsType[*ssh.ServerAuthError](err); ok {
		return len(auth.Errors) == 0
	}
	_, network := errors.AsType[*net.OpError](err)
	return network && runtime.GOOS == "windows" // Windows uses other error numbers
}

// TestCut checks connections that are cut after a random byte, during the handshake,
// during later key exchanges or between them. Both ends must detect the cut, and the
// data received must be a prefix of the data sent.
func TestCut(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	before := runtime.NumGoroutine()
	_, host := newKey(t)
	data := mactest.Random(60_000, 1)
	rounds, _ := faultRounds(t)
	var inHandshake, cuts, echoed int
	for i, mac := range Algorithms() {
		config := algorithms("aes128-ctr", mac)
		config.RekeyThreshold = 16 << 10
		// A connection without a cut shows the total number of bytes.
		whole := &cutter{cutIn: -1, cutOut: -1}
		if got, e := echoOver(t, "no cut", listener, config, host, whole, data); !bytes.Equal(got, data) {
			t.Fatalf("%s: no cut: echoed %d bytes, errors %v and %v", mac, len(got), e.client.err, e.server.err)
		}
		for round := range rounds / 4 {
			c := &cutter{cutIn: -1, cutOut: -1, reset: rng.IntN(3) == 0}
			in, out := whole.in, whole.out
			if rng.IntN(4) == 0 {
				in, out = 3500, 3500 // approximately a handshake
			}
			if rng.IntN(2) == 0 {
				c.cutIn = rng.IntN(in)
			} else {
				c.cutOut = rng.IntN(out)
			}
			what := fmt.Sprintf("seed %d, round %d: %s, cut after %d in or %d out, reset %t", seed, round+i*rounds/4, mac, c.cutIn, c.cutOut, c.reset)
			got, e := echoOver(t, what, listener, config, host, c, data)
			if !bytes.HasPrefix(data, got) || !c.happened && len(got) != len(data) {
				t.Fatalf("%s: received %d bytes, want all data sent or, after a cut, a prefix of it", what, len(got))
			}
			for name, err := range map[string]error{"client": e.client.err, "server": e.server.err} {
				if !isCut(err) {
					t.Fatalf("%s: the %s reports %v, want the error of a closed connection", what, name, err)
				}
			}
			if c.happened {
				cuts++
			}
			if e.client.Conn == nil || e.server.Conn == nil {
				inHandshake++
			}
			echoed += len(got)
		}
	}
	t.Logf("%d cuts, %d connections ended in the first handshake, %d bytes were echoed", cuts, inHandshake, echoed)
	checkGoroutines(t, before)
}

// echoOver sends data over a connection whose client end is c, and returns the data
// that comes back and the errors of both ends.
func echoOver(t *testing.T, what string, listener net.Listener, config ssh.Config, host ssh.Signer, c *cutter, data []byte) (got []byte, e ends) {
	t.Helper()
	client, server, err := loopback(listener)
	if err != nil {
		t.Fatal(err)
	}
	c.TCPConn = client
	inTime(t, what, func() {
		e = handshake(config, host, c, server, ssh.InsecureIgnoreHostKey())
		if e.server.err == nil {
			go answer(e.server.channels, e.server.requests)
		} else {
			server.Close()
		}
		if e.client.err == nil {
			got = echo(e.client, data)
			e.client.Close()
			e.client.err = e.client.Wait()
		} else {
			client.Close()
		}
		if e.server.err == nil {
			e.server.err = e.server.Wait()
		}
	})
	return got, e
}

// echo sends data to an echo channel and returns what comes back, possibly only a
// prefix.
func echo(client end, data []byte) []byte {
	go ssh.DiscardRequests(client.requests)
	go func() {
		for offered := range client.channels {
			offered.Reject(ssh.Prohibited, "")
		}
	}()
	channel, requests, err := client.OpenChannel("echo", nil)
	if err != nil {
		return nil
	}
	go ssh.DiscardRequests(requests)
	go func() {
		channel.Write(data)
		channel.CloseWrite()
	}()
	got, _ := io.ReadAll(channel)
	return got
}
