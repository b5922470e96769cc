// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"crypto/ed25519"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// answerWith serves one client. It answers the command with a request of this kind and
// payload.
func answerWith(t *testing.T, kind string, payload []byte) (address string, host ssh.Signer) {
	t.Helper()
	host, err := newTestSigner()
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, nil }}
	if config.Config, err = Config(allMACs(), allCiphers()); err != nil {
		t.Fatal(err)
	}
	config.AddHostKey(host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		netConn, err := listener.Accept()
		if err != nil {
			return
		}
		_, channels, requests, err := ssh.NewServerConn(netConn, config)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for newChannel := range channels {
			channel, requests, err := newChannel.Accept()
			if err != nil {
				return
			}
			for request := range requests {
				if request.WantReply {
					request.Reply(true, nil)
				}
				if request.Type == "exec" {
					channel.SendRequest(kind, false, payload)
					channel.Close()
				}
			}
		}
	}()
	return listener.Addr().String(), host
}

func newTestSigner() (ssh.Signer, error) {
	return ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
}

// TestRemoteStatus checks exit statuses from the server that no process can have.
func TestRemoteStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	identity := filepath.Join(dir, "id")
	writeKey(t, identity)
	for status, want := range map[uint32]int{0: 0, 1: 1, 255: 255, 256: 255, 512: 255, 1<<31 + 256: 255, 1<<32 - 1: 255} {
		address, host := answerWith(t, "exit-status", ssh.Marshal(&struct{ Status uint32 }{status}))
		known := writeFile(t, filepath.Join(dir, "known"), knownhosts.Line([]string{address}, host.PublicKey())+"\n")
		if r := runWith("", "ssh", "exec", "-i", identity, "-known-hosts", known, address, "x"); r.Status != want {
			t.Errorf("remote status %d: got status %d, stderr %q, want %d", status, r.Status, r.Stderr, want)
		}
	}
	address, host := answerWith(t, "exit-signal", ssh.Marshal(&struct {
		Signal     string
		CoreDumped bool
		Message    string
		Language   string
	}{"\x1b[2J", false, "\x1b[2J\nforged", ""}))
	known := writeFile(t, filepath.Join(dir, "known"), knownhosts.Line([]string{address}, host.PublicKey())+"\n")
	if r := runWith("", "ssh", "exec", "-i", identity, "-known-hosts", known, address, "x"); r.Status == 0 || strings.Contains(r.Stderr, "\x1b") {
		t.Errorf("got %+v, want a failure and no control characters", r)
	}
}

// TestSilentServer connects to servers that accept the connection and then send
// nothing, or something hostile.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	greeting := make(chan string, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Write([]byte(<-greeting))
			defer conn.Close()
		}
	}()
	greeting <- ""
	start := time.Now()
	r := runWith("", "ssh", "exec", "-timeout", "300ms", listener.Addr().String(), "x")
	if r.Status != 255 || r.Stderr != "unimac ssh exec: "+listener.Addr().String()+" does not answer: received nothing for 300ms\n" {
		t.Errorf("got status %d, stderr %q after %v, want 255 and a timeout of 300ms", r.Status, r.Stderr, time.Since(start))
	}
	quits, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer quits.Close()
	go func() {
		if conn, err := quits.Accept(); err == nil {
			io.CopyN(io.Discard, conn, 1) // unread data would cause a reset
			io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn)
			conn.Close()
		}
	}()
	if r := runWith("", "ssh", "exec", quits.Addr().String(), "x"); r.Status != 255 || !strings.HasPrefix(r.Stderr, "unimac ssh exec: "+quits.Addr().String()+" as ") || !strings.HasSuffix(r.Stderr, "ssh: handshake failed: EOF\n") {
		t.Errorf("got %+v, want status 255 and EOF in the handshake", r)
	}
	greeting <- "SSH-2.0-x\r\n" + string(hostileKexInit("\x1b[2J\nunimac ssh exec: all is well"))
	if r := runWith("", "ssh", "exec", listener.Addr().String(), "x"); r.Status != 255 || strings.Contains(r.Stderr, "\x1b") || strings.Count(r.Stderr, "\n") != 1 {
		t.Errorf("got %+v, want status 255 and one line without control characters", r)
	}
}
