// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"crypto/ed25519"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// TestClientConfig reads ~/.ssh/config, and goes through a server to another.
func TestClientConfig(t *testing.T) {
	gate := startSiteWith(t, serveOptions{forward: true})
	inner := startSite(t)
	gateHost, gatePort, _ := net.SplitHostPort(gate.address)
	host, port, _ := net.SplitHostPort(inner.address)
	home := t.TempDir()
	setHome(t, home)
	dot := filepath.Join(home, ".ssh")
	if err := os.Mkdir(dot, 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(inner.identity)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dot, "inner key"), string(key))
	writeFile(t, filepath.Join(dot, "known_hosts"), knownhosts.Line([]string{gate.address}, gate.host.PublicKey())+"\n"+
		knownhosts.Line([]string{inner.address}, inner.host.PublicKey())+"\n")
	writeFile(t, filepath.Join(dot, "config"), `
Host gate
	HostName `+gateHost+`
	Port `+gatePort+`
	User keeper
	IdentityFile `+gate.identity+`

Host inner direct
	HostName `+host+`
	User somebody
	IdentityFile "~/.ssh/inner key"

Host inner
	Port `+port+`
	ProxyJump gate
`)
	runWith("", "ssh", "exec", "inner", "echo in").Want(t, 0, "in\n", "")
	if !strings.Contains(gate.stdout.String(), `logged in as "keeper"`) || !strings.Contains(inner.stdout.String(), `logged in as "somebody"`) {
		t.Errorf("gate: %s\ninner: %s", gate.stdout, inner.stdout)
	}
	runWith("", "ssh", "exec", "-p", port, "direct", "echo in").Want(t, 0, "in\n", "")
	runWith("", "ssh", "exec", "me@direct:"+port, "echo in").Want(t, 0, "in\n", "")
	if !strings.Contains(inner.stdout.String(), `logged in as "me"`) {
		t.Errorf("%s", inner.stdout)
	}
	// A Match that is not known costs no more than its own part.
	writeFile(t, filepath.Join(dot, "config"), `
Host direct
	HostName `+host+`
  match exec "touch `+filepath.Join(home, "executed")+`"
	Port 1
Match host direct
	IdentityFile "~/.ssh/inner key"
Match user=nobody
	Port 2
Host *
	Port `+port+`
`)
	r := runWith("", "ssh", "exec", "somebody@direct", "echo in")
	if r.Status != 0 || r.Stdout != "in\n" || !strings.Contains(r.Stderr, "config:4: skipped up to the next Host or Match: Match Exec is not supported\n") ||
		!strings.Contains(r.Stderr, "config:8: skipped") || strings.Count(r.Stderr, "\n") != 2 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(home, "executed")); err == nil {
		t.Error("a command was executed")
	}
	writeFile(t, filepath.Join(dot, "config"), "Host loop\n\tProxyJump loop\n")
	runWith("", "ssh", "exec", "loop", "echo in").Want(t, 255, "", "too many servers")
	writeFile(t, filepath.Join(dot, "config"), "Host \x1b[2J\nnonsense = = \n\tHostName")
	r = runWith("", "ssh", "exec", "-i", inner.identity, inner.address, "echo in")
	if r.Status != 0 || strings.Contains(r.Stderr, "\x1b") {
		t.Errorf("%+v", r)
	}
}

// answerWith serves one client, whose command it answers with a payload of a request.
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

// TestRemoteStatus has servers send what no process ends with.
func TestRemoteStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	identity := filepath.Join(dir, "id")
	writeKey(t, identity)
	for status, want := range map[uint32]int{0: 0, 1: 1, 255: 255, 256: 255, 512: 255, 1<<31 + 256: 255, 1<<32 - 1: 255} {
		address, host := answerWith(t, "exit-status", ssh.Marshal(&struct{ Status uint32 }{status}))
		known := writeFile(t, filepath.Join(dir, "known"), knownhosts.Line([]string{address}, host.PublicKey())+"\n")
		if r := runWith("", "ssh", "exec", "-i", identity, "-known-hosts", known, address, "x"); r.Status != want {
			t.Errorf("%d: %d, %s", status, r.Status, r.Stderr)
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
		t.Errorf("%+v", r)
	}
}

// TestSilentServer has a server that takes the connection and says nothing, or
// something hostile.
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
	if r.Status != 255 || r.Stderr != "unimac ssh exec: "+listener.Addr().String()+" does not answer: nothing came for 300ms\n" {
		t.Errorf("%s after %v", r.Stderr, time.Since(start))
	}
	greeting <- "SSH-2.0-x\r\n" + string(hostileKexInit("\x1b[2J\nunimac ssh exec: all is well"))
	if r := runWith("", "ssh", "exec", listener.Addr().String(), "x"); r.Status != 255 || strings.Contains(r.Stderr, "\x1b") || strings.Count(r.Stderr, "\n") != 1 {
		t.Errorf("%+v", r)
	}
}
