// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"io"
	"net"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// hostile contains an escape sequence that clears the screen, and a forged line of the
// journal.
const hostile = "\x1b[2J\n2026-01-01T00:00:00Z 127.0.0.1:1 logged in as \"root\""

// A hostileKey is a key whose marshaled form names a hostile algorithm.
type hostileKey struct{}

func (hostileKey) Type() string { return ssh.KeyAlgoED25519 }

func (hostileKey) Marshal() []byte { return ssh.Marshal(&struct{ Name string }{hostile}) }

func (hostileKey) Verify([]byte, *ssh.Signature) error { return nil }

func (hostileKey) PublicKey() ssh.PublicKey { return hostileKey{} }

func (hostileKey) Sign(io.Reader, []byte) (*ssh.Signature, error) {
	return &ssh.Signature{Format: ssh.KeyAlgoED25519, Blob: make([]byte, 64)}, nil
}

func (k hostileKey) SignWithAlgorithm(rand io.Reader, data []byte, _ string) (*ssh.Signature, error) {
	return k.Sign(rand, data)
}

// TestHostileClient sends escape sequences and newlines in place of names before the
// login.
func TestHostileClient(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, err := Config(allMACs(), allCiphers())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ssh.Dial("tcp", s.address, &ssh.ClientConfig{
		Config: config, User: hostile, Auth: []ssh.AuthMethod{ssh.PublicKeys(hostileKey{})}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	}); err == nil {
		t.Error("login with a hostile key: got no error")
	}
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "SSH-2.0-hostile\r\n")
	conn.Write(hostileKexInit(hostile))
	if !eventually(func() bool { return strings.Count(s.stderr.String(), "\n") >= 2 }) {
		t.Errorf("server: got stderr %q, want two lines", s.stderr)
	}
	// The message about the first client shows its user name and the algorithm of its
	// key.
	if got := s.stderr.String(); strings.Contains(got, "\x1b") || strings.Count(got, "\n") != 2 || strings.Count(got, "logged in as") < 3 {
		t.Errorf("server: got stderr %q, want two lines without control characters", got)
	}
}

// TestHostileServer connects to a server with a hostile key. The client must reject the
// key before checking known hosts.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	config := &ssh.ServerConfig{NoClientAuth: true}
	if config.Config, err = Config(allMACs(), allCiphers()); err != nil {
		t.Fatal(err)
	}
	config.AddHostKey(hostileKey{})
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			ssh.NewServerConn(conn, config)
		}
	}()
	r := runWith("", "ssh", "exec", listener.Addr().String(), "x")
	if r.Status != 255 || strings.Contains(r.Stderr, "\x1b") || strings.Count(r.Stderr, "\n") != 1 || !strings.Contains(r.Stderr, "logged in as") {
		t.Errorf("got %+v, want status 255 and one line without control characters", r)
	}
}
