// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// A deadlineConn records the deadline at the first read, and the last deadline set.
type deadlineConn struct {
	net.Conn
	mu          sync.Mutex
	read        bool
	first, last time.Time
}

func (c *deadlineConn) SetDeadline(end time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = end
	return nil
}

func (c *deadlineConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	if !c.read {
		c.read, c.first = true, c.last
	}
	c.mu.Unlock()
	return c.Conn.Read(p)
}

// TestLoginDeadline checks that a connection has a deadline until the client has logged
// in, and none afterwards.
func TestLoginDeadline(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, err := Config(allMACs(), allCiphers())
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(config, s.host, authorizedKeys(s.authorized), serveOptions{}, newJournal(new(lockedBuffer), new(lockedBuffer), ""))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	here, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	there, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	timed := &deadlineConn{Conn: there}
	begin := time.Now()
	go server.handle(t.Context(), &visitor{conn: timed})
	conn, _, _, err := ssh.NewClientConn(here, "", &ssh.ClientConfig{
		Config: config, User: "u", Auth: []ssh.AuthMethod{ssh.PublicKeys(s.user)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.OpenChannel("none", nil); err == nil { // answered only after the login
		t.Error("opening a channel of an unknown type: got no error")
	}
	timed.mu.Lock()
	defer timed.mu.Unlock()
	if timed.first.Before(begin) || timed.first.After(time.Now().Add(handshakeTime)) {
		t.Errorf("before the login: got deadline %v, want at most %v from now", timed.first, handshakeTime)
	}
	if !timed.last.IsZero() {
		t.Errorf("after the login: got deadline %v, want none", timed.last)
	}
}

// TestFailedLogin checks the journal entries about failed logins.
func TestFailedLogin(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, err := Config(allMACs(), allCiphers())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	one, two := writeKey(t, filepath.Join(dir, "one")), writeKey(t, filepath.Join(dir, "two"))
	name := func(key ssh.Signer) string { return "ssh-ed25519 " + ssh.FingerprintSHA256(key.PublicKey()) }
	for _, tt := range []struct {
		user, want string
		auth       []ssh.AuthMethod
	}{
		{"eve", "failed login with " + name(one) + ", " + name(two) + ` as "eve": [the key is not in the file of authorized keys, the key is not in the file of authorized keys]`, []ssh.AuthMethod{ssh.PublicKeys(one, two)}},
		{"mallory", `failed login without a key as "mallory": `, []ssh.AuthMethod{ssh.Password("secret")}},
		{strings.Repeat("\U000e0001", 5000), "failed login with " + name(two) + ` as "\U000e0001`, []ssh.AuthMethod{ssh.PublicKeys(two)}},
	} {
		client := &ssh.ClientConfig{Config: config, User: tt.user, Auth: tt.auth, HostKeyCallback: ssh.InsecureIgnoreHostKey()}
		if _, err := ssh.Dial("tcp", s.address, client); err == nil {
			t.Errorf("login as %q: got no error", tt.user)
		}
		if !eventually(func() bool { return strings.Contains(s.stderr.String(), tt.want) }) {
			t.Errorf("server: stderr lacks %q:\n%s", tt.want, s.stderr)
		}
	}
	if got := s.stderr.String(); strings.Contains(got, "secret") || strings.Count(got, "\n") != 3 {
		t.Errorf("server: got stderr %q, want three lines without the password", got)
	}
}

// A visitorConn is a connection from a given address.
type visitorConn struct {
	net.Conn
	from net.Addr
}

func (c visitorConn) RemoteAddr() net.Addr { return c.from }

// visit fills an admission, beginning with crowd clients from each of the given number
// of addresses. All other clients have their own addresses. visit then admits another
// client and returns the index of the dropped one.
func visit(t *testing.T, crowd, addresses int) int {
	t.Helper()
	a := new(admission)
	number := make(map[*visitor]int)
	for i := range maxWaiting {
		from := 1000 + i
		if i < crowd*addresses {
			from = i % addresses
		}
		v := &visitor{from: origin(&net.TCPAddr{IP: net.IPv4(10, 0, byte(from>>8), byte(from))})}
		a.waiting, number[v] = append(a.waiting, v), i
	}
	newest, dropped := a.admit(visitorConn{from: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}})
	if dropped == nil || dropped == newest || len(a.waiting) != maxWaiting || a.waiting[maxWaiting-1] != newest {
		t.Fatalf("admit dropped %p and keeps %d clients, want an old client dropped, %d kept and the newest, %p, last", dropped, len(a.waiting), maxWaiting, newest)
	}
	return number[dropped]
}

// TestDroppedClient checks that any client of the address with the most clients is dropped.
// If several addresses have the most clients, clients of all of them are dropped.
func TestDroppedClient(t *testing.T) {
	for _, tt := range []struct{ crowd, addresses int }{{2, 1}, {40, 1}, {100, 1}, {2, 20}, {1, maxWaiting}} {
		gone := make(map[int]bool)
		for range 300 {
			i := visit(t, tt.crowd, tt.addresses)
			if i >= tt.crowd*tt.addresses {
				t.Errorf("%d clients of each of %d addresses: client %d was dropped, whose address has only one client", tt.crowd, tt.addresses, i)
			}
			gone[i] = true
		}
		if largest := tt.crowd * tt.addresses; len(gone) < min(largest, 20) {
			t.Errorf("%d clients of each of %d addresses: only %d different clients were dropped, want at least %d", tt.crowd, tt.addresses, len(gone), min(largest, 20))
		}
	}
	a := new(admission)
	for i := range maxWaiting {
		if _, dropped := a.admit(visitorConn{from: &net.TCPAddr{}}); dropped != nil {
			t.Errorf("with %d clients, one was dropped, want all admitted", i+1)
		}
	}
}
