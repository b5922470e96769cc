// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"encoding/pem"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// listen gives each connection to serve, until the test ends.
func listen(t *testing.T, network, address string, serve func(net.Conn)) net.Addr {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return listener.Addr()
}

// startAgent starts an agent of which the program knows by the environment. What it does
// with a connection is up to serve.
func startAgent(t *testing.T, serve func(net.Conn)) {
	t.Helper()
	dir, err := os.MkdirTemp("", "a") // the names of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("SSH_AUTH_SOCK", listen(t, "unix", filepath.Join(dir, "s"), serve).String())
}

// A deafAgent has a key, and never answers when it is to sign.
type deafAgent struct {
	agent.ExtendedAgent
}

func (deafAgent) SignWithFlags(ssh.PublicKey, []byte, agent.SignatureFlags) (*ssh.Signature, error) {
	select {}
}

// TestAgentHangs has agents that never answer: when they are asked for their keys, which
// leaves those in files, and when they are to sign.
func TestAgentHangs(t *testing.T) {
	s := startSite(t)
	home := t.TempDir()
	setHome(t, home)
	startAgent(t, func(conn net.Conn) { io.Copy(io.Discard, conn) })
	keys := &loginKeys{destination: &destination{agent: os.Getenv("SSH_AUTH_SOCK")}, patience: 50 * time.Millisecond}
	if signers, err := keys.signers(); err == nil || !strings.Contains(err.Error(), "agent: ") {
		t.Errorf("%v, %v", signers, err)
	}
	data, err := os.ReadFile(s.identity)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, filepath.Join(home, ".ssh", "id_ed25519"), string(data))
	keys = &loginKeys{destination: &destination{agent: os.Getenv("SSH_AUTH_SOCK")}, patience: 50 * time.Millisecond}
	if signers, err := keys.signers(); err != nil || len(signers) != 1 {
		t.Errorf("%v, %v", signers, err)
	}

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	keyring := agent.NewKeyring().(agent.ExtendedAgent)
	key, err := ssh.ParseRawPrivateKey(data)
	if err == nil {
		err = keyring.Add(agent.AddedKey{PrivateKey: key})
	}
	if err != nil {
		t.Fatal(err)
	}
	startAgent(t, func(conn net.Conn) { agent.ServeAgent(deafAgent{keyring}, conn) })
	runWith("", "ssh", "exec", "-known-hosts", s.known, "-timeout", "500ms", s.address, "echo in").Want(t, 255, "", "unimac ssh exec: ")
}

// TestAgentHasKey names a key that is encrypted and in the agent: nobody is asked for the
// passphrase. One that the configuration names is tried before the others of the agent.
func TestAgentHasKey(t *testing.T) {
	find(t, "ssh")
	s := startSite(t)
	home := t.TempDir()
	setHome(t, home)
	data, err := os.ReadFile(s.identity)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := ssh.ParseRawPrivateKey(data)
	if err != nil {
		t.Fatal(err)
	}
	keyring := agent.NewKeyring()
	for range 7 { // more than the server lets a client try
		other := filepath.Join(home, "other")
		writeKey(t, other)
		data, err := os.ReadFile(other)
		if err != nil {
			t.Fatal(err)
		}
		key, err := ssh.ParseRawPrivateKey(data)
		if err == nil {
			err = keyring.Add(agent.AddedKey{PrivateKey: key})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := keyring.Add(agent.AddedKey{PrivateKey: raw}); err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(raw, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	encrypted := writeFile(t, filepath.Join(home, "encrypted"), string(pem.EncodeToMemory(block)))
	runWith("", "ssh", "exec", "-known-hosts", s.known, "-i", encrypted, s.address, "echo in").Want(t, 255, "", "encrypted: needs a passphrase: add the key to an agent with ssh-add")
	startAgent(t, func(conn net.Conn) { agent.ServeAgent(keyring, conn) })
	runWith("", "ssh", "exec", "-known-hosts", s.known, "-i", encrypted, s.address, "echo in").Want(t, 0, "in\n", "")

	host, port, _ := strings.Cut(s.address, ":")
	config := writeFile(t, filepath.Join(home, "config"), "Host "+host+"\nIdentityFile "+encrypted+"\n")
	runWith("", "ssh", "exec", "-known-hosts", s.known, "-F", config, "-p", port, host, "echo in").Want(t, 0, "in\n", "")

	// With IdentitiesOnly it is the only one.
	writeFile(t, config, "IdentitiesOnly yes\nIdentityFile "+encrypted+"\n")
	only := func() (n int) {
		d, err := (&clientConfig{path: config, warnf: t.Logf}).resolve(target{host: host})
		if err != nil {
			t.Fatal(err)
		}
		keys := &loginKeys{destination: d, patience: soon}
		defer keys.close()
		signers, err := keys.signers()
		if err != nil {
			t.Fatal(err)
		}
		return len(signers)
	}
	if n := only(); n != 1 {
		t.Errorf("with IdentitiesOnly there are %d keys", n)
	}
	writeFile(t, config, "IdentityFile "+encrypted+"\n")
	if n := only(); n != 8 {
		t.Errorf("without IdentitiesOnly there are %d keys", n)
	}
}
